package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"firebreak/policy"
	"firebreak/routing"
)

// TestLead: a report begins with what is still hot at its end, and says that the worst is over; the weekly text says the same. Without
// anything that is still hot it begins with the worst.
func TestLead(t *testing.T) {
	f := newFleet(t, 8, "tenant,key")
	minutes := func(from, to int, rate float64) func(int) float64 { return between(6*from, 6*to, rate) }
	f.sources = append(f.sources, source{"shop-7", "cart:42", 0, minutes(10, 20, 900)}, source{"mega", "feed", 0, minutes(25, 99, 500)})
	c := newChronicle(t, f).live(6 * 45)
	open := &Run{Fleets: []Fleet{c.week(0, 40)}}
	teller := newTeller(&open.Fleets[0], "f", fullLimits())
	if len(teller.ranked) != 2 || teller.ranked[0].resolved.IsZero() || !teller.ranked[1].resolved.IsZero() {
		t.Fatalf("%d hotspots: want the worst to be over, and the other not", len(teller.ranked))
	}
	hot, over := teller.ranked[1].told.Shard, teller.ranked[0].told.Shard
	var b bytes.Buffer
	if err := Markdown(&b, open); err != nil {
		t.Fatal(err)
	}
	text, _ := Headline(open)
	_, root := rendered(t, open)
	for form, said := range map[string]string{"weekly": text, "page": textOf(all(root, "main", "")[0]), "Markdown": b.String()} {
		said = strings.NewReplacer("`", "", `"`, "", "\u00a0", " ").Replace(said)
		for _, want := range []string{"2 shards were hot. One was hot to the end, " + hot + ": ", "The worst of all, " + over + ", is over."} {
			if !strings.Contains(said, want) {
				t.Errorf("%s does not say %q: %.600s", form, want, said)
			}
		}
	}
	for _, fact := range teller.facts() {
		if fact.Label == "What to do" && strings.Contains(fact.Text.String(), "it is over") {
			t.Errorf("with a hotspot open: %s", fact.Text)
		}
	}
	closed := c.week(0, 24)
	if h, rest := newTeller(&closed, "f", fullLimits()).lead(); h.told.Shard != over || len(rest) != 0 {
		t.Errorf("with nothing open it begins with %s", h.told.Shard)
	}
}

// TestLabelsOfFleets: in a report of several fleets no two landmarks have one label; a report of one names no fleet in them.
func TestLabelsOfFleets(t *testing.T) {
	c := busyWeek(t)
	week := func(name string) Fleet {
		f := c.week(60, 120)
		f.Summary.Fleet = name
		return f
	}
	for _, run := range []*Run{{Fleets: []Fleet{week("orders"), week("carts")}}, {Fleets: []Fleet{week("orders")}}} {
		_, root := rendered(t, run)
		count := map[string]int{}
		for n := range root.Descendants() {
			for _, a := range n.Attr {
				if a.Key == "aria-label" && (n.Data == "nav" || n.Data == "section" || n.Data == "div") {
					count[a.Val]++
				}
			}
		}
		for label, n := range count {
			if n != 1 || strings.Contains(label, "of fleet") != (len(run.Fleets) > 1 && label != "Fleets") {
				t.Errorf("%d fleets: label %q stands %d times", len(run.Fleets), label, n)
			}
		}
		if len(count) < 8 {
			t.Errorf("only %v", count)
		}
	}
}

// TestStillHot: what is open beside the hotspot that leads is named.
func TestStillHot(t *testing.T) {
	f := newFleet(t, 8, "tenant,key")
	f.sources = append(f.sources, source{"shop-7", "cart:42", 0, between(60, 999, 900)}, source{"mega", "feed", 0, between(60, 999, 900)})
	week := newChronicle(t, f).live(6*30).week(0, 28)
	teller := newTeller(&week, "f", fullLimits())
	_, rest := teller.lead()
	if len(rest) != 1 {
		t.Fatalf("%d others are open", len(rest))
	}
	for _, fact := range teller.facts() {
		if fact.Label == "Still hot, too" && strings.Contains(fact.Text.String(), rest[0].told.Shard) {
			return
		}
	}
	t.Errorf("not named: %v", teller.facts())
}

// TestShardsThatServe: a hot shard is one of those that serve, in a report of a log as in one of a week: spare shards and a tenant's own
// are none of them.
func TestShardsThatServe(t *testing.T) {
	hot := func() *fleet {
		f := newFleet(t, 16, "tenant,key")
		f.spare()
		f.sources = append(f.sources, source{"shop-7", "cart:42", 0, between(12, 400, 900)})
		return f
	}
	log, week := hot().run(60).of(), newChronicle(t, hot()).live(6*40).week(0, 40)
	for form, of := range map[string]Fleet{"log": log, "week": week} {
		teller := newTeller(&of, "f", fullLimits())
		if len(teller.ranked) == 0 {
			t.Fatalf("%s: nothing is hot", form)
		}
		h := teller.ranked[0]
		if where := teller.words(h).Where().String(); !strings.Contains(where, " of 16 shards in fleet orders") {
			t.Errorf("%s: %s", form, where)
		}
		h.told.Shard = "own-0"
		if n, aside := teller.serving(h); n != 16 || !aside {
			t.Errorf("%s: a tenant's own shard is one of %d that serve, beside them: %v", form, n, aside)
		}
	}
}

// TestToldAnewForItsLoad: a hotspot whose load has grown is told anew, and what stands of its plan and its holds is still known.
func TestToldAnewForItsLoad(t *testing.T) {
	f := newFleet(t, 8, "tenant,key")
	f.sources = append(f.sources, source{"mega", "feed", 0.9, func(pane int) float64 {
		if pane < 90 {
			return between(30, 90, 400)(pane)
		}
		return 600
	}})
	of := newChronicle(t, f).live(6*30).week(0, 30)
	h := newTeller(&of, "f", fullLimits()).ranked[0]
	if h.told.Load < 650 || h.told.Fix != policy.FixCache {
		t.Fatalf("told with %v, %s", h.told.Load, h.told.Fix)
	}
	if h.plan == nil || len(h.holds) == 0 {
		t.Errorf("plan %v, holds %v", h.plan, h.holds)
	}
}

// spare gives the fleet a shard that waits, and one of a tenant's own.
func (f *fleet) spare() {
	f.t.Helper()
	doc := *f.table.Document()
	doc.Shards = append(slices.Clone(doc.Shards), routing.Shard{Name: "spare-0", Role: routing.Spare}, routing.Shard{Name: "own-0", Role: routing.Dedicated})
	table, err := routing.NewTable(&doc)
	if err != nil {
		f.t.Fatal(err)
	}
	f.table = table
}
