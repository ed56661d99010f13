package realogs

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"firebreak/routing"
)

const (
	shards   = 16
	lineMean = 1.5  // line and target, x the mean: no capacity is known
	quarter  = 0.25 // least part of what remains for a contributor that cools the shard
)

// placement is one of the placements of a row: what is hashed, with its salt.
type placement struct {
	by   string // key or tenant
	salt int    // 0 = none
}

// template is the placement bytes: the salt follows what is hashed.
func (p placement) template() string {
	if p.salt == 0 {
		return p.by
	}
	return "{" + p.by + "}~" + itoa(p.salt)
}

// document is the fleet's first document under p.
func (p placement) document(t *testing.T) *routing.Document {
	t.Helper()
	doc, err := routing.Adopt("slices", routing.Placement{Bytes: p.template(), Function: routing.XXH64, Map: routing.ModN},
		routing.NumberedShards(shards))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// thing is a key or a whole tenant as one shard bears it. Two tenants' keys are two keys where the tenant is placed.
type thing struct {
	key, tenant string // key empty: a tenant
	load        float64
}

// exact is a log counted exactly under a placement.
type exact struct {
	table *routing.Table
	by    string
	log   []request
	on    []int // shard of each request
	loads [shards]float64
	total float64
	whole float64 // sum of count^2, of all requests
}

func count(t *testing.T, p placement, log []request) *exact {
	t.Helper()
	table, err := routing.NewTable(p.document(t))
	if err != nil {
		t.Fatal(err)
	}
	e := &exact{table: table, by: p.by, log: log, on: make([]int, len(log))}
	for i, r := range log {
		s := int(table.Locate([]byte(r.tenant), []byte(r.key)).Shard)
		e.on[i] = s
		e.loads[s] += r.count
		e.total += r.count
		e.whole += r.count * r.count
	}
	return e
}

// line is also the target.
func (e *exact) line() float64 { return lineMean * e.total / shards }

// hottest is the shard with the most load.
func (e *exact) hottest() int {
	best := 0
	for s := range e.loads {
		if e.loads[s] > e.loads[best] {
			best = s
		}
	}
	return best
}

// certain says whether chance alone would put so much on a shard at the line less than once in 100 x 16 logs: the upper
// tail of a binomial over arrivals. A line with a count is one arrival of that weight; arrivals in clumps, as of a page
// with its pictures, are as many fewer as the shard's load scatters more from pane to pane than single ones would.
func (e *exact) certain(s int) bool {
	if e.loads[s] <= e.line() {
		return false
	}
	n := e.total * e.total / e.whole / e.clumping(s)
	return binomialTail(n, n*e.loads[s]/e.total, lineMean/shards) < 0.01/shards
}

// clumpPanes is the number of panes over which scatter is measured.
const clumpPanes = 24

// clumping is the index of dispersion of a shard's share over the panes of the log, at least 1: chi^2 against the shard's
// mean share, per degree of freedom.
func (e *exact) clumping(s int) float64 {
	first, last := bounds(e.log)
	var here, fleet [clumpPanes]float64
	for i, r := range e.log {
		pane := int((r.at - first) * clumpPanes / (last - first + 1))
		fleet[pane] += r.count
		if e.on[i] == s {
			here[pane] += r.count
		}
	}
	share, unit := e.loads[s]/e.total, e.whole/e.total
	var chi, panes float64
	for i, all := range fleet {
		if all > 0 {
			d := here[i] - share*all
			chi += d * d / (unit * share * (1 - share) * all)
			panes++
		}
	}
	if panes < 2 || share == 1 {
		return 1
	}
	return max(1, chi/(panes-1))
}

// binomialTail is P(X >= x) for X binomial(n, p), by summation; n and x are rounded to whole arrivals, x down.
func binomialTail(n, x, p float64) float64 {
	n, x = math.Round(n), math.Floor(x)
	lg := func(v float64) float64 { l, _ := math.Lgamma(v + 1); return l }
	var sum float64
	for k := x; k <= n; k++ {
		sum += math.Exp(lg(n) - lg(k) - lg(n-k) + k*math.Log(p) + (n-k)*math.Log1p(-p))
	}
	return sum
}

// things lists the keys and the tenants of a shard, the heaviest first.
func (e *exact) things(s int) (keys, tenants []thing) {
	k, t := map[thing]float64{}, map[thing]float64{}
	for i, r := range e.log {
		if e.on[i] != s {
			continue
		}
		id := thing{key: r.key}
		if e.by == "tenant" {
			id.tenant = r.tenant
		}
		k[id] += r.count
		t[thing{tenant: r.tenant}] += r.count
	}
	return ranked(k), ranked(t)
}

func ranked(loads map[thing]float64) []thing {
	var out []thing
	for id, load := range loads {
		id.load = load
		out = append(out, id)
	}
	slices.SortFunc(out, func(a, b thing) int {
		return cmp.Or(cmp.Compare(b.load, a.load), cmp.Compare(a.key, b.key), cmp.Compare(a.tenant, b.tenant))
	})
	return out
}
