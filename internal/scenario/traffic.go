package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"time"

	"firebreak/pipeline/record"
)

// arrival is a record on its way to its fleet. It is kept small: there are many.
type arrival struct {
	at    time.Duration // of its coming and in its line, since the start of the story
	from  *traffic
	cell  *cell
	count float64
	rate  float64 // 0 = the line says none
	fresh int     // number of a key that was never seen before
}

// traffic draws one stream's requests pane by pane.
type traffic struct {
	spec  *streamSpec
	cells []cell
	upTo  []float64 // running sum of the cells' weights
	drawn bool
	rng   *rand.Rand
	lines float64 // carry of the lines that lack a rate
	fresh int     // keys that were never seen before
	owner *fleet
}

// pane appends the stream's records of one pane.
func (t *traffic) pane(out []arrival, from, length time.Duration) []arrival {
	p := t.spec.shape.over(from, length)
	requests := t.spec.rate * p.seconds()
	if requests <= 0 {
		return out
	}
	// Where every request is logged one record stands for all of a pane that look alike: only their sum matters.
	if t.spec.sample == 0 && t.spec.clump == 1 && !t.spec.fresh {
		for i := range t.cells {
			if n := t.count(&t.cells[i], requests*t.cells[i].weight); n > 0 {
				out = append(out, t.arrival(&t.cells[i], from+p.at(t.cells[i].carry, length), n))
			}
		}
		return out
	}
	lines := requests / float64(t.spec.clump)
	if t.spec.sample > 0 {
		lines *= t.spec.sample
	}
	if t.drawn {
		return t.lots(out, lines*t.upTo[len(t.upTo)-1], from, length, &p)
	}
	for i := range t.cells {
		c := &t.cells[i]
		n := t.count(c, lines*c.weight)
		for k := range int(n) {
			out = t.clump(out, c, from+p.at((float64(k)+0.5)/n, length))
		}
	}
	return out
}

// lots draws lines one by one: their number, then whose each is.
func (t *traffic) lots(out []arrival, mean float64, from, length time.Duration, p *profile) []arrival {
	for range int(poisson(t.rng, mean)) {
		at := sort.SearchFloat64s(t.upTo, t.rng.Float64()*t.upTo[len(t.upTo)-1])
		out = t.clump(out, &t.cells[min(at, len(t.cells)-1)], from+p.at(t.rng.Float64(), length))
	}
	return out
}

// clump appends the lines of one arrival.
func (t *traffic) clump(out []arrival, c *cell, at time.Duration) []arrival {
	for range t.spec.clump {
		out = append(out, t.arrival(c, at, 1))
	}
	return out
}

// count is how many of the expected come: drawn, or rounded with what was left over carried on.
func (t *traffic) count(c *cell, expected float64) float64 {
	if t.drawn {
		return poisson(t.rng, expected)
	}
	n := math.Floor(expected + c.carry)
	c.carry += expected - n
	return n
}

func (t *traffic) arrival(c *cell, at time.Duration, count float64) arrival {
	a := arrival{at: at, from: t, cell: c, count: count, rate: t.spec.sample}
	if t.lines += t.spec.unrated; t.lines >= 1 {
		t.lines--
		a.rate = 0
	}
	if t.spec.fresh {
		t.fresh++
		a.fresh = t.fresh
	}
	return a
}

// record writes out what came.
func (a *arrival) record(rec *record.Record) {
	c, t := a.cell, a.from
	*rec = record.Record{
		Time: start().Add(a.at).UnixNano(), Tenant: c.tenant, Key: c.key, FullTenant: c.tenant, FullKey: c.key,
		Shard: c.shard, Caller: c.caller, Op: c.op, Count: a.count, Rate: a.rate,
	}
	if a.fresh > 0 {
		rec.Key = fmt.Appendf(nil, "%s-%09d", t.spec.name, a.fresh)
		rec.FullKey = rec.Key
		if t.spec.tenant == "" {
			rec.Tenant, rec.FullTenant = rec.Key, rec.Key
		}
	}
	strip(rec, t.owner.setup.without)
}

// strip leaves out what a log does not have.
func strip(r *record.Record, without []string) {
	for _, member := range without {
		switch member {
		case "tenant":
			r.Tenant, r.FullTenant = nil, nil
		case "key":
			r.Key, r.FullKey = nil, nil
		case "op":
			r.Op = record.OpUnknown
		case "time":
			r.Time = record.NoTime
		}
	}
}

// poisson draws a count with the given mean: by its definition up to 30, by the rounded normal distribution above, whose
// error is far below what a story can tell.
func poisson(r *rand.Rand, mean float64) float64 {
	if mean > 30 {
		return math.Max(0, math.Round(mean+math.Sqrt(mean)*r.NormFloat64()))
	}
	n, p, limit := 0.0, r.Float64(), math.Exp(-mean)
	for p > limit {
		n++
		p *= r.Float64()
	}
	return n
}
