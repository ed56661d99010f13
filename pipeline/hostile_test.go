package pipeline

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"firebreak/pipeline/record"
)

// someDelta is the delta of two partitions with all that a delta can have.
func someDelta(t testing.TB) []byte {
	t.Helper()
	r := newRig(t, namedFleet(t))
	c := r.teller()
	topic := requestLog(3)
	p := c.take(topic, 0, 5)
	c.onShard(p, "s1", "k", 1)
	c.onShard(p, "s2", "k\xff", 12)
	c.tick.Skip(c.take(topic, 2, 0), 10, SkipRetention)
	return c.seal()
}

// FuzzDecodeDelta: whatever the bytes are, they are refused, or are what is written again.
func FuzzDecodeDelta(f *testing.F) {
	f.Add(someDelta(f))
	f.Add([]byte{entryDelta, entryVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := decodeDelta(b)
		if err != nil {
			return
		}
		again, err := decodeDelta(d.entry())
		if err != nil {
			t.Fatalf("its own wire form: %v", err)
		}
		if diff := cmp.Diff(d, again, cmp.AllowUnexported(delta{}, fleetDelta{}, paneDelta{}, paneFacts{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-read +again):\n%s", diff)
		}
	})
}

// FuzzDecodeCheckpoint does the same, and a ledger can be made of all that is read.
func FuzzDecodeCheckpoint(f *testing.F) {
	r, _, _, _ := begun(f, 2)
	b, err := r.live.Checkpoint()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	fleet := shortFleet(f, "main/requests")
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeCheckpoint(b)
		if err != nil {
			return
		}
		again, err := decodeCheckpoint(c.Append(nil))
		if err != nil {
			t.Fatalf("its own wire form: %v", err)
		}
		if diff := cmp.Diff(c, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-read +again):\n%s", diff)
		}
		live, err := NewLive([]LiveFleet{fleet}, &tape{})
		if err != nil {
			t.Fatal(err)
		}
		if err := live.Restore(c); err != nil {
			t.Fatal(err)
		}
		_ = live.TakeOver() // of bytes that may be anything
		if _, err := live.Apply(c.Offset, modelEpoch(), someHello()); err != nil {
			t.Fatal(err)
		}
		live.View()
	})
}

func someHello() []byte { return Hello(Instance{9}) }

// FuzzApply: an entry that is refused changes nothing, and none makes a ledger fail.
func FuzzApply(f *testing.F) {
	f.Add(someDelta(f))
	f.Add(Genesis(3))
	f.Add(someHello())
	f.Add([]byte{})
	rig0, _, c, _ := begun(f, 2)
	f.Add(c[0].seal())
	b, err := rig0.live.Checkpoint()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		r, _, tellers, parts := begun(t, 2)
		before := r.live.ledger.Checkpoint()
		r.to(22)
		out := r.put(b)
		after := r.live.ledger.Checkpoint()
		if !out.Accepted {
			if diff := cmp.Diff(before, after, cmpopts.IgnoreFields(Checkpoint{}, "Offset", "At")); diff != "" {
				t.Fatalf("a refused entry changed (-before +after):\n%s", diff)
			}
			tellers[0].says(parts[0], "k", 22, 1)
			accepted(t, tellers[0].send())
		}
		if _, err := r.live.ledger.snapshotOf(0, r.now); err != nil {
			t.Fatal(err)
		}
	})
}

// snapshotOf is what would be judged now; nil before a pane is complete.
func (l *Ledger) snapshotOf(i int, now time.Time) (any, error) {
	if !l.fleets[i].closing {
		return nil, nil
	}
	return l.snapshot(l.fleets[i], now)
}

// TestHostileEntries: entries that are well formed and cannot be meant are refused, and change nothing.
func TestHostileEntries(t *testing.T) {
	topic := requestLog(2)
	rng := func(number int32, from, to int64) Range {
		return Range{Partition: Partition{topic.ID, number}, From: from, To: to, End: to, Time: record.NoTime, First: record.NoTime}
	}
	late := rng(0, 0, 1)
	late.Time = modelEpoch().Add(maxFuture + time.Hour).UnixNano()
	back := rng(0, 10, 5)
	skips := rng(0, 0, 5)
	skips.Skipped = 6
	shards := func(names ...string) []fleetDelta { return []fleetDelta{{name: "orders", print: 1, shards: names}} }
	many := make([]Topic, maxTopics+1)
	for i := range many {
		binary.LittleEndian.PutUint32(many[i].ID[:], uint32(i+10))
		many[i].Name = string(binary.BigEndian.AppendUint32(nil, uint32(i)))
	}
	for name, d := range map[string]*delta{
		"a partition twice":     {topics: []Topic{topic}, ranges: []Range{rng(0, 0, 1), rng(0, 0, 1)}},
		"not in order":          {topics: []Topic{topic}, ranges: []Range{rng(1, 0, 1), rng(0, 0, 1)}},
		"a partition too many":  {topics: []Topic{topic}, ranges: []Range{rng(2, 0, 1)}},
		"a range that is back":  {topics: []Topic{topic}, ranges: []Range{back}},
		"more skipped than is":  {topics: []Topic{topic}, ranges: []Range{skips}},
		"a far future":          {topics: []Topic{topic}, ranges: []Range{late}},
		"a topic twice":         {topics: []Topic{topic, topic}},
		"two topics of one id":  {topics: []Topic{topic, {topic.ID, "b", 1}}},
		"too many topics":       {topics: many},
		"too many partitions":   {topics: []Topic{{topic.ID, "a", maxPartitions + 1}}},
		"a shard twice":         {fleets: shards("a", "a")},
		"a shard without name":  {fleets: shards("")},
		"a shard with too long": {fleets: shards(string(bytes.Repeat([]byte{'x'}, 256)))},
		"too many shards":       {fleets: []fleetDelta{{name: "orders", print: 1, base: 5000}}},
		"another seed":          {seed: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, modelFleet(t, "main/requests"))
			if d.seed == 0 {
				d.seed = seedPrint(7)
			}
			before := r.live.ledger.Checkpoint()
			if out := r.put(d.entry()); out.Accepted {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(before, r.live.ledger.Checkpoint(), cmpopts.IgnoreFields(Checkpoint{}, "Offset")); diff != "" {
				t.Errorf("changed (-before +after):\n%s", diff)
			}
		})
	}
	var good delta
	good.seed, good.topics, good.ranges = seedPrint(7), []Topic{topic}, []Range{rng(0, 0, 1)}
	r := newRig(t, modelFleet(t, "main/requests"))
	accepted(t, r.put(good.entry()))
}

// TestDamagedPart: a part of a delta that cannot be read moves its partitions for everybody, and lowers the coverage here.
func TestDamagedPart(t *testing.T) {
	r := newRig(t, shortFleet(t, "main/requests"))
	c := r.teller()
	p := c.take(requestLog(1), 0, 0)
	c.says(p, "k", 1, 1)
	entry := c.seal()
	d, err := decodeDelta(entry)
	if err != nil {
		t.Fatal(err)
	}
	d.fleets[0].panes[0].part = append([]byte("x"), d.fleets[0].panes[0].part...)
	accepted(t, r.put(d.entry()))
	if got := r.live.View().Counted[p.Partition].To; got != 1 {
		t.Errorf("counted to %d, want 1", got)
	}
	if got := r.fleet().coverage(); got != 0 {
		t.Errorf("coverage %v, want 0", got)
	}
}
