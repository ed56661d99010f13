package pipeline

import (
	"fmt"
	"testing"
	"time"

	"firebreak/routing"
)

// TestDisagreePlaced: a log agrees with its table also where a tenant is placed and the map alone says something else.
func TestDisagreePlaced(t *testing.T) {
	f := newTestFleet(t, func(c *Config) {
		c.Document = c.Document.Clone()
		c.Document.Tenants = []routing.TenantPlacement{{Tenant: "whale", Shards: []routing.ShardID{3}}}
	})
	moved := 0
	for n := range 1000 {
		r := at(time.Duration(n)*10*time.Millisecond, "whale", fmt.Sprint("k", n%50))
		if f.Table().Owner(f.Table().VShard(r.Tenant, r.Key)) != 3 {
			moved++
		}
		f.Observe(0, onShard(r, "shard-3"))
	}
	if got := finished(t, f).Inputs.Disagree; got != 0 || moved == 0 {
		t.Errorf("disagree = %v, want 0; %d records lie elsewhere than by the map", got, moved)
	}
}
