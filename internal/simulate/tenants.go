package simulate

import (
	"math"
	"strconv"

	"firebreak/routing"
)

// population is the tenants: by rank, the heaviest first.
type population struct {
	weights []float64 // share of the calm fleet's requests; they sum to 1
	draw    alias
}

func newPopulation(cfg *Config) *population {
	p := &population{weights: capped(cfg.Tenants, cfg.Zipf, cfg.Most)}
	p.draw = newAlias(p.weights)
	return p
}

// capped returns n weights rank^-s that sum to 1 with none above most, which is at least 1/n. What the heaviest may not
// have goes to the others in proportion.
func capped(n int, s, most float64) []float64 {
	out := make([]float64, n)
	tail := 0.0
	for i := range out {
		out[i] = math.Pow(float64(i+1), -s)
		tail += out[i]
	}
	for head := range out {
		scale := (1 - float64(head)*most) / tail
		if out[head]*scale <= most {
			for i := range out {
				out[i] = min(most, out[i]*scale)
			}
			return out
		}
		tail -= out[head]
	}
	for i := range out { // nobody is below most
		out[i] = 1 / float64(n)
	}
	return out
}

// place looks up every tenant.
func (p *population) place(table *routing.Table) []routing.ShardID {
	owners := make([]routing.ShardID, len(p.weights))
	var name []byte
	for i := range owners {
		name = appendTenant(name[:0], i)
		owners[i] = table.Locate(name, nil).Shard
	}
	return owners
}

// loads is the share of the fleet's requests on each shard, from the tenants alone.
func (p *population) loads(owners []routing.ShardID, shards int) []float64 {
	out := make([]float64, shards)
	for i, w := range p.weights {
		out[owners[i]] += w
	}
	return out
}

// on lists the tenants of each shard by rank.
func on(owners []routing.ShardID, shards int) [][]int {
	out := make([][]int, shards)
	for i, s := range owners {
		out[s] = append(out[s], i)
	}
	return out
}

// appendTenant appends the name of a tenant: t-000017.
func appendTenant(b []byte, rank int) []byte {
	b = append(b, "t-"...)
	for digit := maxTenants / 10; digit > 0; digit /= 10 {
		b = append(b, byte('0'+rank/digit%10))
	}
	return b
}

// appendKey appends the name of a tenant's key: cart:17.
func appendKey(b []byte, n int) []byte {
	switch n % 4 {
	case 0:
		b = append(b, "cart:"...)
	case 1:
		b = append(b, "order:"...)
	case 2:
		b = append(b, "session:"...)
	default:
		b = append(b, "profile:"...)
	}
	return strconv.AppendInt(b, int64(n/4), 10)
}
