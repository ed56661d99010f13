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

// The lengths of the story of Default: time to warm up, then each cause for as long as it takes to find it, and calm until it is
// resolved: a minute until the fast window has forgotten it, two more under the line, and some seconds of margin.
const (
	lead    = 70 * time.Second
	planted = 100 * time.Second
	calm    = 210 * time.Second
	// Length is how long it takes.
	Length = lead + 3*(planted+calm)
)

// The lengths of the story of Acting: a fix is in force some four minutes after its cause was planted, and judged a quarter of an hour later.
const (
	apart = 4 * time.Minute
	acted = 21 * time.Minute
	// warmth is for how long all shards are warm before one of them is too warm.
	warmth = 6 * time.Minute
	// Undone is within how long after the end of its cause a fix is taken back.
	Undone = 14 * time.Minute
)

// The loads that are planted, as multiples of what a shard serves.
const (
	hotKeyLoad  = 1.7   // 27,200/s beside 192,000/s: 12 % of all requests, more than a whole shard
	whaleLoad   = 0.8   // too much for a shard of the fleet beside others, even alone over what it should bear
	volumeLevel = 0.95  // of the shard's whole load
	warmLevel   = 0.675 // of every other shard's, where no shard has room
	warmest     = 1.5   // of the shard's that is too warm then
)

// The reads among the planted requests; the rest of the fleet has calmReads.
const (
	calmReads    = 0.7
	hotKeyReads  = 0.02
	readKeyReads = 0.98
)

// The keys that are planted, of one tenant or another: HotKey is written, ReadKey is read.
const (
	HotKey  = "counter:views"
	ReadKey = "config:flags"
)

// Scene is one cause of heat, planted on one shard, or warmth of all others that makes none hot. The zero value is calm.
type Scene struct {
	Cause  policy.Cause // CauseUnknown = nothing is planted, or warmth
	Fix    policy.Fix   // what cools the shard
	Shard  string
	Tenant string // of a hot key and of a whale
	Key    string // of a hot key
	From   time.Time
	To     time.Time
	Rate   float64 // requests/s beside the shards' own, of all shards
	Reads  float64 // share of them

	tenant int       // rank
	busy   []int     // ranks of the tenants that are busier
	more   []float64 // requests/s of each of them
	draw   alias     // of busy
}

func (a *Act) known() bool {
	return slices.Contains([]policy.Fix{policy.FixSalt, policy.FixIsolate, policy.FixSplit, policy.FixCache, policy.FixScaleOut}, a.Fix)
}

// story plants the scenes of one cycle. Its shards are those of average load, so that only what is planted makes them hot.
func (w *World) story(cycle int64) []Scene {
	if s, known := w.told[cycle]; known {
		return s
	}
	r := rand.New(rand.NewPCG(w.cfg.Seed, uint64(cycle)<<1|1))
	start := w.cfg.Start.Add(time.Duration(cycle) * w.cfg.Length)
	var scenes []Scene
	for i, shard := range w.average(r, len(w.cfg.Acts)) {
		act := &w.cfg.Acts[i]
		from := start.Add(act.At)
		tenants := w.homes[shard]
		s := Scene{
			Fix: act.Fix, Shard: w.home.Document().Shards[shard].Name, From: from, To: from.Add(act.For), Reads: calmReads,
			tenant: tenants[len(tenants)/50+r.IntN(len(tenants)/10+1)],
		}
		w.plant(&s, shard)
		if act.Fix == policy.FixScaleOut {
			scenes = append(scenes, w.warmth(&s, shard))
		}
		scenes = append(scenes, s)
	}
	w.told[cycle] = scenes
	return scenes
}

// plant fills in what the scene's fix cools.
func (w *World) plant(s *Scene, shard routing.ShardID) {
	s.Cause = policy.CauseVolume
	switch s.Fix {
	case policy.FixSalt:
		s.Cause, s.Key, s.Rate, s.Reads = policy.CauseHotKey, HotKey, hotKeyLoad*w.cfg.Capacity, hotKeyReads
	case policy.FixCache:
		s.Cause, s.Key, s.Rate, s.Reads = policy.CauseHotKey, ReadKey, hotKeyLoad*w.cfg.Capacity, readKeyReads
	case policy.FixIsolate:
		s.Cause, s.Rate = policy.CauseWhaleTenant, whaleLoad*w.cfg.Capacity
	case policy.FixScaleOut:
		w.busier(s, shard, warmest)
	case policy.FixSplit, policy.FixNone, policy.FixQuota, policy.FixLimitCaller:
		w.busier(s, shard, volumeLevel)
	}
	if s.Cause != policy.CauseVolume {
		s.Tenant = string(appendTenant(nil, s.tenant))
		return
	}
	s.draw = newAlias(s.more)
}

// warmth is what leaves no shard room for what is on the one of a scene, from long enough before that it is no news. It makes none hot.
func (w *World) warmth(s *Scene, shard routing.ShardID) Scene {
	out := Scene{From: s.From.Add(-warmth), To: s.To, Reads: calmReads}
	for id := range w.homes {
		if routing.ShardID(id) != shard {
			w.busier(&out, routing.ShardID(id), warmLevel)
		}
	}
	out.draw = newAlias(out.more)
	return out
}

// busier has the tenants of a shard send more, each in proportion, until the shard's load is a part of its capacity.
func (w *World) busier(s *Scene, shard routing.ShardID, level float64) {
	if w.share[shard] <= 0 {
		return
	}
	rate := max(0, level*w.cfg.Capacity-w.cfg.Rate*w.share[shard])
	s.Rate += rate
	for _, t := range w.homes[shard] {
		s.busy = append(s.busy, t)
		s.more = append(s.more, rate*w.tenants.weights[t]/w.share[shard])
	}
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

// cycleAt is the number of the story that is told at a time.
func (w *World) cycleAt(at time.Time) int64 {
	since := at.Sub(w.cfg.Start)
	if since < 0 {
		return -1
	}
	return int64(since / w.cfg.Length)
}

// Active lists what is planted at a time.
func (w *World) Active(at time.Time) []Scene {
	cycle := w.cycleAt(at)
	if cycle < 0 {
		return nil
	}
	var out []Scene
	for _, s := range w.story(cycle) {
		if !at.Before(s.From) && at.Before(s.To) {
			out = append(out, s)
		}
	}
	return out
}

// Truth is the cause of heat that was planted last of those that stand at a time; the zero Scene is none.
func (w *World) Truth(at time.Time) Scene {
	var last Scene
	for _, s := range w.Active(at) {
		if s.Cause != policy.CauseUnknown {
			last = s
		}
	}
	return last
}

// Scenes lists the causes of heat that are planted from the start to a time, in order.
func (w *World) Scenes(until time.Time) []Scene {
	var out []Scene
	for cycle := int64(0); cycle <= w.cycleAt(until); cycle++ {
		for _, s := range w.story(cycle) {
			if s.From.Before(until) && s.Cause != policy.CauseUnknown {
				out = append(out, s)
			}
		}
	}
	return out
}
