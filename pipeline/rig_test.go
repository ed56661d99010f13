package pipeline

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/sketch"
)

// tape keeps what was decided. Its memory is a sum over all that was judged for the first time, which it gives as the history
// of a tenant, so that whoever misses one decision, or has it twice, decides otherwise from then on.
type tape struct {
	decisions []policy.Decision
	times     []time.Time
	snapshots []*policy.Snapshot
	distinct  []Distinct
	memory    uint64
}

func (s *tape) Judged(j *Judgement) {
	s.decisions, s.times, s.snapshots = append(s.decisions, *j.Decision), append(s.times, j.Now), append(s.snapshots, j.Snapshot)
	s.distinct = append(s.distinct, j.Distinct)
	if newest := j.After.Detection.Newest; newest.After(j.Before.Detection.Newest) {
		s.memory = s.memory*31 + uint64(newest.UnixNano())
	}
}

func (s *tape) Histories(snapshot *policy.Snapshot, before *policy.State) []policy.TenantHistory {
	peak := s.memory
	if n := len(snapshot.Panes); n > 0 && snapshot.Panes[n-1].Start.Before(before.Detection.Newest) {
		peak++ // not a new pane
	}
	return []policy.TenantHistory{{Tenant: "everybody", Peak: float64(peak % 1_000_003)}}
}

func (s *tape) Save() ([]byte, error) { return binary.BigEndian.AppendUint64(nil, s.memory), nil }

func (s *tape) Load(memory []byte) error {
	s.memory = binary.BigEndian.Uint64(memory)
	return nil
}

// rig is a log of deltas and one who follows it.
type rig struct {
	t    testing.TB
	live *Live
	sink *tape
	log  []entry
	now  time.Time
	ids  byte

	crowded int // parts of panes that the ledger could not count
}

// newRig begins a log at modelEpoch.
func newRig(t testing.TB, fleets ...LiveFleet) *rig {
	t.Helper()
	r := &rig{t: t, sink: &tape{}, now: modelEpoch()}
	var err error
	if r.live, err = NewLive(fleets, r.sink); err != nil {
		t.Fatal(err)
	}
	r.put(Genesis(7))
	return r
}

// put appends an entry and applies it.
func (r *rig) put(b []byte) Outcome {
	r.t.Helper()
	r.log = append(r.log, entry{r.now, b})
	out, err := r.live.Apply(int64(len(r.log)-1), r.now, b)
	if err != nil {
		r.t.Fatal(err)
	}
	r.crowded += out.Crowded
	return out
}

// to moves the broker's clock to so many seconds after modelEpoch.
func (r *rig) to(seconds float64) { r.now = second(seconds) }

// second is a moment, in seconds after modelEpoch.
func second(s float64) time.Time { return modelEpoch().Add(time.Duration(s * float64(time.Second))) }

// fleet is the first fleet as the log has it.
func (r *rig) fleet() *sharedFleet { return r.live.ledger.fleets[0] }

// load is all that was counted of the first fleet in panes that are whole.
func (r *rig) load() (requests float64) {
	for n, f := range r.fleet().panes {
		if !r.fleet().begun || n >= r.fleet().first {
			requests += sketch.Float(f.cost)
		}
	}
	return requests
}

// teller is an instance that counts.
type teller struct {
	r    *rig
	tick *Tick
}

// teller makes an instance of some configuration, by default the rig's.
func (r *rig) teller(fleets ...LiveFleet) *teller {
	r.t.Helper()
	if len(fleets) == 0 {
		for _, f := range r.live.ledger.fleets {
			fleets = append(fleets, *f.live)
		}
	}
	r.ids++
	tick, err := NewTick(Instance{r.ids}, fleets, r.live.View().Seed, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	c := &teller{r, tick}
	c.sync()
	return c
}

// sync takes over the log. Only where all fleets are the rig's.
func (c *teller) sync() {
	if v := c.r.live.View(); len(v.Fleets) == len(c.tick.fleets) {
		c.tick.Sync(v, c.r.now.UnixNano())
	}
}

// take assigns a partition: where the log says, or at an offset.
func (c *teller) take(topic Topic, number int32, from int64) *Part {
	var known *Progress
	if p, ok := c.r.live.View().Counted[Partition{topic.ID, number}]; ok {
		known, from = &p, p.To
	}
	return c.tick.Assign(topic, number, from, known)
}

// say is the next record of a partition: when it says it was, in seconds.
func (c *teller) say(p *Part, key string, at float64, count int) Offered {
	r := modelRecord{second(at), key, count}
	return c.tick.Offer(p, p.To(), r.message())
}

// says is one that must be taken.
func (c *teller) says(p *Part, key string, at float64, count int) {
	c.r.t.Helper()
	if got := c.say(p, key, at, count); got != Taken {
		c.r.t.Fatalf("record of second %v: %v, want taken", at, got)
	}
}

// toEnd says that the partitions end where they are counted to.
func (c *teller) toEnd(p Partition) int64 { return c.tick.Part(p).To() }

// seal gives the delta; all partitions are at their end.
func (c *teller) seal() []byte {
	c.r.t.Helper()
	s, err := c.tick.Seal(c.toEnd)
	if err != nil {
		c.r.t.Fatal(err)
	}
	return s.Entry
}

// send appends the delta of all partitions, which are at their end, and takes over what became of it.
func (c *teller) send() Outcome {
	c.r.t.Helper()
	out := c.r.put(c.seal())
	c.sync()
	return out
}

// behind sends a delta whose partitions go on beyond it.
func (c *teller) behind() Outcome {
	c.r.t.Helper()
	s, err := c.tick.Seal(func(p Partition) int64 { return c.tick.Part(p).To() + 1000 })
	if err != nil {
		c.r.t.Fatal(err)
	}
	out := c.r.put(s.Entry)
	c.sync()
	return out
}

// accepted fails the test if an outcome is not.
func accepted(t testing.TB, out Outcome) {
	t.Helper()
	if !out.Accepted {
		t.Fatalf("delta was not accepted: %s", out.Why)
	}
}

// rejected fails the test unless an outcome is a rejection for that reason.
func rejected(t testing.TB, out Outcome, why Rejection) {
	t.Helper()
	if out.Accepted || out.Rejected != why {
		t.Fatalf("accepted %v, rejection %v (%s), want %v", out.Accepted, out.Rejected, out.Why, why)
	}
}

// requestLog is the topic of most tests.
func requestLog(partitions int32) Topic { return Topic{TopicID{1}, "main/requests", partitions} }

// shortFleet has a window of a minute.
func shortFleet(t testing.TB, topics ...string) LiveFleet {
	f := modelFleet(t, topics...)
	f.Window = time.Minute
	return f
}

// namedFleet is one whose log names the shards, none of which is known before.
func namedFleet(t testing.TB) LiveFleet {
	f := shortFleet(t, "main/requests")
	f.Document, f.Discover = nil, true
	f.Record = record.Config{Format: "json", Fields: f.Record.Fields, Preset: "canonical"}
	return f
}

// onShard is the next record of a partition, on a shard.
func (c *teller) onShard(p *Part, shard, key string, at float64) Offered {
	value := fmt.Appendf(nil, `{"ts_ms":%d,"key":%q,"tenant":"t","op":"GET","shard":%q}`, second(at).UnixMilli(), key, shard)
	return c.tick.Offer(p, p.To(), &record.Message{Value: value, Time: second(at).UnixNano()})
}
