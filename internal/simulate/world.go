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
	cfg      Config
	home     *routing.Table // the first one: stories are told on its shards
	clients  []*view        // what each client routes by
	tenants  *population
	homes    [][]int             // tenants of each shard at home
	share    []float64           // of the calm fleet's requests on each shard at home
	told     map[int64][]Scene   // by cycle
	names    [][]byte            // of the shards
	rate     []byte              // as it stands on a line
	values   map[string]*counted // of planted keys, by tenant and key
	counters Counters
}

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
		cfg: cfg, home: table, tenants: newPopulation(&cfg), told: map[int64][]Scene{}, clients: make([]*view, cfg.Clients),
		rate: strconv.AppendFloat(nil, 1/float64(cfg.Every), 'g', -1, 64), values: map[string]*counted{}, counters: Counters{Until: cfg.Start},
	}
	w.Route(table)
	w.share = w.clients[0].base
	w.homes = on(w.clients[0].owners, table.Shards())
	return w, nil
}

// Clients is how many there are.
func (w *World) Clients() int { return len(w.clients) }

// Route gives all clients a newer table of the same fleet: they use it from the next Step on.
func (w *World) Route(table *routing.Table) {
	for i := range w.clients {
		w.RouteClient(i, table)
	}
}

// RouteClient gives one client a newer table of the same fleet. Clients that are given the same one share what they make of it.
func (w *World) RouteClient(client int, table *routing.Table) {
	for _, v := range w.clients {
		if v != nil && v.table == table {
			w.clients[client] = v
			return
		}
	}
	w.clients[client] = w.newView(table, w.clients[client])
	for _, s := range table.Document().Shards[len(w.names):] {
		w.names = append(w.names, []byte(s.Name))
	}
}

// Table is what the first client routes by.
func (w *World) Table() *routing.Table { return w.clients[0].table }

// swell is how much busier than on average the whole fleet is at a time: a slow wave of 4 %.
func (w *World) swell(at time.Time) float64 {
	const period = 7 * time.Minute
	return 1 + 0.04*math.Sin(2*math.Pi*float64(at.Sub(w.cfg.Start)%period)/float64(period))
}

// Demand is what each shard is asked for at a time, requests/s, served or not. Salts of keys that are not planted are left
// out: such a key is too small to show.
func (w *World) Demand(at time.Time) []float64 {
	out := make([]float64, len(w.names))
	active := w.Active(at)
	part := 1 / float64(len(w.clients))
	scale := w.cfg.Rate * w.swell(at) * part
	for _, v := range w.clients {
		for i, share := range v.base {
			out[i] += share * scale
		}
		for i := range active {
			for shard, load := range v.extra(&active[i], len(w.clients)) {
				out[shard] += load * part
			}
		}
	}
	return out
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
		w.count(d.start, d.demand)
	}
	return out
}

// maxRoom is for how many lines room is made at once.
const maxRoom = 1 << 16
