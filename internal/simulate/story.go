package simulate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// The lengths of a story: time to warm up, then each cause for as long as it takes to find it, and calm until it is
// resolved: a minute until the fast window has forgotten it, two more under the line, and some seconds of margin.
const (
	lead    = 70 * time.Second
	planted = 100 * time.Second
	calm    = 210 * time.Second
	acts    = 3
	// Length is how long a story takes. Another one follows it, with other shards and tenants.
	Length = lead + acts*(planted+calm)
)

// The loads that are planted, as multiples of what a shard serves.
const (
	hotKeyLoad  = 1.7  // 27,200/s beside 192,000/s: 12 % of all requests, more than a whole shard
	whaleLoad   = 0.8  // too much for a shard of the fleet beside others, even alone over what it should bear
	volumeLevel = 0.95 // of the shard's whole load
)

// The reads among the planted requests; the rest of the fleet has calmReads.
const (
	calmReads   = 0.7
	hotKeyReads = 0.02
)

// HotKey is the key that is planted, of one tenant or another.
const HotKey = "counter:views"

// Scene is one cause of heat, planted on one shard. The zero value is calm.
type Scene struct {
	Cause  policy.Cause // CauseUnknown = nothing is planted
	Fix    policy.Fix   // what cools the shard
	Shard  string
	Tenant string // of a hot key and of a whale
	Key    string // of a hot key
	From   time.Time
	To     time.Time
	Rate   float64 // requests/s beside the shard's own

	tenant int   // rank
	busy   []int // ranks of the tenants that are busier
	draw   alias // of busy
}

// story plants the scenes of one cycle. Its shards are those of average load, so that only what is planted makes them hot.
func (w *World) story(cycle int64) []Scene {
	if s, known := w.told[cycle]; known {
		return s
	}
	r := rand.New(rand.NewPCG(w.cfg.Seed, uint64(cycle)<<1|1))
	from := w.cfg.Start.Add(time.Duration(cycle)*Length + lead)
	var scenes []Scene
	for i, shard := range w.average(r, acts) {
		s := Scene{Shard: w.home.Document().Shards[shard].Name, From: from, To: from.Add(planted)}
		tenants := w.homes[shard]
		s.tenant = tenants[len(tenants)/50+r.IntN(len(tenants)/10+1)]
		switch i {
		case 0:
			s.Cause, s.Fix, s.Key, s.Rate = policy.CauseHotKey, policy.FixSalt, HotKey, hotKeyLoad*w.cfg.Capacity
		case 1:
			s.Cause, s.Fix, s.Rate = policy.CauseWhaleTenant, policy.FixIsolate, whaleLoad*w.cfg.Capacity
		default:
			s.Cause, s.Fix, s.busy = policy.CauseVolume, policy.FixSplit, tenants
			s.Rate = max(0, volumeLevel*w.cfg.Capacity-w.cfg.Rate*w.share[shard])
			s.draw = newAlias(w.weightsOf(tenants))
		}
		if i < acts-1 {
			s.Tenant = string(appendTenant(nil, s.tenant))
		}
		scenes = append(scenes, s)
		from = from.Add(planted + calm)
	}
	w.told[cycle] = scenes
	return scenes
}

// average draws n shards of those whose calm load is nearest to the mean.
func (w *World) average(r *rand.Rand, n int) []routing.ShardID {
	ids := make([]routing.ShardID, 0, len(w.share))
	for i, share := range w.share {
		if share > 0 {
			ids = append(ids, routing.ShardID(i))
		}
	}
	mean := 1 / float64(len(ids))
	slices.SortStableFunc(ids, func(a, b routing.ShardID) int {
		return cmp.Compare(math.Abs(w.share[a]-mean), math.Abs(w.share[b]-mean))
	})
	near := ids[:max(min(n, len(ids)), len(ids)/2)]
	r.Shuffle(len(near), func(i, j int) { near[i], near[j] = near[j], near[i] })
	return near[:min(n, len(near))]
}

func (w *World) weightsOf(tenants []int) []float64 {
	out := make([]float64, len(tenants))
	for i, t := range tenants {
		out[i] = w.tenants.weights[t]
	}
	return out
}

// cycleAt is the number of the story that is told at a time.
func (w *World) cycleAt(at time.Time) int64 {
	since := at.Sub(w.cfg.Start)
	if since < 0 {
		return -1
	}
	return int64(since / Length)
}

// Truth is what is planted at a time; the zero Scene is nothing.
func (w *World) Truth(at time.Time) Scene {
	cycle := w.cycleAt(at)
	if cycle < 0 {
		return Scene{}
	}
	for _, s := range w.story(cycle) {
		if !at.Before(s.From) && at.Before(s.To) {
			return s
		}
	}
	return Scene{}
}

// Scenes lists what is planted from the start to a time, in order.
func (w *World) Scenes(until time.Time) []Scene {
	var out []Scene
	for cycle := int64(0); cycle <= w.cycleAt(until); cycle++ {
		for _, s := range w.story(cycle) {
			if s.From.Before(until) {
				out = append(out, s)
			}
		}
	}
	return out
}
