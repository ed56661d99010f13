package quality

import (
	"fmt"
	"math"
	"time"

	"firebreak/routing"
)

// The streams of a seed.
const (
	streamFleet = 1
	streamLog   = 2
	streamTimes = 3
)

// The ranges that fleets are drawn from.
const (
	leastShards, mostShards   = 4, 512   // log-uniform
	leastZipf, mostZipf       = 0.5, 1.5 // over keys and over tenants
	leastRate                 = 1e-3     // sampling 1:1000 ...
	completeLogs              = 0.25     // ... to 1:1, and this part of all complete
	leastSamples, mostSamples = 0.05, 50 // records/s a shard, log-uniform
	mostClump                 = 10
	clumped                   = 0.5        // part of the fleets that have clumps
	withCapacity              = 0.4        // part that has a capacity
	withOnset                 = 0.5        // part of the planted ones that start later
	withCaller                = 0.3        // part of the planted keys and whales that one caller sends much of
	leastCut, mostCut         = 0.01, 0.15 // heaviest key or tenant over a shard's mean, log-uniform, in all kinds but natural
	mostUnevenShare           = 0.7        // of the whole fleet that one planted shard gets, where the line is relative
	panesSteady               = 72         // 12 minutes
	panesOnset                = 90         // 15 minutes
)

// Draw draws the fleet of a seed. It fails only if routing refuses a placement that it should take.
func Draw(seed uint64) (*Fleet, error) {
	s := newSource(seed, streamFleet)
	f := &Fleet{Header: Header{Seed: seed, Planted: routing.NoShard, Panes: panesSteady}}
	f.Kind = drawKind(s)
	f.Shards = s.logInt(leastShards, mostShards)
	if f.Kind == KindEvenlyHot {
		f.Shards = s.logInt(leastShards, 32)
	}
	f.ZipfKeys, f.ZipfTenants = s.between(leastZipf, mostZipf), s.between(leastZipf, mostZipf)
	f.Reads = s.Float64()
	f.Rate = 1
	if !s.chance(completeLogs) {
		f.Rate = s.logBetween(leastRate, 1)
	}
	f.Clump = 1
	if s.chance(clumped) {
		f.Clump = 2 + s.IntN(mostClump-1)
		f.ByTrace = f.Rate < 1 && s.chance(0.5)
	}
	if err := f.adopt(s); err != nil {
		return nil, fmt.Errorf("fleet %d: %w", seed, err)
	}
	f.Samples = s.logBetween(leastSamples, mostSamples)
	mean := f.Samples / f.Rate
	f.populate(s, mean*float64(f.Shards))
	switch {
	case f.Kind == KindEvenlyHot:
		f.Capacity = mean / s.between(0.66, 0.85)
	case s.chance(withCapacity):
		f.Capacity = mean / s.between(0.15, 0.55)
	}
	if f.Kind.planted() {
		f.plantHotspot(s, drawTarget(s))
	}
	return f, nil
}

func drawKind(s source) Kind {
	weights := [...]float64{
		KindCalm: 8, KindNatural: 8, KindEvenlyHot: 2, KindVolume: 18, KindWrittenKey: 12, KindReadKey: 8, KindMixedKey: 9,
		KindWhale: 12, KindWhaleKey: 8, KindSeveral: 8, KindWarmKeys: 5, KindHeavyVShard: 4,
	}
	return Kind(s.weighted(weights[:]))
}

// placements are what fleets are placed by: the bytes that are hashed, or explicit. Their order is that of the draw.
func placements() []string { return []string{"key", "tenant", "tenant,key", routing.Explicit.String()} }

// adopt draws the placement and compiles its table.
func (f *Fleet) adopt(s source) error {
	kind := s.weighted([]float64{35, 25, 20, 20})
	if f.Kind == KindHeavyVShard {
		kind = 1
	}
	p := routing.Placement{Bytes: placements()[kind]}
	if p.Bytes == routing.Explicit.String() {
		p = routing.Placement{Map: routing.Explicit, TenantKeys: true}
	}
	if p.Map != routing.Explicit {
		functions := [...]routing.Function{
			routing.XXH64, routing.MD5, routing.CRC32, routing.FNV1a, routing.RedisSlot, routing.KafkaMurmur2,
			routing.CassandraMurmur3, routing.Jump,
		}
		p.Function, p.Map = functions[s.IntN(len(functions))], routing.ModN
		if p.Function == routing.RedisSlot {
			p.Map = routing.List
		}
	}
	doc, err := routing.Adopt("fleet", p, routing.NumberedShards(f.Shards))
	if err != nil {
		return err
	}
	f.Placement = doc.Placement.Map.String()
	if doc.Placement.Map != routing.Explicit {
		f.Placement = p.Bytes + " " + p.Function.String() + " " + p.Map.String()
	}
	f.Table, err = routing.NewTable(doc)
	return err
}

// drawTarget is planted load / line: more than 40 % lie between 0.7 and 2.
func drawTarget(s source) float64 {
	switch s.weighted([]float64{55, 25, 20}) {
	case 0:
		return s.between(0.7, 2)
	case 1:
		return s.between(2, 3)
	default:
		return s.logBetween(3, 6)
	}
}

// drawOnset is a moment inside a pane, 6 to 8 minutes after the start.
func (f *Fleet) drawOnset(s source) {
	if s.chance(withOnset) {
		f.Panes = panesOnset
		f.Onset = time.Duration(s.between(6, 8) * float64(time.Minute)).Round(time.Millisecond)
	}
}

// excess is the load that a shard needs beside what it has to reach ratio times its line.
func (f *Fleet) excess(shard routing.ShardID, ratio float64) float64 {
	now := f.sum(func(k *Key) float64 { return k.After })
	has := now.Shards[shard]
	wants := ratio * now.Line
	if f.Capacity == 0 {
		// wants = ratio x 1.5 / N x (others + wants), at most mostUnevenShare of all.
		share := min(ratio*now.Line/now.Total, mostUnevenShare)
		wants = share / (1 - share) * (now.Total - has)
	}
	return math.Max(wants-has, 0.05*now.Total/float64(f.Shards))
}
