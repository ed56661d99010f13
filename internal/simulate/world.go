package simulate

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"firebreak/routing"
)

// World is the fleet, its clients and its log. New makes it.
type World struct {
	cfg     Config
	home    *routing.Table // the first one: stories are told on its shards
	table   *routing.Table // what clients route by now
	tenants *population
	homes   [][]int           // tenants of each shard at home
	share   []float64         // of the calm fleet's requests on each shard at home
	base    []float64         // the same under the table in force
	told    map[int64][]Scene // by cycle
	load    map[string]extra  // what a scene adds to each shard, by its key; of the table in force
	shards  [][]byte          // names
	rate    []byte            // as it stands on a line
	pieces  []routing.Piece   // of the salted key at hand
}

// extra is what a scene adds to each shard, requests/s.
type extra []float64

// slice is the grain of virtual time: what is drawn of one slice depends on nothing that was drawn before.
const slice = 250 * time.Millisecond

// New makes a world whose clients route by a table that places by tenant. Errors name the field.
func New(cfg Config, table *routing.Table) (*World, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	p := table.Document().Placement
	if !p.HasTenant() || p.HasKey() || p.Map == routing.Explicit {
		return nil, fmt.Errorf("simulate: table: placement by %q: want by tenant", p.Bytes)
	}
	w := &World{
		cfg: cfg, home: table, tenants: newPopulation(&cfg), told: map[int64][]Scene{},
		rate: strconv.AppendFloat(nil, 1/float64(cfg.Every), 'g', -1, 64),
	}
	w.Route(table)
	w.share = w.base
	for i := range table.Shards() {
		w.homes = append(w.homes, w.tenants.on(routing.ShardID(i)))
	}
	return w, nil
}

// Route gives the clients a newer table of the same fleet: all of them use it from the next Step on.
func (w *World) Route(table *routing.Table) {
	w.table, w.load = table, map[string]extra{}
	w.tenants.place(table)
	w.base = w.tenants.loads(table.Shards())
	w.shards = w.shards[:0]
	for _, s := range table.Document().Shards {
		w.shards = append(w.shards, []byte(s.Name))
	}
}

// Table is what the clients route by.
func (w *World) Table() *routing.Table { return w.table }

// swell is how much busier than on average the whole fleet is at a time: a slow wave of 4 %.
func (w *World) swell(at time.Time) float64 {
	const period = 7 * time.Minute
	return 1 + 0.04*math.Sin(2*math.Pi*float64(at.Sub(w.cfg.Start)%period)/float64(period))
}

// Demand is what each shard is asked for at a time, requests/s, served or not. Salts of keys that are not planted are left
// out: such a key is too small to show.
func (w *World) Demand(at time.Time) []float64 {
	out := make([]float64, len(w.base))
	scale := w.cfg.Rate * w.swell(at)
	for i, share := range w.base {
		out[i] = share * scale
	}
	if s := w.Truth(at); s.Rate > 0 {
		for i, load := range w.extra(&s) {
			out[i] += load
		}
	}
	return out
}

// extra places what a scene adds, by the table in force.
func (w *World) extra(s *Scene) extra {
	name := s.From.Format(time.RFC3339)
	if e, known := w.load[name]; known {
		return e
	}
	e := make(extra, len(w.base))
	switch {
	case s.Key != "":
		w.pieces = w.table.Pieces([]byte(s.Tenant), []byte(s.Key), w.pieces[:0])
		read, write := len(w.pieces), len(w.pieces)
		if salt, salted := w.table.Salt([]byte(s.Tenant), []byte(s.Key)); salted {
			read, write = salt.Read, salt.Write
		}
		for i, p := range w.pieces {
			if i < read {
				e[p.Shard] += s.Rate * hotKeyReads
			}
			if i < write {
				e[p.Shard] += s.Rate * (1 - hotKeyReads) / float64(write)
			}
		}
	case s.Tenant != "":
		e[w.tenants.owners[s.tenant]] = s.Rate
	default:
		var sum float64
		for _, t := range s.busy {
			sum += w.tenants.weights[t]
		}
		for _, t := range s.busy {
			e[w.tenants.owners[t]] += s.Rate * w.tenants.weights[t] / sum
		}
	}
	w.load[name] = e
	return e
}

// Step writes the log of the slices that start in [from, to), in order of time. The lines are the caller's.
func (w *World) Step(from, to time.Time) []Line {
	since := func(t time.Time) int64 { return int64((t.Sub(w.cfg.Start) + slice - 1) / slice) }
	d := drawing{w: w}
	var out []Line
	for i, end := max(0, since(from)), since(to); i < end; i++ {
		d.begin(i)
		if out == nil {
			// Room for nearly every step; more is made where one is fuller.
			logged := d.logged * float64(end-i)
			room := min(maxRoom, int(logged+5*math.Sqrt(logged))+16)
			out, d.buf = make([]Line, 0, room), make([]byte, 0, room*lineSize)
		}
		out = d.slice(out)
	}
	return out
}

// maxRoom is for how many lines room is made at once.
const maxRoom = 1 << 16
