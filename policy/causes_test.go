package policy

import (
	"fmt"
	"os"
	"testing"
)

// on lists n distinct keys that the table puts on the shard.
func (f *testFleet) on(shard int, n int, tenant, prefix string) []string {
	var out []string
	for i := 0; len(out) < n; i++ {
		key := fmt.Sprintf("%s%d", prefix, i)
		if int(f.table.Owner(f.table.VShard([]byte(tenant), []byte(key)))) == shard {
			out = append(out, key)
		}
	}
	return out
}

// many spreads rate over n keys of a tenant on one shard.
func (f *testFleet) many(shard, n int, tenant string, rate, reads float64, from int) []stream {
	var out []stream
	for _, key := range f.on(shard, n, tenant, tenant+"-") {
		out = append(out, stream{tenant: tenant, key: key, rate: rate / float64(n), reads: reads, from: from})
	}
	return out
}

// volume spreads rate over n keys of n tenants on one shard.
func (f *testFleet) volume(shard, n int, rate, reads float64, from int) []stream {
	out := f.many(shard, n, "", rate, reads, from)
	for i := range out {
		out[i].tenant = fmt.Sprintf("v%d", i)
	}
	return out
}

func show(f *testFleet, vs []Verdict, last Decision) {
	if os.Getenv("SHOW") == "" {
		return
	}
	for _, v := range vs {
		fmt.Printf("%v %s %s cause=%s key=%s tenant=%s fix=%s load=%.0f mean=%.0f T=%.0f\n  %s\n", v.To.Sub(f.start), v.Phase, v.Shard, v.Cause, v.Key, v.Tenant, v.Fix, v.Load, v.Mean, v.Target, v.Reason)
		for _, p := range v.Projected {
			fmt.Printf("   %-12s feasible=%v hottest=%.0f shard=%.0f imb=%.2f salt=%d readx=%.2f moved=%.3f  %s\n", p.Fix, p.Feasible, p.Hottest, p.Shard, p.Imbalance, p.Salt, p.ReadMultiplier, p.MovedShare, p.Why)
		}
	}
	for _, p := range last.Plans {
		for _, s := range p.Steps {
			fmt.Println("plan", p.ID, p.Fix, s.Text)
		}
	}
	for _, h := range last.Holds {
		fmt.Println("hold", h.Reason, h.Detail)
	}
	for _, h := range last.Advice {
		fmt.Println("advice", h)
	}
	for _, h := range last.Findings {
		fmt.Println("finding", h)
	}
}

// TestCauses: one clear fleet of 16 shards at 100,000/s for each cause and fix.
func TestCauses(t *testing.T) {
	const onset = 12
	base := even(1000, 88000)
	tests := []struct {
		name  string
		bytes string
		make  func(f *testFleet) []stream
		setup func(f *testFleet)
		want  Answer
	}{
		{"written key", "key", func(*testFleet) []stream {
			return []stream{{tenant: "acme", key: "K", rate: 12000, from: onset}}
		}, nil, Answer{CauseHotKey, "K", "acme", FixSalt}},
		{"read key", "key", func(*testFleet) []stream {
			return []stream{{tenant: "acme", key: "K", rate: 12000, reads: 0.9, from: onset}}
		}, nil, Answer{CauseHotKey, "K", "acme", FixCache}},
		{"mixed key, 40 % reads", "key", func(*testFleet) []stream {
			return []stream{{tenant: "acme", key: "K", rate: 30000, reads: 0.4, from: onset}}
		}, nil, Answer{CauseHotKey, "K", "acme", FixSalt}},
		{"whale", "tenant", func(*testFleet) []stream { return nil }, func(f *testFleet) {
			for i := range 100 {
				f.streams = append(f.streams, stream{tenant: "acme", key: fmt.Sprintf("a%d", i), rate: 120, reads: 0.5, from: onset})
			}
		}, Answer{CauseWhaleTenant, "", "acme", FixIsolate}},
		{"volume", "key", func(f *testFleet) []stream { return f.volume(3, 400, 8000, 0.5, onset) }, nil, Answer{CauseVolume, "", "", FixSplit}},
		{"key under T", "key", func(*testFleet) []stream {
			return []stream{{tenant: "acme", key: "K", rate: 6000, reads: 0, from: onset}}
		}, nil, Answer{CauseHotKey, "K", "acme", FixSplit}},
		{"one caller", "key", func(*testFleet) []stream {
			return []stream{{tenant: "acme", key: "K", rate: 12000, from: onset, caller: "batch-7", callers: 0.9}}
		}, nil, Answer{CauseHotKey, "K", "acme", FixLimitCaller}},
		{"two keys on one shard", "key", func(f *testFleet) []stream {
			k := f.on(2, 2, "acme", "K")
			return []stream{{tenant: "acme", key: k[0], rate: 12000, from: onset}, {tenant: "acme", key: k[1], rate: 14000, from: onset}}
		}, nil, Answer{CauseHotKey, "?", "acme", FixSalt}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newTestFleet(t, 16, test.bytes, base...)
			f.streams = append(f.streams, test.make(f)...)
			if test.setup != nil {
				test.setup(f)
			}
			vs, last := f.run(40)
			show(f, vs, last)
			if len(vs) != 1 {
				t.Fatalf("%d verdict lines, want 1: %+v", len(vs), vs)
			}
			got := Answer{vs[0].Cause, vs[0].Key, vs[0].Tenant, vs[0].Fix}
			if test.want.Key == "?" {
				test.want.Key = got.Key
			}
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
