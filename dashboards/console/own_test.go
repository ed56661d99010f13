package console

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"firebreak/internal/words"
	"firebreak/routing"
)

// TestOwnShard: the hottest shard under an isolation is of those that serve, and the page says so; what the tenant's own shard then bears
// stands beside it, the same number as in the loads of all shards.
func TestOwnShard(t *testing.T) {
	f := watch(t, 16, "tenant")
	for i := range 50 {
		f.sources = append(f.sources, source{"acme", fmt.Sprint("order:", i), 0.5, between(12, 40, 20)})
	}
	f.looked(nil).run(30)
	h := served(t, f.model, &oracle{})
	full := read[hotspotAnswer](t, h, "/api/v1/hotspots/"+f.hot())
	if full.Cause != "whale_tenant" || full.Fix != "isolate" {
		t.Fatalf("%s, %s", full.Cause, full.Fix)
	}
	page := textOf(t, get(t, h, "/fleets/orders/hotspots/"+f.hot()).Body.String())
	for i := range full.Verdict.Projections {
		p := &full.Verdict.Projections[i]
		of := slices.IndexFunc(full.Loads, func(l lineNumbers) bool { return l.Fix == p.Fix })
		own := 0.0
		if of >= 0 {
			for id, load := range full.Loads[of].Loads {
				if p.Fix == "isolate" && id >= 16 {
					own = max(own, float64(load))
				}
			}
		}
		if math.Abs(own-float64(p.Own)) > 1e-6*own || (p.Fix == "isolate") != (p.Own > 0) {
			t.Errorf("%s: its own shard %v, by the loads %v", p.Fix, p.Own, own)
		}
	}
	if want := "of the shards that serve; its own shard bears " + words.Rate(1000); !strings.Contains(page, want) {
		t.Errorf("the page does not say %q", want)
	}
}

// TestQuotaIsLifted: the quota that comes before a shard of its own is lifted by hand, which no step of the plan does: it is the last of
// the steps that a person reads, and the plan of the API has it not.
func TestQuotaIsLifted(t *testing.T) {
	f := watch(t, 16, "tenant")
	for i := range 50 {
		f.sources = append(f.sources, source{"acme", fmt.Sprint("order:", i), 0.5, between(12, 40, 20)})
	}
	f.looked(nil).run(30)
	h := served(t, f.model, &oracle{})
	full := read[hotspotAnswer](t, h, "/api/v1/hotspots/"+f.hot())
	page := textOf(t, get(t, h, "/fleets/orders/hotspots/"+f.hot()).Body.String())
	if len(full.Plan.Steps) != 2 || full.Plan.Steps[0].Kind != "quota" || full.Plan.Steps[1].Kind != "place_tenant" {
		t.Fatalf("steps: %+v", full.Plan.Steps)
	}
	place, lift := strings.Index(page, "Place tenant acme on "), strings.Index(page, "Lift the quota of tenant acme by hand, once its shard bears it")
	if place < 0 || lift < place {
		t.Errorf("the page has the place at %d, the lifting at %d", place, lift)
	}
}

// TestShardsThatServe: a hot shard is one of those that serve: spare shards and a tenant's own are none of them.
func TestShardsThatServe(t *testing.T) {
	f := hotKey(t)
	f.spare()
	f.looked(nil).run(30)
	page := textOf(t, get(t, served(t, f.model, &oracle{}), "/fleets/orders/hotspots/"+f.hot()).Body.String())
	for _, want := range []string{" of 16 shards in fleet orders", "an error of less than 1 in 1,600"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	hot := f.model.fleets[0].order[0]
	hot.verdict.Shard = "own-0"
	if told := f.model.fleets[0].told(hot); told.Shards != 16 || !told.Aside {
		t.Errorf("a tenant's own shard is one of %d that serve, beside them: %v", told.Shards, told.Aside)
	}
}

// spare gives the fleet a shard that waits, and one of a tenant's own.
func (f *watched) spare() {
	f.t.Helper()
	doc := *f.table.Document()
	doc.Shards = append(slices.Clone(doc.Shards), routing.Shard{Name: "spare-0", Role: routing.Spare}, routing.Shard{Name: "own-0", Role: routing.Dedicated})
	table, err := routing.NewTable(&doc)
	if err != nil {
		f.t.Fatal(err)
	}
	f.table = table
}
