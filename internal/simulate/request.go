package simulate

import (
	"math"
	"math/rand/v2"
	"time"

	"firebreak/routing"
)

// Line is one line of the request log.
type Line struct {
	Partition int
	Time      time.Time // that the line carries, cut to milliseconds there
	Value     []byte    // JSON, without a line end
}

// lineSize is how long a line is, at most: no name is longer than the samples of its test.
const lineSize = 288

// drawing draws the lines of a step, slice by slice.
type drawing struct {
	w       *World
	r       *rand.Rand
	active  []Scene
	demand  []float64 // of each shard, requests/s
	calm    float64   // requests/s of the fleet without what is planted
	planted float64   // and of that, before clients keep any back
	logged  float64   // expected in the slice, if they kept none back
	pieces  []routing.Piece
	start   time.Time // of the slice
	at      time.Time // of the request
	buf     []byte    // the lines share it
	tenant  [16]byte
	name    [32]byte
	piece   [48]byte
}

// begin turns to slice i. What is drawn of it depends on nothing that was drawn before.
func (d *drawing) begin(i int64) {
	w := d.w
	d.start = w.cfg.Start.Add(time.Duration(i) * slice)
	d.r = rand.New(rand.NewPCG(w.cfg.Seed, uint64(i)<<1))
	d.active, d.demand, d.calm, d.planted = w.Active(d.start), w.Demand(d.start), w.cfg.Rate*w.swell(d.start), 0
	for i := range d.active {
		d.planted += d.active[i].Rate
	}
	d.logged = (d.calm + d.planted) / float64(w.cfg.Every) * slice.Seconds()
}

// slice appends the lines of the slice: requests come one by one, independently of each other.
func (d *drawing) slice(out []Line) []Line {
	for at := d.r.ExpFloat64() / d.logged; at < 1; at += d.r.ExpFloat64() / d.logged {
		d.at = d.start.Add(time.Duration(at * float64(slice)))
		out = d.request(out)
	}
	return out
}

// request draws one logged request and appends what the shards wrote of it.
func (d *drawing) request(out []Line) []Line {
	rank, reads := 0, calmReads
	key := d.name[:0]
	scene := d.drawn()
	switch {
	case scene == nil:
		rank = d.w.tenants.draw.draw(d.r)
	case scene.busy != nil:
		rank = scene.busy[scene.draw.draw(d.r)]
	default:
		rank = scene.tenant
		key, reads = append(key, scene.Key...), scene.Reads
	}
	if len(key) == 0 {
		// A mild skew: of 256 keys the first has 2.5 %.
		u := d.r.Float64()
		key = appendKey(key, int(float64(d.w.cfg.Keys)*u*math.Sqrt(u)))
	}
	line := entry{tenant: appendTenant(d.tenant[:0], rank), key: key, read: d.r.Float64() < reads, bits: d.r.Uint64(), id: d.r.Uint32()}
	v := d.w.clients[line.bits>>8%uint64(len(d.w.clients))]
	if scene != nil && scene.Tenant != "" && d.keptBack(v, scene, line.read) {
		return out
	}
	if len(v.table.Document().Salts) > 0 {
		if salt, salted := v.table.Salt(line.tenant, key); salted {
			return d.salted(out, v, &line, salt)
		}
	}
	if scene != nil && scene.Key != "" && !line.read {
		d.w.key(scene.Tenant, scene.Key).add(0, 0)
	}
	line.shard = v.owners[rank]
	return d.serve(out, &line)
}

// drawn is the scene that a request belongs to; nil = the calm fleet.
func (d *drawing) drawn() *Scene {
	at := d.r.Float64()*(d.calm+d.planted) - d.calm
	if at < 0 || len(d.active) == 0 {
		return nil
	}
	for i := range d.active {
		if at -= d.active[i].Rate; at < 0 {
			return &d.active[i]
		}
	}
	return &d.active[len(d.active)-1]
}

// keptBack says whether the client's quota refuses the request, or its cache answers it.
func (d *drawing) keptBack(v *view, s *Scene, read bool) bool {
	pass := v.admits(s)
	if read {
		pass *= v.misses(s, len(d.w.clients))
	}
	return pass < 1 && d.r.Float64() >= pass
}

// salted sends a write to one piece and a read to all, as clients of a salted key do.
func (d *drawing) salted(out []Line, v *view, line *entry, salt *routing.Salt) []Line {
	logical := line.key
	first, last := 0, salt.Read
	if !line.read {
		first = d.r.IntN(salt.Write)
		last = first + 1
	}
	d.pieces = v.table.Pieces(line.tenant, logical, d.pieces[:0])
	for i := first; i < last; i++ {
		p := d.pieces[i]
		line.key, line.shard = logical, p.Shard
		if i > 0 {
			line.key = v.table.AppendPieceKey(d.piece[:0], logical, p.Suffix)
		}
		if !line.read {
			d.w.key(string(line.tenant), string(logical)).add(p.Index, p.Suffix)
		}
		out = d.serve(out, line)
	}
	return out
}

// serve is what a shard does with a request: it answers, the more slowly the fuller it is, or refuses what it cannot
// serve. Either is logged.
func (d *drawing) serve(out []Line, line *entry) []Line {
	full := d.demand[line.shard] / d.w.capacity(int(line.shard))
	line.status, line.micros = 200, int((300+500*d.r.ExpFloat64())/(1-min(full, 0.97)))
	if full > 1 && d.r.Float64() >= 1/full {
		line.status, line.micros = 429, 120
	}
	begin := len(d.buf)
	d.buf = d.write(d.buf, line)
	return append(out, Line{
		Partition: int(line.bits % uint64(d.w.cfg.Partitions)), Time: d.at, Value: d.buf[begin:len(d.buf):len(d.buf)],
	})
}
