package pipeline

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// TestLedgerRejectsByPosition: of two that count the same partition the log's order decides, all or nothing.
func TestLedgerRejectsByPosition(t *testing.T) {
	r := newRig(t, modelFleet(t, "main/requests"))
	topic := requestLog(2)
	a, b := r.teller(), r.teller()
	a0 := a.take(topic, 0, 0)
	b0, b1 := b.take(topic, 0, 0), b.take(topic, 1, 100)
	a.says(a0, "k", 1, 3)
	b.says(b0, "k", 1, 3)
	b.says(b1, "k", 2, 4)
	accepted(t, a.send())
	out := b.send()
	rejected(t, out, RejectedPosition)
	if diff := cmp.Diff([]Partition{{topic.ID, 0}}, out.Mismatched); diff != "" {
		t.Errorf("mismatched (-want +got):\n%s", diff)
	}
	v := r.live.View()
	if got := v.Counted[Partition{topic.ID, 0}].To; got != 1 {
		t.Errorf("counted to %d, want 1", got)
	}
	if _, ok := v.Counted[Partition{topic.ID, 1}]; ok {
		t.Error("a part of a rejected delta was taken")
	}
	if err := b.tick.Discard(); err != nil {
		t.Fatal(err)
	}
	ahead := b.take(topic, 0, 0)
	ahead.from, ahead.to = 5, 6 // as if somebody had counted to there
	rejected(t, b.send(), RejectedPosition)
	if err := b.tick.Discard(); err != nil {
		t.Fatal(err)
	}
	b1 = b.take(topic, 1, 100) // begins anywhere, as the log knows nothing of it
	b.says(b1, "k", 2, 4)
	accepted(t, b.send())
	if got := r.live.View().Counted[Partition{topic.ID, 1}].To; got != 101 {
		t.Errorf("counted to %d, want 101", got)
	}
}

// TestLedgerOldLife: what is told of a topic that was deleted since is rejected, whoever tells it.
func TestLedgerOldLife(t *testing.T) {
	r := newRig(t, modelFleet(t, "main/requests"))
	old, young := requestLog(1), Topic{TopicID{2}, "main/requests", 1}
	a, b := r.teller(), r.teller()
	a0 := a.take(old, 0, 0)
	a.says(a0, "k", 1, 1)
	accepted(t, a.send())
	b.take(young, 0, 0)
	accepted(t, b.send())
	rejected(t, a.send(), RejectedLife)
	v := r.live.View()
	if diff := cmp.Diff([]Topic{young}, v.Topics); diff != "" {
		t.Errorf("lives (-want +got):\n%s", diff)
	}
	if _, ok := v.Counted[a0.Partition]; ok {
		t.Error("the old life is still counted")
	}
	joiner := restored(t, r, r.live.ledger.Checkpoint())
	out, err := joiner.Apply(int64(len(r.log)), r.now, a.seal())
	if err != nil || out.Rejected != RejectedLife {
		t.Errorf("a joiner: %v, %v, want the same", out.Why, err)
	}
}

// restored is a follower that begins at a checkpoint, through its wire form.
func restored(t testing.TB, r *rig, c *Checkpoint) *Live {
	t.Helper()
	var fleets []LiveFleet
	for _, f := range r.live.ledger.fleets {
		fleets = append(fleets, *f.live)
	}
	live, err := NewLive(fleets, &tape{})
	if err != nil {
		t.Fatal(err)
	}
	read, err := DecodeCheckpoint(c.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, read, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("checkpoint (-written +read):\n%s", diff)
	}
	if err := live.Restore(read); err != nil {
		t.Fatal(err)
	}
	return live
}

// TestLedgerShardsNamedAtOnce: two instances that name a shard at the same place cannot both be right.
func TestLedgerShardsNamedAtOnce(t *testing.T) {
	r := newRig(t, namedFleet(t))
	topic := requestLog(2)
	a, b := r.teller(), r.teller()
	a0, b1 := a.take(topic, 0, 0), b.take(topic, 1, 0)
	for i, shard := range []string{"s1", "s2"} {
		if a.onShard(a0, shard, "k", float64(i)) != Taken {
			t.Fatal("not taken")
		}
	}
	b.onShard(b1, "s3", "k", 1)
	b.onShard(b1, "s1", "k", 1)
	accepted(t, a.send())
	rejected(t, b.send(), RejectedShards)
	if err := b.tick.Discard(); err != nil {
		t.Fatal(err)
	}
	b.sync()
	b1 = b.take(topic, 1, 0)
	b.onShard(b1, "s3", "k", 1)
	b.onShard(b1, "s1", "k", 1)
	accepted(t, b.send())
	if diff := cmp.Diff([]string{"s1", "s2", "s3"}, r.live.View().Fleets[0].Shards); diff != "" {
		t.Errorf("shards (-want +got):\n%s", diff)
	}
	joiner := restored(t, r, r.live.ledger.Checkpoint())
	if diff := cmp.Diff(r.live.View().Fleets[0].Shards, joiner.View().Fleets[0].Shards); diff != "" {
		t.Errorf("shards of a joiner (-want +got):\n%s", diff)
	}
	a.onShard(a0, "s1", "k", 2) // names nothing: the shards that it knows are in the same places
	accepted(t, a.send())
}

// TestLedgerOtherConfiguration: what others count in another way moves partitions for everybody alike, and is not seen here.
func TestLedgerOtherConfiguration(t *testing.T) {
	ours, theirs := namedFleet(t), namedFleet(t)
	theirs.Rate = 0.5
	r := newRig(t, ours)
	other, err := NewLive([]LiveFleet{theirs}, &tape{})
	if err != nil {
		t.Fatal(err)
	}
	topic := requestLog(2)
	a := r.teller()
	b, c := r.teller(theirs), r.teller(theirs)
	a0, b1, c1 := a.take(topic, 0, 0), b.take(topic, 1, 0), c.take(topic, 1, 0)
	a.onShard(a0, "s1", "k", 1)
	b.onShard(b1, "s2", "k", 1)
	if out := a.send(); !out.Accepted || out.Foreign != 0 {
		t.Fatalf("%+v", out)
	}
	if out := b.send(); !out.Accepted || out.Foreign != 1 || out.Crowded != 0 {
		t.Fatalf("%+v, want one fleet that is counted in another way", out)
	}
	c.onShard(c1, "s3", "k", 1)
	c1.from, c1.to = 1, 2 // right where the partition is, and wrong about the shards
	rejected(t, c.send(), RejectedShards)
	for i, e := range r.log {
		if _, err := other.Apply(int64(i), e.at, e.bytes); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(r.live.View().Counted, other.View().Counted); diff != "" {
		t.Errorf("two configurations count to other places (-a +b):\n%s", diff)
	}
	if got := r.fleet().coverage(); got != 0.5 {
		t.Errorf("coverage %v, want half: what others count in another way is not seen", got)
	}
	joiner := restored(t, r, other.ledger.Checkpoint())
	if diff := cmp.Diff(r.live.View().Fleets[0].Shards, joiner.View().Fleets[0].Shards); diff != "" {
		t.Errorf("shards of a joiner that starts at their checkpoint (-want +got):\n%s", diff)
	}
}

// TestFingerprintIsNoAddress: a configuration has the same fingerprint in every process, and another way of counting another.
func TestFingerprintIsNoAddress(t *testing.T) {
	strip := func(v bool) *LiveFleet { f := modelFleet(t, "a"); f.Record.StripQuery = &v; return &f }
	base := strip(true)
	want, err := base.fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	same := strip(true)
	same.Idle, same.Sampling, same.Judge = time.Hour, policy.SamplingNone, policy.Config{}
	same.Document.Moves = []routing.Move{{VShard: 1, To: 2}}
	if got, _ := same.fingerprint(); got != want {
		t.Error("the fingerprint tells apart what counts alike")
	}
	for name, change := range map[string]func(f *LiveFleet){
		"fields": func(f *LiveFleet) { *f = *strip(false) },
		"topics": func(f *LiveFleet) { f.Topics = []string{"b"} },
		"pane":   func(f *LiveFleet) { f.Pane = time.Second },
		"shards": func(f *LiveFleet) { f.Document.Placement.VShards *= 2 },
		"salts":  func(f *LiveFleet) { f.LogPoint = policy.LogPointShard; f.Document.Salts = []routing.Salt{{Key: "k"}} },
	} {
		f := strip(true)
		change(f)
		if got, _ := f.fingerprint(); got == want {
			t.Errorf("%s: another way of counting has the same fingerprint", name)
		}
	}
}

// TestLedgerSkips: offsets that nobody can read lower coverage, whatever became of them.
func TestLedgerSkips(t *testing.T) {
	for why, want := range map[Skip]float64{SkipRetention: 0.25, SkipLost: 0.25} {
		t.Run(why.String(), func(t *testing.T) {
			r := newRig(t, modelFleet(t, "main/requests"))
			a := r.teller()
			p := a.take(requestLog(1), 0, 300)
			a.tick.Skip(p, 600, why)
			for range 100 {
				a.says(p, "k", 1, 1)
			}
			accepted(t, a.send())
			if got := r.fleet().coverage(); got != want {
				t.Errorf("coverage %v, want %v", got, want)
			}
		})
	}
}

// TestLedgerRewinds: a partition whose broker lost what was counted goes on where its log ends now.
func TestLedgerRewinds(t *testing.T) {
	r := newRig(t, modelFleet(t, "main/requests"))
	a := r.teller()
	p := a.take(requestLog(1), 0, 300)
	a.says(p, "k", 1, 1)
	if a.tick.Rewind(p, 0); p.To() != 301 {
		t.Fatalf("position %d: it moved back while something is counted that is not sealed", p.To())
	}
	accepted(t, a.send())
	a.tick.Rewind(p, 1)
	accepted(t, a.send())
	if got := r.live.View().Counted[p.Partition].To; got != 1 {
		t.Errorf("counted to %d, want 1", got)
	}
	for range 100 {
		a.says(p, "k", 1, 1)
	}
	accepted(t, a.send())
	if got, want := r.fleet().coverage(), 101.0/401; got != want {
		t.Errorf("coverage %v, want %v", got, want)
	}
}

// TestLedgerOfAnUnreadableLog: a log that nothing understands any more, or whose clocks run ahead, is seen in part; that its load
// has fallen is not known. Records that come too late change no pane that is open, and lower nothing.
func TestLedgerOfAnUnreadableLog(t *testing.T) {
	for name, tc := range map[string]struct {
		value string
		want  float64
	}{
		"no JSON":               {`{"ts_ms`, 0.75},
		"of the future":         {`{"ts_ms":` + strconv.FormatInt(second(5000).UnixMilli(), 10) + `,"key":"k","op":"GET","weight":1}`, 0.75},
		"of long ago":           {`{"ts_ms":` + strconv.FormatInt(second(-5000).UnixMilli(), 10) + `,"key":"k","op":"GET","weight":1}`, 1},
		"none of our business":  {"\n", 1},
		"no number of requests": {`{"ts_ms":` + strconv.FormatInt(second(100).UnixMilli(), 10) + `,"key":"k","op":"GET","weight":-1}`, 0.75},
		"no value":              {"", 0.75},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, shortFleet(t, "main/requests"))
			c := r.teller()
			p := c.take(requestLog(1), 0, 0)
			for s := range 100 {
				r.to(float64(s))
				c.says(p, "k", float64(s), 1)
				if s%3 == 0 {
					if got := c.tick.Offer(p, p.To(), &record.Message{Value: []byte(tc.value), Time: second(float64(s)).UnixNano()}); got != Taken {
						t.Fatalf("%v, want taken", got)
					}
				}
				accepted(t, c.send())
			}
			if got := r.fleet().coverage(); math.Abs(got-tc.want) > 0.01 {
				t.Errorf("coverage %.3f, want %.2f", got, tc.want)
			}
			for s := 100; s < 170; s++ {
				r.to(float64(s))
				c.says(p, "k", float64(s), 1)
				accepted(t, c.send())
			}
			if got := r.fleet().coverage(); got != 1 {
				t.Errorf("a window later: %.3f, want 1", got)
			}
		})
	}
}
