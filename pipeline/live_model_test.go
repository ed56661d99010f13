package pipeline

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// noSink forgets what was decided.
type noSink struct{}

func (noSink) Judged(*Judgement)     {}
func (noSink) Save() ([]byte, error) { return nil, nil }
func (noSink) Load([]byte) error     { return nil }

// modelEpoch is when the logs of the model begin.
func modelEpoch() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func modelFleet(t testing.TB, topics ...string) LiveFleet {
	t.Helper()
	doc, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	cfg := DefaultConfig("orders")
	cfg.Document, cfg.Window = doc, time.Hour
	return LiveFleet{Config: cfg, Record: record.Config{Preset: "canonical", Format: "json"}, Judge: policy.Default(), Topics: topics}
}

// modelRecord is a numbered record of a partition.
type modelRecord struct {
	at    time.Time
	key   string
	count int
}

func (r *modelRecord) message() *record.Message {
	return &record.Message{Value: fmt.Appendf(nil, `{"ts_ms":%d,"key":%q,"op":"GET","weight":%d}`, r.at.UnixMilli(), r.key, r.count), Time: r.at.UnixNano()}
}

// world is the request log and the log of deltas.
type world struct {
	fleets []LiveFleet
	topic  Topic
	parts  [][]modelRecord
	log    []entry
	now    time.Time
}

type entry struct {
	at    time.Time
	bytes []byte
}

func (w *world) append(b []byte) {
	w.now = w.now.Add(200 * time.Millisecond)
	w.log = append(w.log, entry{w.now, b})
}

// actor is one life of an instance, as pipeline/kafka drives it.
type actor struct {
	w       *world
	id      Instance
	live    *Live
	read    int // of the log
	tick    *Tick
	owned   map[Partition]bool
	waiting uint64   // number of the delta that is in flight; 0 = none
	late    [][]byte // sealed and not yet appended: the instance is frozen in between
	grave   bool     // it was restored from a checkpoint
}

func newActor(t *rapid.T, w *world, id byte) *actor {
	a := &actor{w: w, owned: map[Partition]bool{}}
	a.id[0] = id
	var err error
	if a.live, err = NewLive(w.fleets, noSink{}); err != nil {
		t.Fatal(err)
	}
	return a
}

// restore begins at a random checkpoint of the log, if there is one.
func (a *actor) restore(t *rapid.T) {
	var at []int
	for i := range a.w.log {
		if IsCheckpoint(a.w.log[i].bytes) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return
	}
	c, err := DecodeCheckpoint(a.w.log[rapid.SampledFrom(at).Draw(t, "checkpoint")].bytes)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.live.Restore(c); err != nil {
		t.Fatal(err)
	}
	a.read, a.grave = int(c.Offset), true
}

// follow reads n entries of the log.
func (a *actor) follow(t *rapid.T, n int) {
	for ; n > 0 && a.read < len(a.w.log); n-- {
		e := a.w.log[a.read]
		out, err := a.live.Apply(int64(a.read), e.at, e.bytes)
		if err != nil {
			t.Fatal(err)
		}
		a.read++
		if out.Delta && out.By == a.id && out.Number == a.waiting {
			a.waiting = 0
			if !out.Accepted {
				a.again(t)
			}
		}
	}
	v := a.live.View()
	if a.tick == nil && v.Seeded {
		var err error
		if a.tick, err = NewTick(a.id, a.w.fleets, v.Seed, nil); err != nil {
			t.Fatal(err)
		}
	}
	if a.tick != nil {
		a.tick.Sync(v, a.w.now.Add(time.Hour).UnixNano())
	}
}

// again starts over where the log says its partitions were counted to.
func (a *actor) again(t *rapid.T) {
	if err := a.tick.Discard(); err != nil {
		t.Fatal(err)
	}
	v := a.live.View()
	a.tick.Sync(v, a.w.now.Add(time.Hour).UnixNano())
	for p := range a.owned {
		a.assign(v, p)
	}
}

func (a *actor) assign(v *View, p Partition) {
	from, known := int64(0), (*Progress)(nil)
	if c, ok := v.Counted[p]; ok {
		from, known = c.To, &c
	}
	a.owned[p] = true
	a.tick.Assign(a.w.topic, p.Number, from, known)
}

// offer counts up to n records of a partition.
func (a *actor) offer(t *rapid.T, p Partition, n int) {
	part := a.tick.Part(p)
	records := a.w.parts[p.Number]
	for ; n > 0 && part.To() < int64(len(records)); n-- {
		if a.tick.Offer(part, part.To(), records[part.To()].message()) != Taken {
			return
		}
	}
}

// seal gives the delta of the tick.
func (a *actor) seal(t *rapid.T) []byte {
	s, err := a.tick.Seal(func(p Partition) int64 { return int64(len(a.w.parts[p.Number])) })
	if err != nil {
		t.Fatal(err)
	}
	a.waiting = s.Number
	return s.Entry
}

func drawWorld(t *rapid.T, tb testing.TB) *world {
	w := &world{fleets: []LiveFleet{modelFleet(tb, "main/requests")}, topic: Topic{TopicID{1}, "main/requests", 3}, now: modelEpoch().Add(10 * time.Minute)}
	w.parts = make([][]modelRecord, w.topic.Partitions)
	for p := range w.parts {
		at := modelEpoch()
		w.parts[p] = []modelRecord{{at.Add(-10 * time.Second), "of the pane before the window", 1}}
		for range rapid.IntRange(0, 60).Draw(t, "records") {
			at = at.Add(time.Duration(rapid.IntRange(0, 8000).Draw(t, "step")) * time.Millisecond)
			r := modelRecord{at, fmt.Sprintf("key-%d", rapid.IntRange(0, 9).Draw(t, "key")), rapid.IntRange(1, 5).Draw(t, "count")}
			w.parts[p] = append(w.parts[p], r)
		}
	}
	return w
}

// TestEveryRecordIsCountedOnce: whatever instances crash, freeze, wake up, join and fight over partitions, every record of
// the log is in everybody's window once.
func TestEveryRecordIsCountedOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt, t)
		w.append(Genesis(rapid.Uint64().Draw(rt, "seed")))
		w.append(Genesis(1))
		id := byte(0)
		next := func() *actor { id++; return newActor(rt, w, id) }
		actors := []*actor{next(), next(), next()}
		for range rapid.IntRange(1, 150).Draw(rt, "steps") {
			i := rapid.IntRange(0, len(actors)-1).Draw(rt, "actor")
			a := actors[i]
			p := Partition{w.topic.ID, int32(rapid.IntRange(0, len(w.parts)-1).Draw(rt, "partition"))}
			switch action := rapid.IntRange(0, 11).Draw(rt, "action"); {
			case action <= 2:
				a.follow(rt, rapid.IntRange(1, 8).Draw(rt, "entries"))
			case action == 3: // dies; another takes its place
				late := a.late
				actors[i] = next()
				if rapid.Bool().Draw(rt, "restore") {
					actors[i].restore(rt)
				}
				actors[i].late = late // what it had sent may arrive later
			case action == 4 && len(a.late) > 0: // wakes up
				w.append(a.late[0])
				a.late = a.late[1:]
			case a.tick == nil:
			case action == 5:
				b, err := a.live.Checkpoint()
				if err != nil {
					rt.Fatal(err)
				}
				w.append(b)
			case action <= 8:
				if a.tick.Part(p) == nil {
					a.assign(a.live.View(), p)
				}
				a.offer(rt, p, rapid.IntRange(1, 20).Draw(rt, "n"))
			case a.waiting != 0:
			case action == 9: // freezes before it appends
				a.late = append(a.late, a.seal(rt))
			default:
				w.append(a.seal(rt))
			}
		}
		countRest(rt, w, next())
		check(rt, w, actors)
	})
}

// countRest lets one instance count what is left.
func countRest(t *rapid.T, w *world, last *actor) {
	last.follow(t, math.MaxInt)
	for n := range w.parts {
		last.assign(last.live.View(), Partition{w.topic.ID, int32(n)})
	}
	for range 100 {
		left := false
		for n := range w.parts {
			p := Partition{w.topic.ID, int32(n)}
			last.offer(t, p, math.MaxInt)
			left = left || last.tick.Part(p).To() < int64(len(w.parts[n]))
		}
		w.append(last.seal(t))
		last.follow(t, math.MaxInt)
		if !left {
			return
		}
	}
	t.Fatal("the rest of the log was never taken")
}

// check compares everybody's window with the log.
func check(t *rapid.T, w *world, actors []*actor) {
	want := map[string]float64{}
	for _, records := range w.parts {
		for _, r := range records[1:] {
			want[r.key] += float64(r.count)
		}
	}
	for _, a := range actors {
		if a.grave {
			continue // its window begins at a checkpoint
		}
		a.follow(t, math.MaxInt)
		f := a.live.ledger.fleets[0]
		got := map[string]float64{}
		f.count.Slide(floorDiv(w.now.UnixNano(), f.paneLen))
		for _, k := range f.count.Window(100).Keys {
			for _, c := range k.Cells {
				got[k.Name] += float64(c.Sums.Requests) / 256
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("counted (-log +window):\n%s\nfirst %d closed %d begun %v epoch %d", diff, f.first, f.closed, f.begun, modelEpoch().Unix()/10)
		}
		for n := range w.parts {
			if c := a.live.View().Counted[Partition{w.topic.ID, int32(n)}]; c.To != int64(len(w.parts[n])) {
				t.Fatalf("partition %d counted to %d of %d", n, c.To, len(w.parts[n]))
			}
		}
	}
}
