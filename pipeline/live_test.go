package pipeline

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"firebreak/policy"
	"firebreak/routing"
)

// judged is a decision in bytes, with the place in the log at which it was made.
type judged struct {
	entry int
	bytes string
}

// follower follows a log from a checkpoint on, or from its beginning.
func follow(t testing.TB, fleets []LiveFleet, log []entry, from *Checkpoint) (sink *tape, all []judged, sure int, live *Live) {
	t.Helper()
	sink = &tape{}
	live, err := NewLive(fleets, sink)
	if err != nil {
		t.Fatal(err)
	}
	start := 0
	if from != nil {
		if err := live.Restore(from); err != nil {
			t.Fatal(err)
		}
		start = int(from.Offset)
	}
	sure = -1
	for i := start; i < len(log); i++ {
		before := len(sink.decisions)
		if _, err := live.Apply(int64(i), log[i].at, log[i].bytes); err != nil {
			t.Fatal(err)
		}
		if live.sure && sure < 0 {
			sure = i
		}
		for n := before; n < len(sink.decisions); n++ {
			var b bytes.Buffer
			if err := gob.NewEncoder(&b).Encode(&sink.decisions[n]); err != nil {
				t.Fatal(err)
			}
			all = append(all, judged{i, fmt.Sprint(sink.times[n], sink.snapshots[n].Inputs.Histories, sink.distinct[n], " ") + b.String()})
		}
	}
	return sink, all, sure, live
}

// drawLog is the log of a group of two partitions, one of them with a key that is hot at times, with checkpoints, delays and
// outages.
func drawLog(rt *rapid.T, t testing.TB, fleet LiveFleet) *rig {
	r := newRig(t, fleet)
	topic := requestLog(2)
	tellers := []*teller{r.teller(), r.teller()}
	parts := []*Part{tellers[0].take(topic, 0, 0), tellers[1].take(topic, 1, 0)}
	skew := rapid.IntRange(0, 1).Draw(rt, "starts at a record") == 1
	doc := fleet.Document.Clone()
	doc.Epoch, doc.Tenure = 1, "us"
	for s := 0; s < 250; s += 5 {
		outage := rapid.IntRange(0, 40).Draw(rt, "outage") == 0
		if outage {
			s += 5 * rapid.IntRange(1, 40).Draw(rt, "steps")
		}
		r.to(float64(s) + 2)
		hot := rapid.IntRange(0, 30).Draw(rt, "hot")
		for n, c := range tellers {
			c.sync()
			if skew || rapid.IntRange(0, 9).Draw(rt, "traffic") > 0 {
				for k := range 8 {
					c.say(parts[n], string(rune('A'+k)), float64(s), 1+k)
				}
				if n == 0 {
					c.say(parts[n], "hot", float64(s), 1+20*hot)
				}
			}
			accepted(t, c.send())
		}
		if rapid.IntRange(0, 5).Draw(rt, "checkpoint") == 0 {
			b, err := r.live.Checkpoint()
			if err != nil {
				t.Fatal(err)
			}
			r.to(float64(s) + 3)
			if rapid.Bool().Draw(rt, "late") {
				accepted(t, tellers[1].send()) // entries between the moment of a checkpoint and its place
			}
			r.put(b)
			routes, err := r.live.Routes()
			if err != nil {
				t.Fatal(err)
			}
			for _, route := range routes {
				r.put(route)
			}
		}
		if rapid.IntRange(0, 9).Draw(rt, "route") == 0 {
			doc = doc.Clone()
			doc.Version++
			doc.Moves = []routing.Move{{VShard: hotVShard(t, fleet), To: routing.ShardID(rapid.IntRange(0, 3).Draw(rt, "to"))}}
			b, err := r.live.Route(doc, r.now)
			if err != nil {
				t.Fatal(err)
			}
			r.put(b)
		}
	}
	return r
}

// hotVShard is where the key that is hot at times lies.
func hotVShard(t testing.TB, fleet LiveFleet) routing.VShard {
	t.Helper()
	table, err := routing.NewTable(fleet.Document)
	if err != nil {
		t.Fatal(err)
	}
	return table.VShard(nil, []byte("hot"))
}

// liveFleet judges what its log shows without waiting.
func liveFleet(t testing.TB) LiveFleet {
	f := shortFleet(t, "main/requests")
	f.Sampling = policy.SamplingNone
	f.Judge.For = 10 * time.Second
	return f
}

// TestEveryFollowerDecidesAlike: the same log, with the documents it names, gives the same decisions to all, byte for byte, also to one that begins at a
// checkpoint, once it is sure of the group's memory; and it has the same windows once they began after the checkpoint.
func TestEveryFollowerDecidesAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred logs")
	}
	fired, joined, whole, routed := 0, 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		fleets := []LiveFleet{liveFleet(t)}
		r := drawLog(rt, t, fleets[0])
		sink, want, _, all := follow(t, fleets, r.log, nil)
		for i := range sink.decisions {
			fired += len(sink.decisions[i].Verdicts)
		}
		var at []int
		for i := range r.log {
			if IsCheckpoint(r.log[i].bytes) {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return
		}
		c, err := DecodeCheckpoint(r.log[rapid.SampledFrom(at).Draw(rt, "start")].bytes)
		if err != nil {
			rt.Fatal(err)
		}
		joiner, got, sure, live := follow(t, fleets, r.log, c)
		if sure >= 0 {
			joined++
			before := func(j judged) bool { return j.entry <= sure }
			wanted := slices.DeleteFunc(slices.Clone(want), before)
			got = slices.DeleteFunc(got, before)
			if diff := cmp.Diff(wanted, got, cmp.AllowUnexported(judged{}), cmpopts.EquateEmpty()); diff != "" {
				rt.Fatalf("from offset %d, sure at %d (-all +joiner):\n%s", c.Offset, sure, diff)
			}
			if diff := cmp.Diff(all.states, live.states, cmpopts.EquateEmpty()); diff != "" {
				rt.Fatalf("state (-all +joiner):\n%s", diff)
			}
			if a, b := all.ledger.fleets[0].routed, live.ledger.fleets[0].routed; a != nil {
				if b == nil || !a.Since.Equal(b.Since) || cmp.Diff(a.Table.Document(), b.Table.Document(), cmpopts.EquateEmpty()) != "" {
					rt.Fatalf("all judge by %+v, the joiner by %+v", a, b)
				}
				routed++
			}
			if sink.memory != joiner.memory {
				rt.Fatalf("the sink remembers %d, the joiner's %d", sink.memory, joiner.memory)
			}
		}
		if live.whole(live.ledger.fleets[0]) {
			whole++
		}
		sameWindow(rt, r, all, live)
	})
	if fired == 0 || joined == 0 || whole == 0 || routed == 0 {
		t.Fatalf("%d hotspots told, %d joiners sure, %d windows whole, %d documents: the test says nothing", fired, joined, whole, routed)
	}
}

// sameWindow compares a joiner's window with everybody's, if it began after its checkpoint.
func sameWindow(t *rapid.T, r *rig, all, joiner *Live) {
	if diff := cmp.Diff(all.View().Counted, joiner.View().Counted, cmpopts.IgnoreFields(Progress{}, "First")); diff != "" {
		t.Fatalf("counted (-all +joiner):\n%s", diff)
	}
	a, b := all.ledger.fleets[0], joiner.ledger.fleets[0]
	if !a.closing || !b.closing {
		return
	}
	want, err := all.ledger.snapshot(a, r.now)
	if err != nil {
		t.Fatal(err)
	}
	got, err := joiner.ledger.snapshot(b, r.now)
	if err != nil {
		t.Fatal(err)
	}
	if joiner.whole(b) {
		if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(&routing.Table{})); diff != "" {
			t.Fatalf("snapshot (-all +joiner):\n%s", diff)
		}
	}
	newest := want.Panes[len(want.Panes)-min(len(want.Panes), len(got.Panes)):]
	if diff := cmp.Diff(newest, got.Panes, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("a pane that is not whole (-all +joiner):\n%s", diff)
	}
}

// TestTakeOver: where nobody is left to ask, the newest memory is the group's, and a memory that cannot be read is none.
func TestTakeOver(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		r, _, _, _ := begun(t, 1)
		r.live.states[0].Detection.Shards = map[string]policy.Track{"shard-1": {Hotspot: &policy.Hotspot{ID: "known"}}}
		r.sink.memory = 42
		b, err := r.live.Checkpoint()
		if err != nil {
			t.Fatal(err)
		}
		c, err := DecodeCheckpoint(b)
		if err != nil {
			t.Fatal(err)
		}
		if damaged {
			c.Watch = c.Watch[:len(c.Watch)/2]
		}
		sink, _, sure, live := follow(t, []LiveFleet{*r.fleet().live}, r.log, c)
		if sure >= 0 || live.sure {
			t.Fatal("sure of a memory that nobody confirmed")
		}
		err = live.TakeOver()
		if !live.sure {
			t.Fatal("not sure after it took over")
		}
		if damaged != (err != nil) {
			t.Errorf("damaged: %v, error: %v", damaged, err)
		}
		if damaged {
			if len(live.states[0].Detection.Shards) > 0 {
				t.Errorf("state %+v of a damaged memory", live.states[0])
			}
			continue
		}
		if diff := cmp.Diff(r.live.states, live.states, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("state (-left +taken over):\n%s", diff)
		}
		if sink.memory != r.sink.memory {
			t.Errorf("the sink was given %d, want %d", sink.memory, r.sink.memory)
		}
	}
}

// TestSilentIsBlind: when the log says nothing any more, it is said once a pane that nothing is seen, what is open stays open,
// and when the log goes on so does everything.
func TestSilentIsBlind(t *testing.T) {
	r, _, c, p := begun(t, 1)
	hot := func(s float64) {
		r.to(s)
		c[0].sync()
		for c[0].say(p[0], "hot", s, 1000) != Taken {
			accepted(t, c[0].behind())
		}
		for k := range 20 {
			c[0].says(p[0], string(rune('A'+k)), s, 5)
		}
		accepted(t, c[0].send())
	}
	for s := 22; s <= 120; s += 2 {
		hot(float64(s))
	}
	if !r.live.News() || len(r.live.states[0].Detection.Shards) == 0 {
		t.Fatal("no hotspot: the story does not begin")
	}
	before := len(r.sink.decisions)
	state := r.live.states[0]
	for s := 121; s <= 1000; s++ {
		if err := r.live.Silent(second(float64(s))); err != nil {
			t.Fatal(err)
		}
	}
	blind := r.sink.decisions[before:]
	for i := range blind {
		if d := &blind[i]; !d.Blind || len(d.Verdicts) > 0 || !holds(d, policy.HoldStale) {
			t.Fatalf("decision while the log is silent: %+v", d)
		}
	}
	if first := r.sink.times[before].Sub(second(110)); first > time.Minute+5*time.Second+2*time.Second {
		t.Errorf("blind %v after the newest pane", first)
	}
	if n := len(blind); n < 70 || n > 90 {
		t.Errorf("told %d times in 880 s with panes of 10 s", n)
	}
	if diff := cmp.Diff(state, r.live.states[0], cmpopts.EquateEmpty()); diff != "" || r.live.News() {
		t.Errorf("silence changed the state (-before +after):\n%s", diff)
	}
	for s := 1000; s <= 1060; s += 2 {
		hot(float64(s))
	}
	last := r.sink.decisions[len(r.sink.decisions)-1]
	if last.Blind || len(last.Open) == 0 {
		t.Errorf("decision a minute after the log goes on: %+v", last)
	}
}

// TestLogThatDoesNotBegin: what stands in a log before the entry that begins it is refused, and so are followers' questions.
func TestLogThatDoesNotBegin(t *testing.T) {
	r, _, c, p := begun(t, 1)
	b, err := r.live.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	c[0].says(p[0], "k", 22, 1)
	live, err := NewLive([]LiveFleet{*r.fleet().live}, &tape{})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range [][]byte{someHello(), c[0].seal(), b, {}} {
		out, err := live.Apply(int64(i), second(float64(i)), e)
		if err != nil || out.Accepted {
			t.Fatalf("entry %d: %+v, %v", i, out, err)
		}
	}
	if err := live.Silent(second(500)); err != nil || live.View().Seeded {
		t.Fatalf("%v, seeded %v", err, live.View().Seeded)
	}
	if _, err := live.Ask("orders", nil, []byte("k")); err == nil {
		t.Error("an answer of a window that is not there")
	}
}
