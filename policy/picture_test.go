package policy

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/routing"
)

// TestGauges: a gauge is the load of the shard by the function that judges it, in units of its line; stretches of panes
// add up to the whole.
func TestGauges(t *testing.T) {
	for name, capacity := range map[string]Capacity{"mean": {}, "capacity": {Total: 500}, "apart": {Reads: 300, Writes: 400}} {
		t.Run(name, func(t *testing.T) {
			f := newTestFleet(t, 8, "key", append(even(4000, 2000), stream{tenant: "a", key: "hot", rate: 900, reads: 0.2})...)
			f.cfg.Capacity = capacity
			for range 12 {
				f.tick()
			}
			s := f.snapshot()
			doc := s.Table.Document().Clone()
			doc.Tenants = append(doc.Tenants, routing.TenantPlacement{Tenant: "a", Shards: []routing.ShardID{0}})
			table, err := s.Table.With(doc)
			if err != nil {
				t.Fatal(err)
			}
			s.Table = table
			sums := shardSums(s, table)
			whole := Gauges(s, &f.cfg, 0, len(s.Panes))
			for i := range whole {
				var total, reads, writes float64
				for _, row := range sums {
					total, reads, writes = total+row[i].Load, reads+row[i].Reads, writes+row[i].Writes
				}
				seconds := float64(len(sums)) * s.Pane.Seconds()
				var want float64
				switch name {
				case "mean":
					var all float64
					for _, row := range sums {
						for j := range row {
							all += row[j].Load
						}
					}
					want = total / (f.cfg.Lines.Relative * all / 8)
				case "capacity":
					want = total / seconds / (f.cfg.Lines.Warning * 500)
				default:
					want = max(reads/300, writes/400) / seconds / f.cfg.Lines.Warning
				}
				if math.Abs(whole[i].Full-want) > 1e-9*want {
					t.Errorf("shard %d is %v of its line, want %v", i, whole[i].Full, want)
				}
				if !(whole[i].Err > 0 && whole[i].Err < whole[i].Full) {
					t.Errorf("shard %d has an error of %v", i, whole[i].Err)
				}
			}
			var parts float64
			for i := range s.Panes {
				parts += Gauges(s, &f.cfg, i, i+1)[0].Load / float64(len(s.Panes))
			}
			if name != "apart" && math.Abs(parts-whole[0].Load) > 1e-6*parts {
				t.Errorf("panes add up to %v, the whole is %v", parts, whole[0].Load)
			}
		})
	}
	if got := Gauges(&Snapshot{}, &Config{}, 0, 9); got != nil {
		t.Errorf("a snapshot without a table has gauges %v", got)
	}
}

// TestBehind: the picture behind a verdict is of the numbers that the verdict tells.
func TestBehind(t *testing.T) {
	f := newTestFleet(t, 8, "key", append(even(4000, 2000), stream{tenant: "a", key: "hot", rate: 900, reads: 0.2, from: 12})...)
	for range 30 {
		d := f.tick()
		if len(d.Verdicts) == 0 {
			continue
		}
		v := d.Verdicts[0]
		p := Behind(f.snapshot(), &f.cfg, &v, 5)
		if len(p.Keys) != 5 || len(p.Tenants) != 5 || len(p.Loads) != 8 {
			t.Fatalf("%d keys, %d tenants, %d loads", len(p.Keys), len(p.Tenants), len(p.Loads))
		}
		if diff := cmp.Diff(v.Contribute[0], p.Keys[0]); diff != "" {
			t.Errorf("the heaviest key is not the one that the verdict tells: %s", diff)
		}
		if p.Loads[v.ShardID] != v.Load {
			t.Errorf("the shard bears %v, the verdict says %v", p.Loads[v.ShardID], v.Load)
		}
		for i := 1; i < len(p.Keys); i++ {
			if p.Keys[i].Load > p.Keys[i-1].Load {
				t.Errorf("key %d is heavier than the one before", i)
			}
		}
		if got := Behind(&Snapshot{}, &f.cfg, &v, 5); got.Loads != nil {
			t.Errorf("a snapshot without a table has a picture %v", got)
		}
		return
	}
	t.Fatal("no verdict")
}

func TestShareOf(t *testing.T) {
	b := ShareOf([]Sums{{Load: 1000, Variance: 100_000}, {Load: 2000, Variance: 200_000}}, 10_000)
	if b.Value != 0.3 || b.Low > 0.23 || b.Low < 0.2 || b.High < 0.37 || b.High > 0.42 {
		t.Errorf("30 of 100 samples are %v", b)
	}
	if b := ShareOf(nil, 100); b != (Bounds{High: 1}) {
		t.Errorf("nothing is %v", b)
	}
}
