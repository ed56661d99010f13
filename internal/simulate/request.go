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
	w      *World
	r      *rand.Rand
	scene  Scene
	demand []float64 // of each shard, requests/s
	calm   float64   // requests/s of the fleet without the scene
	logged float64   // expected in the slice
	start  time.Time // of the slice
	at     time.Time // of the request
	buf    []byte    // the lines share it
	tenant [16]byte
	name   [32]byte
	piece  [48]byte
}

// begin turns to slice i. What is drawn of it depends on nothing that was drawn before.
func (d *drawing) begin(i int64) {
	w := d.w
	d.start = w.cfg.Start.Add(time.Duration(i) * slice)
	d.r = rand.New(rand.NewPCG(w.cfg.Seed, uint64(i)<<1))
	d.scene, d.demand, d.calm = w.Truth(d.start), w.Demand(d.start), w.cfg.Rate*w.swell(d.start)
	d.logged = (d.calm + d.scene.Rate) / float64(w.cfg.Every) * slice.Seconds()
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
	switch planted := d.r.Float64()*(d.calm+d.scene.Rate) >= d.calm; {
	case !planted:
		rank = d.w.tenants.draw.draw(d.r)
	case d.scene.busy != nil:
		rank = d.scene.busy[d.scene.draw.draw(d.r)]
	default:
		rank = d.scene.tenant
		if d.scene.Key != "" {
			key, reads = append(key, d.scene.Key...), hotKeyReads
		}
	}
	if len(key) == 0 {
		// A mild skew: of 256 keys the first has 2.5 %.
		u := d.r.Float64()
		key = appendKey(key, int(float64(d.w.cfg.Keys)*u*math.Sqrt(u)))
	}
	line := entry{tenant: appendTenant(d.tenant[:0], rank), key: key, read: d.r.Float64() < reads, bits: d.r.Uint64(), id: d.r.Uint32()}
	if len(d.w.table.Document().Salts) > 0 {
		if salt, salted := d.w.table.Salt(line.tenant, key); salted {
			return d.salted(out, &line, salt)
		}
	}
	line.shard = d.w.tenants.owners[rank]
	return d.serve(out, &line)
}

// salted sends a write to one piece and a read to all, as clients of a salted key do.
func (d *drawing) salted(out []Line, line *entry, salt *routing.Salt) []Line {
	logical := line.key
	first, last := 0, salt.Read
	if !line.read {
		first = d.r.IntN(salt.Write)
		last = first + 1
	}
	d.w.pieces = d.w.table.Pieces(line.tenant, logical, d.w.pieces[:0])
	for i := first; i < last; i++ {
		p := d.w.pieces[i]
		line.key, line.shard = logical, p.Shard
		if i > 0 {
			line.key = d.w.table.AppendPieceKey(d.piece[:0], logical, p.Suffix)
		}
		out = d.serve(out, line)
	}
	return out
}

// serve is what a shard does with a request: it answers, the more slowly the fuller it is, or refuses what it cannot
// serve. Either is logged.
func (d *drawing) serve(out []Line, line *entry) []Line {
	full := d.demand[line.shard] / d.w.cfg.Capacity
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
