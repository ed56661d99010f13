package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/sketch"
)

// TestTickIsFullOfPanes: a delta has a few panes; the records of another one wait for the next, and none is lost.
func TestTickIsFullOfPanes(t *testing.T) {
	r := newRig(t, modelFleet(t, "main/requests"))
	r.to(1000)
	c := r.teller()
	p := c.take(requestLog(1), 0, 0)
	n, full := 0, 0
	for s := 0.0; s < 200; s += 5 {
		for c.say(p, "k", s, 1) == Full {
			full++
			accepted(t, c.behind())
		}
		n++
	}
	accepted(t, c.send())
	if got := r.load(); full < 3 || got != float64(n-2) {
		t.Errorf("full %d times, %v counted of %d in whole panes", full, got, n-2)
	}
	if s := c.tick.fleets[0].tally.stats; s.Crowded+s.Late+s.Future != 0 {
		t.Errorf("lost: %+v", s)
	}
}

// TestTickOfASparseLog: records that come so far apart that each is held back at first, whose panes need a delta each.
func TestTickOfASparseLog(t *testing.T) {
	r := newRig(t, modelFleet(t, "main/requests"))
	r.to(100_000)
	c := r.teller()
	parts := []*Part{c.take(requestLog(3), 0, 0), c.take(requestLog(3), 1, 0), c.take(requestLog(3), 2, 0)}
	n := 0
	for s := 0.0; s < 3000; s += 100 {
		for i, p := range parts {
			for {
				answer := c.say(p, "k", s+float64(7*i), 1)
				if answer == Taken {
					break
				}
				if open := len(c.tick.fleets[0].open) + len(c.tick.fleets[0].held); answer == Full && open > mostOpen {
					t.Fatalf("%d panes are needed", open)
				}
				accepted(t, c.behind())
			}
			n++
		}
	}
	accepted(t, c.behind()) // idle partitions of an old log would be past its window
	if got := r.load(); got != float64(n-3) {
		t.Errorf("%v counted of %d in whole panes", got, n-3)
	}
	if s := c.tick.fleets[0].tally.stats; s.Crowded+s.Late+s.Future != 0 || r.crowded != 0 {
		t.Errorf("lost: %+v, %d panes had no room", s, r.crowded)
	}
}

// TestTickWaitsForOthers: a partition that is far ahead of the slowest is not read on, or the panes ahead would have no room;
// once the others have come up it is. Who is slowest always may go on.
func TestTickWaitsForOthers(t *testing.T) {
	r := newRig(t, shortFleet(t, "main/requests"))
	r.to(5000)
	topic := requestLog(2)
	a, b := r.teller(), r.teller()
	p, q := a.take(topic, 0, 0), b.take(topic, 1, 0)
	for s := 0.0; s < 20; s += 5 {
		a.says(p, "k", s, 1)
		b.says(q, "k", s, 1)
	}
	accepted(t, a.behind())
	accepted(t, b.behind())
	run := func(c *teller, p *Part, from, to float64) (reached float64) {
		for s := from; s < to; s += 5 {
			for {
				answer := c.say(p, "k", s, 1)
				if answer == Ahead {
					accepted(t, c.behind())
					return s
				}
				if answer == Taken {
					break
				}
				accepted(t, c.behind())
			}
		}
		accepted(t, c.behind())
		return to
	}
	ahead := run(a, p, 20, 3000)
	if room := float64(r.fleet().ahead * 10); ahead > 20+room || ahead < 60 {
		t.Fatalf("one partition is read to second %v while the other is at 15", ahead)
	}
	a.sync()
	if got := a.say(p, "k", ahead, 1); got != Ahead {
		t.Fatalf("%v, want ahead: nothing has changed", got)
	}
	if got := run(b, q, 20, 3000); got <= ahead {
		t.Fatalf("the slower one came to second %v only", got)
	}
	a.sync()
	a.says(p, "k", ahead, 1)
	if r.crowded != 0 {
		t.Errorf("%d panes had no room", r.crowded)
	}
}

// TestHeldRecordsSettle: what was held back when a tick ends is counted in it, if it is not of the future.
func TestHeldRecordsSettle(t *testing.T) {
	r := newRig(t, modelFleet(t, "main/requests"))
	r.to(100)
	c := r.teller()
	p := c.take(requestLog(1), 0, 0)
	c.says(p, "first of a log", 30, 2)
	c.says(p, "of the future", 200, 3) // 100 s ahead of the broker's clock
	accepted(t, c.send())
	c.says(p, "after a gap", 95, 4)
	accepted(t, c.send())
	if got := r.load(); got != 4 { // the first pane is not whole
		t.Errorf("%v requests", got)
	}
	v := r.live.View().Counted[p.Partition]
	if v.To != 3 || v.Time != second(95).UnixNano() {
		t.Errorf("counted to %d, time %v, want 3 and second 95", v.To, time.Unix(0, v.Time))
	}
	if s := c.tick.fleets[0].tally.stats; s.Future != 1 || s.Counted != 2 {
		t.Errorf("%+v, want one of the future and two counted", s)
	}
}

// TestThinning: whatever a partition is thinned to, the estimate has no bias, and what is left out is told as a sample.
func TestThinning(t *testing.T) {
	for k := range uint8(6) {
		const n = 4000
		var sum, squares float64
		const seeds = 12
		for seed := range seeds {
			r := newRig(t, modelFleet(t, "main/requests"))
			r.to(30)
			c := r.teller()
			p := c.take(requestLog(1), 0, int64(seed)*1_000_003)
			p.Thin(k)
			for i := range n {
				c.says(p, "k", 12+float64(i%500)/100, 1)
			}
			pane := c.tick.fleets[0].find(modelEpoch().Unix()/10 + 1)
			got := sketch.Float(pane.facts.cost)
			sum += got
			squares += (got - n) * (got - n)
			s, err := c.tick.Seal(c.toEnd)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Ranges[0]; got.Thin != k || got.Records != n || got.To-got.From != n || got.Skipped != 0 {
				t.Fatalf("range %+v of %d records thinned by %d", got, n, k)
			}
			c.tick.Stats(func(_ string, s *Stats, _ []uint64) {
				if s.Thinned+s.Records != n || s.Counted != s.Records || (k == 0) != (s.Thinned == 0) {
					t.Fatalf("%+v of %d records thinned by %d", s, n, k)
				}
			})
		}
		sigma := math.Sqrt(n * (math.Exp2(float64(k)) - 1)) // of one estimate
		if off := math.Abs(sum/seeds - n); off > 4*sigma/math.Sqrt(seeds)+0.5 {
			t.Errorf("one in %d: %v on average, of %d", 1<<k, sum/seeds, n)
		}
		if spread := math.Sqrt(squares / seeds); spread > 2*sigma {
			t.Errorf("one in %d: spread %v, want about %v", 1<<k, spread, sigma)
		}
	}
}

// TestSeveralRecordsAMessage: each line is a record of its own; the panes of all of them are looked at before one is counted.
func TestSeveralRecordsAMessage(t *testing.T) {
	fleet := modelFleet(t, "main/requests")
	fleet.Record.Lines = true
	r := newRig(t, fleet)
	r.to(1000)
	c := r.teller()
	p := c.take(requestLog(1), 0, 0)
	message := func(from, lines int) *record.Message {
		var b bytes.Buffer
		for i := range lines {
			fmt.Fprintf(&b, "{\"ts_ms\":%d,\"key\":\"k\",\"op\":\"GET\",\"weight\":1}\n", second(float64(from+10*i)).UnixMilli())
		}
		return &record.Message{Value: b.Bytes(), Time: second(float64(from)).UnixNano()}
	}
	if got := c.tick.Offer(p, 0, message(0, 3)); got != Taken {
		t.Fatal(got)
	}
	if got := c.tick.Offer(p, 1, message(30, 2)); got != Full {
		t.Fatalf("%v, want full: the second line needs a pane more", got)
	}
	if s := c.tick.fleets[0].tally.stats; s.Records != 3 || p.To() != 1 {
		t.Fatalf("%d records read to %d, want 3 and 1: nothing of a message that is not taken", s.Records, p.To())
	}
	accepted(t, c.behind())
	if got := c.tick.Offer(p, 1, message(30, 6)); got != Taken {
		t.Fatalf("%v, want taken: it will not fit any better", got)
	}
	accepted(t, c.send())
	if got := r.load(); got != 3+6-1 {
		t.Errorf("%v requests in whole panes, want 8", got)
	}
}

// TestFleetsAndTopics: two fleets in one topic, and two topics in one fleet.
func TestFleetsAndTopics(t *testing.T) {
	orders, users := modelFleet(t, "main/requests", "east/requests"), modelFleet(t, "main/requests")
	users.Fleet = "users"
	doc, err := routing.Adopt("users", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	users.Document = doc
	orders.Record.Match = []record.Match{{Field: "key", Regex: "^o"}}
	users.Record.Match = []record.Match{{Field: "key", Regex: "^u"}}
	r := newRig(t, orders, users)
	r.to(60)
	c := r.teller()
	p := c.take(requestLog(1), 0, 0)
	q := c.take(Topic{TopicID{2}, "east/requests", 1}, 0, 0)
	for s := 12.0; s < 20; s++ {
		c.says(p, "o1", s, 1)
		c.says(p, "u1", s, 10)
		c.says(q, "o1", s, 100)
		c.says(q, "u1", s, 1000) // no fleet reads it
	}
	d, err := decodeDelta(c.seal())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for i := range d.fleets {
		for j := range d.fleets[i].panes {
			got[d.fleets[i].name] += sketch.Float(d.fleets[i].panes[j].facts.cost)
		}
	}
	if diff := cmp.Diff(map[string]float64{"orders": 8 * 101, "users": 80}, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestSaltedPieces: what shards served of the pieces of a salted key is folded, and each piece is counted too.
func TestSaltedPieces(t *testing.T) {
	fleet := shortFleet(t, "main/requests")
	fleet.LogPoint = policy.LogPointShard
	fleet.Document.Salts = []routing.Salt{{Key: "hot", Suffixes: []uint32{0, 11, 12}, Read: 3, Write: 3}}
	r := newRig(t, fleet)
	c := r.teller()
	p := c.take(requestLog(1), 0, 0)
	table, err := routing.NewTable(fleet.Document)
	if err != nil {
		t.Fatal(err)
	}
	for s := 0.0; s <= 30; s += 2 {
		r.to(s)
		for i, piece := range []string{"hot", string(table.AppendPieceKey(nil, []byte("hot"), 11)), string(table.AppendPieceKey(nil, []byte("hot"), 12))} {
			value := fmt.Appendf(nil, `{"ts_ms":%d,"key":%q,"op":"SET","weight":%d}`, second(s).UnixMilli(), piece, 1+i)
			if got := c.tick.Offer(p, p.To(), &record.Message{Value: value, Time: second(s).UnixNano()}); got != Taken {
				t.Fatal(got)
			}
		}
		accepted(t, c.send())
	}
	last := r.sink.snapshots[len(r.sink.snapshots)-1]
	if len(last.Keys) != 1 || last.Keys[0].Key != "hot" {
		t.Fatalf("keys %+v, want the logical one", last.Keys)
	}
	got := map[uint32]float64{}
	for _, piece := range last.Keys[0].Pieces {
		got[piece.Suffix] = piece.Load
	}
	if diff := cmp.Diff(map[uint32]float64{0: 5, 11: 10, 12: 15}, got); diff != "" {
		t.Errorf("pieces of a pane of 5 records each (-want +got):\n%s", diff)
	}
}

// longNames are records of names as long as they may be, spread over everything.
func longNames(i int) *record.Message {
	pad := strings.Repeat("x", 900)
	return &record.Message{Value: fmt.Appendf(nil, `{"ts_ms":%d,"key":"%d-%s","tenant":"%d-%s","op":"GET","weight":%d}`,
		second(float64(i%40)).UnixMilli(), i, pad, i%3000, pad, 1+i%7), Time: second(float64(i % 40)).UnixNano()}
}

// TestDeltaIsBounded: 10,240 virtual shards, four panes and long names: a delta is as small as it must be, and what it leaves
// out are names, never load.
func TestDeltaIsBounded(t *testing.T) {
	fleet := modelFleet(t, "main/requests")
	r := newRig(t, fleet)
	r.to(60)
	c := r.teller()
	p := c.take(requestLog(1), 0, 0)
	want, largest, deltas := 0.0, 0, 0
	send := func() {
		s, err := c.tick.Seal(c.toEnd)
		if err != nil {
			t.Fatal(err)
		}
		largest, deltas = max(largest, len(s.Entry)), deltas+1
		accepted(t, r.put(s.Entry))
		c.sync()
	}
	for i := range 40_000 {
		if i%40 >= 10 { // the first pane is not judged
			want += float64(1 + i%7)
		}
		for c.tick.Offer(p, p.To(), longNames(i)) != Taken {
			send()
		}
	}
	send()
	if largest > MaxDelta || largest < MaxDelta/2 || deltas < 2 {
		t.Errorf("%d deltas of at most %d bytes", deltas, largest)
	}
	if got := r.load(); got != want {
		t.Errorf("load %v, want %v", got, want)
	}
}

// TestDeltaTooLarge: where even the loads are too much for one entry, the tick is sealed earlier the next time, and all of it
// is counted in the end.
func TestDeltaTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("150,000 records, several times")
	}
	r := newRig(t, namedFleet(t))
	r.to(60)
	c := r.teller()
	p := c.take(requestLog(1), 0, 0)
	c.onShard(p, "0-first", "k", 0)
	accepted(t, c.behind())
	const records = 150_000
	message := func(i int64) *record.Message {
		return &record.Message{Value: fmt.Appendf(nil, `{"ts_ms":%d,"key":"k%d","tenant":"t","op":"GET","weight":%d,"shard":"%d-%s"}`,
			second(12).UnixMilli(), i, 1+i%2, i%2000, strings.Repeat("s", 240)), Time: second(12).UnixNano()}
	}
	c.tick.loose = 4 << 20 // as if what cannot be left out were far smaller than it is
	tooLarge, deltas := 0, 0
	for p.To() <= records {
		if c.tick.Offer(p, p.To(), message(p.To())) == Taken && p.To() <= records {
			continue
		}
		s, err := c.tick.Seal(c.toEnd)
		if errors.Is(err, ErrTooLarge) {
			if tooLarge++; tooLarge > 30 {
				t.Fatal("it never gets smaller")
			}
			if err := c.tick.Discard(); err != nil {
				t.Fatal(err)
			}
			c.sync()
			p = c.take(requestLog(1), 0, 0)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		deltas++
		accepted(t, r.put(s.Entry))
		c.sync()
	}
	if tooLarge == 0 || deltas < 2 {
		t.Fatalf("%d times too large, %d deltas: the test says nothing", tooLarge, deltas)
	}
	if got := sketch.Float(r.fleet().facts(modelEpoch().Unix()/10 + 1).cost); got != records*3/2 {
		t.Errorf("%v requests, want %d", got, records*3/2)
	}
	if got := len(r.live.View().Fleets[0].Shards); got != 2001 {
		t.Errorf("%d shards, want 2001", got)
	}
}

// TestDeltaIsAFunctionOfItsRecords: the same records, in any order of partitions, give the same bytes.
func TestDeltaIsAFunctionOfItsRecords(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, modelFleet(t, "main/requests"))
		r.to(100)
		topic := requestLog(4)
		a, b := r.teller(), r.teller()
		b.tick.by = a.tick.by
		for n := range topic.Partitions {
			p, q := a.take(topic, n, 0), b.take(topic, n, 0)
			for range rapid.IntRange(0, 3).Draw(rt, "held") { // held back to the end, as no third one follows
				s := float64(rapid.IntRange(0, 39).Draw(rt, "second"))
				key := fmt.Sprint(rapid.IntRange(0, 5).Draw(rt, "key"))
				a.say(p, key, s, 1)
				b.say(q, key, s, 1)
			}
		}
		if !bytes.Equal(a.seal(), b.seal()) {
			rt.Fatal("two deltas of the same records")
		}
	})
}

// TestOfferAllocatesNothing: counting a record whose key is known takes no memory.
func TestOfferAllocatesNothing(t *testing.T) {
	r := newRig(t, modelFleet(t, "main/requests"))
	r.to(60)
	c := r.teller()
	p := c.take(requestLog(1), 0, 0)
	m := (&modelRecord{second(12), "k", 1}).message()
	for range 10 {
		c.tick.Offer(p, p.To(), m)
	}
	if n := testing.AllocsPerRun(1000, func() { c.tick.Offer(p, p.To(), m) }); n != 0 {
		t.Errorf("%v allocations a record", n)
	}
}
