package sketch

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func event(pane int64, key string, cost uint64) *Event {
	return &Event{
		Pane: pane, VShard: None, Shard: None, Key: []byte(key),
		Sums: Sums{Requests: cost, Cost: cost, Variance: cost, Records: One, Reads: cost},
	}
}

// brute keeps every event and answers by looking at all of them.
type brute struct {
	events []Event
	newest int64
	panes  int64
}

func (b *brute) complete(pane int64) bool { return pane <= b.newest && pane > b.newest-b.panes }

// sums adds up the complete panes of the events that match, by pane.
func (b *brute) sums(match func(*Event) bool, of func(*Event) Sums) []Cell {
	byPane := map[int64]Sums{}
	for i := range b.events {
		if e := &b.events[i]; b.complete(e.Pane) && match(e) {
			byPane[e.Pane] = byPane[e.Pane].Plus(of(e))
		}
	}
	var cells []Cell
	for pane, s := range byPane {
		cells = append(cells, Cell{pane, s})
	}
	slices.SortFunc(cells, func(a, c Cell) int { return int(a.Pane - c.Pane) })
	return cells
}

func total(cells []Cell) (cost uint64) {
	for _, c := range cells {
		cost += c.Sums.Cost
	}
	return cost
}

// dominantOf finds who has the most, ties by name.
func (b *brute) dominantOf(match func(*Event) bool, who func(*Event) []byte, of func(*Event) Sums) (string, float64) {
	costs := map[string]uint64{}
	var all uint64
	for i := range b.events {
		if e := &b.events[i]; b.complete(e.Pane) && match(e) {
			all += of(e).Cost
			if w := who(e); len(w) > 0 {
				costs[string(w)] += of(e).Cost
			}
		}
	}
	best := ""
	for name, cost := range costs {
		if best == "" || cost > costs[best] || cost == costs[best] && name < best {
			best = name
		}
	}
	if best == "" {
		return "", 0
	}
	return best, float64(costs[best]) / float64(all)
}

func drawEvent(t *rapid.T, newest int64) Event {
	name := func(label string, n int) []byte {
		i := rapid.IntRange(-1, n).Draw(t, label)
		if i < 0 {
			return nil
		}
		return fmt.Appendf(nil, "%s-%d", label, i)
	}
	cost := rapid.Uint64Range(1, 5000).Draw(t, "cost")
	e := Event{
		Pane: newest + rapid.Int64Range(-7, 3).Draw(t, "pane"), VShard: None, Shard: None,
		Key: name("key", 12), Tenant: name("tenant", 3), Caller: name("caller", 2),
		Sums: Sums{Requests: cost, Cost: cost, Variance: 2 * cost, Records: One},
	}
	if rapid.Bool().Draw(t, "placed") {
		e.VShard = int32(len(e.Key)+int(cost%3)) % 20
		if e.Key != nil {
			e.VShard = int32(e.Key[len(e.Key)-1]) % 20
		}
		e.Shard = e.VShard % 4
	}
	if rapid.Bool().Draw(t, "write") {
		e.Sums.Writes = cost
	} else {
		e.Sums.Reads = cost
	}
	if rapid.IntRange(0, 4).Draw(t, "fan-out") == 0 {
		e.KeySums = &Sums{Requests: cost / 2, Cost: cost/2 + 1, Records: One}
	}
	return e
}

// TestExactIsBruteForce: after any sequence of records in any open or closed pane, slides and gaps, every list, share and
// pane is what counting all events anew gives.
func TestExactIsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		panes := rapid.IntRange(1, 6).Draw(t, "panes")
		x, b := NewExact(panes), &brute{newest: 100, panes: int64(panes)}
		x.Slide(b.newest)
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1:
				b.newest += rapid.SampledFrom([]int64{1, 1, 1, 2, 9}).Draw(t, "slide")
				x.Slide(b.newest)
				b.events = slices.DeleteFunc(b.events, func(e Event) bool { return e.Pane <= b.newest-b.panes })
			case 2:
				x.shrinkNow()
			default:
				e := drawEvent(t, b.newest)
				x.Add(&e)
				if e.Pane > b.newest-b.panes {
					b.events = append(b.events, e)
				}
			}
			compare(t, x.Window(100), b)
		}
	})
}

// shrinkNow is what Slide does once most of a table stands empty.
func (x *Exact) shrinkNow() {
	x.keys.peak = 1 << 30
	x.shrink()
}

func keySums(e *Event) Sums {
	if e.KeySums != nil {
		return *e.KeySums
	}
	return e.Sums
}

func compare(t *rapid.T, w Window, b *brute) {
	t.Helper()
	eventSums := func(e *Event) Sums { return e.Sums }
	caller := func(e *Event) []byte { return e.Caller }
	tenant := func(e *Event) []byte { return e.Tenant }
	seen := map[string]bool{}
	for _, l := range w.Keys {
		is := func(e *Event) bool { return string(e.Key) == l.Name }
		check(t, "key "+l.Name, l.Cells, b.sums(is, keySums))
		wantTenant, share := b.dominantOf(is, tenant, keySums)
		checkShare(t, "tenant of "+l.Name, l.Tenant, l.TenantShare, wantTenant, share)
		wantCaller, share := b.dominantOf(is, caller, keySums)
		checkShare(t, "caller of "+l.Name, l.Caller, l.CallerShare, wantCaller, share)
		if seen[l.Name] {
			t.Fatalf("key %s is listed twice", l.Name)
		}
		seen[l.Name] = true
	}
	for i := range b.events {
		if e := &b.events[i]; e.Key != nil && b.complete(e.Pane) && !seen[string(e.Key)] {
			t.Fatalf("key %s is not listed", e.Key)
		}
	}
	for _, l := range w.Tenants {
		is := func(e *Event) bool { return string(e.Tenant) == l.Name }
		check(t, "tenant "+l.Name, l.Cells, b.sums(is, eventSums))
		wantCaller, share := b.dominantOf(is, caller, eventSums)
		checkShare(t, "caller of "+l.Name, l.Caller, l.CallerShare, wantCaller, share)
	}
	for _, l := range w.Pairs {
		is := func(e *Event) bool { return string(e.Tenant) == l.Name && e.Shard == l.Shard }
		check(t, fmt.Sprint("pair ", l.Name, l.Shard), l.Cells, b.sums(is, eventSums))
		wantCaller, share := b.dominantOf(is, caller, eventSums)
		checkShare(t, "caller of pair "+l.Name, l.Caller, l.CallerShare, wantCaller, share)
	}
	for _, p := range w.Panes {
		for i, v := range p.VShards {
			cells := b.sums(func(e *Event) bool { return e.VShard == v.VShard && e.Pane == p.Pane }, eventSums)
			check(t, fmt.Sprint("vshard ", v.VShard), []Cell{{p.Pane, v.Sums}}, cells)
			if i > 0 && p.VShards[i-1].VShard >= v.VShard {
				t.Fatalf("vshards of pane %d are not ascending", p.Pane)
			}
		}
	}
	placed := total(b.sums(func(e *Event) bool { return e.VShard >= 0 }, eventSums))
	var got uint64
	for _, p := range w.Panes {
		for _, v := range p.VShards {
			got += v.Sums.Cost
		}
	}
	if got != placed {
		t.Fatalf("vshards hold %d, want %d", got, placed)
	}
}

func check(t *rapid.T, what string, got, want []Cell) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func checkShare(t *rapid.T, what, got string, share float64, want string, wantShare float64) {
	t.Helper()
	if got != want || math.Abs(share-wantShare) > 1e-9 {
		t.Fatalf("%s = %q with %v, want %q with %v", what, got, share, want, wantShare)
	}
}

// TestDrain: after a window of silence everything is exactly 0, and the memory of what was there is free.
func TestDrain(t *testing.T) {
	x := NewExact(30)
	for pane := range int64(30) {
		for i := range 3000 {
			e := event(pane, fmt.Sprint("key-", i, "-", pane%7), 77)
			e.Tenant, e.Caller, e.Shard, e.VShard = fmt.Appendf(nil, "t%d", i%50), fmt.Appendf(nil, "c%d", i%9), int32(i%16), int32(i%10240)
			x.Add(e)
		}
		x.Slide(pane)
	}
	x.Slide(59)
	w := x.Window(10)
	if len(w.Panes)+len(w.Keys)+len(w.Tenants)+len(w.Pairs) != 0 || w.Distinct != (Distinct{}) {
		t.Errorf("after a silent window: %+v", w)
	}
	for _, table := range x.names() {
		if len(table.entries)+len(table.index)+len(table.touched) != 0 {
			t.Errorf("a table of names still holds %d entries, %d names, %d panes", len(table.entries), len(table.index), len(table.touched))
		}
	}
	for i, table := range x.parts() {
		if len(table.entries)+len(table.index)+len(table.touched) != 0 {
			t.Errorf("table of parts %d still holds %d entries, %d names, %d panes", i, len(table.entries), len(table.index), len(table.touched))
		}
	}
}

// TestHugeCounts (S10): 5e9 counts stay 5e9, never fall within a window, and saturate instead of wrapping; what was
// saturated comes down to the truth when it leaves.
func TestHugeCounts(t *testing.T) {
	x := NewExact(3)
	x.Slide(0)
	var last uint64
	times := 5_000_000
	if testing.Short() {
		times = 50_000
	}
	e := event(0, "K", uint64(5_000_000_000/times)*One)
	for i := range times {
		x.Add(e)
		if i%(times/5) == 0 {
			now := total(x.Window(1).Keys[0].Cells)
			if now <= last {
				t.Fatalf("the count fell from %d to %d", last, now)
			}
			last = now
		}
	}
	if got := total(x.Window(1).Keys[0].Cells); got != 5_000_000_000*One {
		t.Errorf("count = %v, want 5e9", Float(got))
	}
	x.Add(event(1, "K", math.MaxUint64-5))
	x.Add(event(1, "K", 100))
	x.Add(event(2, "K", 7))
	x.Slide(2)
	w := x.Window(1)
	if got := w.Keys[0].Cells[1].Sums.Cost; got != math.MaxUint64 {
		t.Errorf("pane 1 = %d, want saturated", got)
	}
	if got := w.Keys[0].weight; got != math.MaxUint64 {
		t.Errorf("window = %d, want saturated", got)
	}
	x.Slide(4)
	if w := x.Window(1); w.Keys[0].weight != 7 || total(w.Keys[0].Cells) != 7 {
		t.Errorf("after the saturated pane left: %+v, want 7", w.Keys)
	}
}

func TestFixed(t *testing.T) {
	for _, tt := range []struct {
		in   float64
		want uint64
	}{
		{0, 0},
		{-1, 0},
		{math.NaN(), 0},
		{math.Inf(-1), 0},
		{math.Inf(1), math.MaxUint64},
		{1e300, math.MaxUint64},
		{1, One},
		{0.001, 0},
		{0.002, 1},
		{1 << 32, 1 << 40},
	} {
		if got := Fixed(tt.in); got != tt.want {
			t.Errorf("Fixed(%v) = %d, want %d", tt.in, got, tt.want)
		}
	}
}

// TestTopList (S11): a key that decays to nothing and comes back stands once in the list, which is in order and complete.
func TestTopList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const k = 4
		x, truth := NewExact(3), map[int64]map[string]uint64{}
		pane := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "advance") {
				x.Slide(pane)
				pane++
				continue
			}
			key := fmt.Sprint("k", rapid.IntRange(0, 11).Draw(t, "key"))
			x.Add(event(pane, key, One))
			if truth[pane] == nil {
				truth[pane] = map[string]uint64{}
			}
			truth[pane][key] += One
		}
		counts, all := map[string]uint64{}, uint64(0)
		for p := max(0, pane-3); p < pane; p++ {
			for key, n := range truth[p] {
				counts[key] += n
				all += n
			}
		}
		listed := x.Window(k).Keys
		seen := map[string]bool{}
		for i, l := range listed {
			if seen[l.Name] || i > 0 && listed[i-1].weight < l.weight || total(l.Cells) != counts[l.Name] || l.weight != counts[l.Name] {
				t.Fatalf("list %+v, truth %v", listed, counts)
			}
			seen[l.Name] = true
		}
		if len(listed) > 2*k {
			t.Fatalf("%d keys are listed, at most %d were asked for", len(listed), 2*k)
		}
		for key, n := range counts {
			if n*k > all && !seen[key] {
				t.Fatalf("%s has %d of %d and is not listed: %+v", key, n, all, listed)
			}
		}
	})
}

// TestNewKeyIsListedAtOnce: a key that leads the newest three panes is listed however heavy others are in the long window.
func TestNewKeyIsListedAtOnce(t *testing.T) {
	x := NewExact(30)
	for pane := range int64(27) {
		for i := range 20 {
			x.Add(event(pane, fmt.Sprint("old-", i), 1000*One))
		}
		x.Slide(pane)
	}
	x.Add(event(27, "new", 10*One))
	x.Slide(29)
	if w := x.Window(5); !slices.ContainsFunc(w.Keys, func(l Listed) bool { return l.Name == "new" }) {
		t.Errorf("the new key is not listed: %+v", w.Keys)
	}
}

// TestCoarsen: panes merge in pairs and nothing is lost.
func TestCoarsen(t *testing.T) {
	x := NewExact(60)
	for pane := range int64(8) {
		e := event(pane, "k", uint64(pane+1))
		e.VShard, e.Shard, e.Tenant = int32(pane%3), 0, []byte("t")
		x.Add(e)
	}
	x.Coarsen()
	x.Add(event(3, "k", 100))
	x.Slide(3)
	w := x.Window(1)
	var got []uint64
	for _, c := range w.Keys[0].Cells {
		got = append(got, c.Sums.Cost)
	}
	if diff := cmp.Diff([]uint64{1 + 2, 3 + 4, 5 + 6, 7 + 8 + 100}, got); diff != "" {
		t.Errorf("panes (-want +got):\n%s", diff)
	}
	if len(w.Panes) != 4 || w.Panes[0].Pane != 0 || len(w.Panes[0].VShards) != 2 || total(w.Pairs[0].Cells) != 36 {
		t.Errorf("vshards %+v, pairs %+v", w.Panes, w.Pairs)
	}
}

// TestKnownNamesCostNoAllocation: the second record of a name in a pane allocates nothing.
func TestKnownNamesCostNoAllocation(t *testing.T) {
	x := NewExact(30)
	x.Slide(0)
	e := event(1, "user:17:profile", One)
	e.Tenant, e.Caller, e.VShard, e.Shard = []byte("tenant-with-a-rather-long-name-that-is-on-no-stack"), []byte("caller"), 17, 3
	x.Add(e)
	if n := testing.AllocsPerRun(1000, func() { x.Add(e) }); n != 0 {
		t.Errorf("%v allocations a record, want 0", n)
	}
}

// TestLateRecordLeavesOldReadersAlone: a pane that was read is not changed under its reader.
func TestLateRecordLeavesOldReadersAlone(t *testing.T) {
	x := NewExact(5)
	e := event(1, "k", One)
	e.VShard = 7
	x.Add(e)
	x.Slide(1)
	before := x.Window(1).Panes[0]
	e.VShard = 3
	x.Add(e)
	after := x.Window(1).Panes[0]
	if len(before.VShards) != 1 || len(after.VShards) != 2 || before.Version == after.Version || after.VShards[0].VShard != 3 {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func BenchmarkExactAdd(b *testing.B) {
	x := NewExact(30)
	events := make([]*Event, 4096)
	for i := range events {
		events[i] = event(0, fmt.Sprint("user:", i*i%1000, ":profile"), One)
		events[i].Tenant, events[i].VShard, events[i].Shard = fmt.Appendf(nil, "t%d", i%100), int32(i), int32(i%16)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		e := events[i%len(events)]
		e.Pane = int64(i / 10000)
		if x.Add(e); i%10000 == 9999 {
			x.Slide(e.Pane)
		}
		i++
	}
}
