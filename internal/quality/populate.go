package quality

import (
	"slices"
	"sort"
	"strconv"

	"firebreak/routing"
)

const (
	mostKeys    = 200_000 // of a fleet
	mostTenants = 40_000  // of a fleet placed by tenant
)

// populate draws the keys of the fleet that make up load requests/s together.
func (f *Fleet) populate(s source, load float64) {
	if f.byTenant() {
		f.populateTenants(s, load)
	} else {
		f.populateKeys(s, load)
	}
	for i := range f.Keys {
		k := &f.Keys[i]
		k.Reads, k.After = f.Reads, k.Before
	}
}

// byTenant says whether the placement hashes the tenant alone.
func (f *Fleet) byTenant() bool { return !f.Table.SeparatesKeys() }

// most draws the heaviest share of the fleet that one of n keys or tenants may have.
func (f *Fleet) most(s source, n int) float64 {
	cut := s.logBetween(leastCut, mostCut) / float64(f.Shards)
	if f.Kind == KindNatural {
		return 1
	}
	return max(cut, 1.5/float64(n))
}

// populateKeys draws keys that are placed one by one, 200 to 5,000 a shard; their tenants are drawn by weight.
func (f *Fleet) populateKeys(s source, load float64) {
	n := min(mostKeys, max(5_000, s.logInt(200, 5_000)*f.Shards))
	f.Tenants = numbered("tenant-", s.logInt(20, 2_000))
	heads := cumulated(zipf(len(f.Tenants), f.ZipfTenants, 1))
	names := numbered("key-", n)
	f.Keys = make([]Key, n)
	for i, w := range zipf(n, f.ZipfKeys, f.most(s, n)) {
		k := &f.Keys[i]
		k.Name, k.Before = names[i], w*load
		k.Tenant = int32(sort.SearchFloat64s(heads, s.Float64()))
		k.VShard = f.place(f.anyShard(s), f.Tenants[k.Tenant], k.Name)
	}
}

// populateTenants draws tenants that are placed whole, 30 to 300 a shard, of 1 to 10 keys each.
func (f *Fleet) populateTenants(s source, load float64) {
	n := min(mostTenants, max(400, s.logInt(30, 300)*f.Shards))
	each := min(s.logInt(1, 10), mostKeys/n)
	f.Tenants = numbered("tenant-", n)
	names := numbered("key-", each)
	keys := zipf(each, f.ZipfKeys, 1)
	f.Keys = make([]Key, 0, n*each)
	for i, w := range zipf(n, f.ZipfTenants, f.most(s, n)) {
		v := f.place(routing.NoShard, f.Tenants[i], "")
		for j := range keys {
			f.Keys = append(f.Keys, Key{Name: names[j], Tenant: int32(i), VShard: v, Before: w * keys[j] * load})
		}
	}
}

// anyShard is where the log says that a key lies; without meaning where the key is hashed.
func (f *Fleet) anyShard(s source) routing.ShardID { return routing.ShardID(s.IntN(f.Shards)) }

// numbered returns prefix0 to prefix(n-1) on one backing string.
func numbered(prefix string, n int) []string {
	var b []byte
	ends := make([]int, 0, n)
	for i := range n {
		b = strconv.AppendInt(append(b, prefix...), int64(i), 10)
		ends = append(ends, len(b))
	}
	all, from := string(b), 0
	out := make([]string, 0, n)
	for _, to := range ends {
		out = append(out, all[from:to])
		from = to
	}
	return out
}

// cumulated returns the running sums of weights, the last one exactly their sum or more, so that a search for a number
// below it always finds an index.
func cumulated(weights []float64) []float64 {
	out := slices.Clone(weights)
	for i := 1; i < len(out); i++ {
		out[i] += out[i-1]
	}
	if n := len(out); n > 0 {
		out[n-1] = max(out[n-1], 1)
	}
	return out
}
