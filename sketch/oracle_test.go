package sketch

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// oracle counts everything and forgets nothing: what sketches are held against.
type oracle struct {
	keys, tenants map[string]map[int64]uint64
	pairs         map[string]map[int64]uint64 // tenant and shard
	newest, long  int64
}

func newOracle(panes int, newest int64) *oracle {
	return &oracle{
		keys: map[string]map[int64]uint64{}, tenants: map[string]map[int64]uint64{}, pairs: map[string]map[int64]uint64{},
		newest: newest, long: int64(panes),
	}
}

func (o *oracle) add(e *Event) {
	if e.Pane <= o.newest-o.long {
		return
	}
	count(o.keys, string(e.Key), e.Pane, e.Sums.Cost)
	count(o.tenants, string(e.Tenant), e.Pane, e.Sums.Cost)
	if e.Shard >= 0 && len(e.Tenant) > 0 {
		count(o.pairs, fmt.Sprint(string(e.Tenant), "@", e.Shard), e.Pane, e.Sums.Cost)
	}
}

func count(m map[string]map[int64]uint64, name string, pane int64, cost uint64) {
	if name == "" {
		return
	}
	if m[name] == nil {
		m[name] = map[int64]uint64{}
	}
	m[name][pane] = plus(m[name][pane], cost)
}

// window is what a name has in complete panes.
func (o *oracle) window(panes map[int64]uint64) (sum uint64) {
	for pane, v := range panes {
		if pane <= o.newest && pane > o.newest-o.long {
			sum = plus(sum, v)
		}
	}
	return sum
}

// check holds every answer of a window against the truth: asked for one by one, and listed.
func (o *oracle) check(t fataler, s *Sliding) {
	t.Helper()
	for name, panes := range o.keys {
		o.within(t, "key "+name, panes, s.Ask, name)
	}
	for name, panes := range o.tenants {
		o.within(t, "tenant "+name, panes, s.AskTenant, name)
	}
	w := s.Window(1000)
	o.listed(t, "key", w.Keys, func(l *Listed) map[int64]uint64 { return o.keys[l.Name] })
	o.listed(t, "tenant", w.Tenants, func(l *Listed) map[int64]uint64 { return o.tenants[l.Name] })
	o.listed(t, "pair", w.Pairs, func(l *Listed) map[int64]uint64 { return o.pairs[fmt.Sprint(l.Name, "@", l.Shard)] })
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func (o *oracle) within(t fataler, what string, panes map[int64]uint64, ask func([]byte) (uint64, uint64, uint64), name string) {
	t.Helper()
	truth := o.window(panes)
	if estimate, low, high := ask([]byte(name)); low > truth || truth > high || estimate < low || estimate > high {
		t.Fatalf("%s has %d, answer %d in %d to %d", what, truth, estimate, low, high)
	}
}

func (o *oracle) listed(t fataler, what string, list []Listed, panes func(*Listed) map[int64]uint64) {
	t.Helper()
	seen := map[string]bool{}
	for i := range list {
		l := &list[i]
		truth := o.window(panes(l))
		id := fmt.Sprint(l.Name, "@", l.Shard)
		switch {
		case l.Low > truth || truth > l.High || l.weight < l.Low || l.weight > l.High:
			t.Fatalf("%s %s has %d, listed with %d in %d to %d", what, id, truth, l.weight, l.Low, l.High)
		case seen[id]:
			t.Fatalf("%s %s is listed twice", what, id)
		case i > 0 && list[i-1].weight < l.weight:
			t.Fatalf("%s %s is heavier than the one before", what, id)
		case total(l.Cells) > l.weight:
			t.Fatalf("%s %s weighs %d, its cells %d", what, id, l.weight, total(l.Cells))
		case l.TenantShare > 1 || l.CallerShare > 1:
			t.Fatalf("%s %s: shares %v and %v", what, id, l.TenantShare, l.CallerShare)
		}
		seen[id] = true
	}
}

// tiny is a window so small that everything in it is evicted, shed and purged all the time.
func tiny(t *rapid.T) Config {
	pick := func(label string, of ...int) int { return rapid.SampledFrom(of).Draw(t, label) }
	return Config{
		Panes: pick("panes", 3, 4, 6), Ahead: 8, Open: pick("open", 1, 2, 3), Shards: 2, VShards: 4, Seed: rapid.Uint64().Draw(t, "seed"),
		Listed: pick("listed", 1, 2, 5, 16), Slots: pick("slots", 8, 16, 64), Width: pick("width", 16, 32, 64),
		TenantSlots: pick("tenant slots", 8, 16), CallerSlots: pick("caller slots", 0, 8), TenantWidth: 16, PairSlots: pick("pair slots", 0, 8), Spread: pick("spread", 0, 2),
	}
}

// drawKeyed draws an event of one of a few hundred keys, some of them long.
func drawKeyed(t *rapid.T, newest int64) *Event {
	i := rapid.IntRange(0, 300).Draw(t, "key")
	if rapid.Bool().Draw(t, "heavy") {
		i %= 7
	}
	e := &Event{
		Pane: newest + rapid.Int64Range(-4, 3).Draw(t, "pane"), Key: fmt.Appendf(nil, "k%d", i),
		Tenant: fmt.Appendf(nil, "t%d", i%13), VShard: int32(i % 6), Shard: int32(i % 3),
	}
	if i%29 == 0 {
		e.Key = append(e.Key, make([]byte, 70)...)
	}
	if rapid.IntRange(0, 3).Draw(t, "caller") == 0 {
		e.Caller = fmt.Appendf(nil, "c%d", rapid.IntRange(0, 5).Draw(t, "who"))
	}
	if rapid.IntRange(0, 5).Draw(t, "other tenant") == 0 {
		e.Tenant = []byte("t-other")
	}
	cost := rapid.Uint64Range(0, 2000).Draw(t, "cost")
	e.Sums = Sums{Requests: cost, Cost: cost, Variance: cost, Records: One, Reads: cost / 2, Writes: cost - cost/2}
	return e
}

// TestBoundsHold: low <= truth <= high for every key, tenant and pair, listed or not, after any records in any panes, slides,
// Parts of other counters, by memory or over the wire, and whatever had to be left out.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := tiny(t)
		s, err := NewSliding(cfg)
		if err != nil {
			t.Fatal(err)
		}
		o := newOracle(cfg.Panes, 100)
		s.Slide(100)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				o.newest += rapid.SampledFrom([]int64{1, 1, 1, 2, 8}).Draw(t, "slide")
				s.Slide(o.newest)
			case 1:
				acceptOther(t, s, o, cfg)
			default:
				for range rapid.IntRange(1, 60).Draw(t, "burst") {
					e := drawKeyed(t, o.newest)
					s.Add(e)
					o.add(e)
				}
			}
			o.check(t, s)
		}
		if s.Refused() > 0 {
			t.Fatalf("%d events refused", s.Refused())
		}
	})
}

// acceptOther lets another counter count a pane, and takes its Part.
func acceptOther(t *rapid.T, s *Sliding, o *oracle, cfg Config) {
	other := NewSummary(cfg)
	pane := o.newest + rapid.Int64Range(-4, 3).Draw(t, "pane of part")
	for range rapid.IntRange(0, 80).Draw(t, "records") {
		e := drawKeyed(t, o.newest)
		e.Pane = pane
		other.Add(e)
		o.add(e)
	}
	var p Part
	other.Part(&p)
	if rapid.Bool().Draw(t, "wire") {
		limit := rapid.SampledFrom([]int{MaxPart, 16_000, 14_000}).Draw(t, "limit")
		data, err := p.Append(nil, limit)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > limit {
			t.Fatalf("%d bytes, limit %d", len(data), limit)
		}
		p = Part{}
		if err := p.Decode(data, cfg.Seed); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Accept(pane, &p); err != nil {
		t.Fatal(err)
	}
}
