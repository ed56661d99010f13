package simulate

import (
	"math"
	"strings"
	"testing"
	"time"

	"firebreak/routing"
)

// TestRoute: clients that are given a newer table use it: the salted key's writes part, its reads ask every piece, a placed
// tenant and moved virtual shards go elsewhere, and the shard is cool.
func TestRoute(t *testing.T) {
	w := newWorld(t, Default())
	scenes := w.Scenes(w.cfg.Start.Add(Length))
	hot, whale, volume := scenes[0], scenes[1], scenes[2]
	home := shardID(w, hot.Shard)
	salt := routing.Salt{Tenant: hot.Tenant, Key: hot.Key, Suffixes: []uint32{0}}
	taken := map[routing.ShardID]bool{home: true}
	for suffix := uint32(1); len(salt.Suffixes) < 16; suffix++ {
		if s := w.Table().PieceShard([]byte(hot.Tenant), []byte(hot.Key), suffix); !taken[s] {
			taken[s] = true
			salt.Suffixes = append(salt.Suffixes, suffix)
		}
	}
	salt.Read, salt.Write = 16, 16
	busy := shardID(w, volume.Shard)
	w.Route(newTable(t, func(doc *routing.Document) {
		doc.Version++
		doc.Salts = []routing.Salt{salt}
		spare := routing.ShardID(len(doc.Shards))
		doc.Shards = append(doc.Shards, routing.Shard{Name: "spare-0", Role: routing.Dedicated})
		doc.Tenants = []routing.TenantPlacement{{Tenant: whale.Tenant, Shards: []routing.ShardID{spare}}}
		for v := range w.Table().VShards() {
			if w.Table().Owner(routing.VShard(v)) == busy && v/32%2 == 0 {
				doc.Moves = append(doc.Moves, routing.Move{VShard: routing.VShard(v), To: routing.ShardID(v / 64 % 32)})
			}
		}
	}))
	for _, s := range scenes {
		if load := w.Demand(s.From)[shardID(w, s.Shard)]; load > 0.7*w.cfg.Capacity {
			t.Errorf("%v: %s is still asked for %.0f/s", s.Cause, s.Shard, load)
		}
	}
	if load := w.Demand(whale.From)[32]; load < whale.Rate {
		t.Errorf("the whale's shard is asked for %.0f/s of %.0f/s", load, whale.Rate)
	}
	checkPieces(t, w, &hot, len(salt.Suffixes))
}

// checkPieces reads ten seconds of the salted key's log.
func checkPieces(t *testing.T, w *World, hot *Scene, pieces int) {
	t.Helper()
	lines := w.Step(hot.From, hot.From.Add(10*time.Second))
	reads, writes, shards, load := map[string]float64{}, map[string]float64{}, map[string]string{}, map[string]float64{}
	for i := range lines {
		l := parse(t, &lines[i])
		load[l.Shard] += 10 // 100 requests in 10 s
		if !strings.HasPrefix(l.Req.Key, hot.Key) {
			continue
		}
		if at, known := shards[l.Req.Key]; known && at != l.Shard {
			t.Fatalf("%s lies on %s and %s", l.Req.Key, at, l.Shard)
		}
		shards[l.Req.Key] = l.Shard
		if l.Req.Op == "GET" {
			reads[l.Req.Key] += 10
		} else {
			writes[l.Req.Key] += 10
		}
	}
	if len(writes) != pieces || writes[hot.Key] == 0 {
		t.Fatalf("%d pieces are written: %v", len(writes), writes)
	}
	for key, n := range writes {
		want := hot.Rate * (1 - hotKeyReads) / float64(pieces)
		if math.Abs(n-want) > 5*math.Sqrt(10*want) {
			t.Errorf("%s is written %.0f/s, want %.0f/s", key, n, want)
		}
		if want := hot.Rate * hotKeyReads; math.Abs(reads[key]-want) > 5*math.Sqrt(10*want) {
			t.Errorf("%s is read %.0f/s, want all the reads: %.0f/s", key, reads[key], want)
		}
	}
	for i, want := range w.Demand(hot.From.Add(5 * time.Second)) {
		name := w.Table().Document().Shards[i].Name
		if math.Abs(load[name]-want) > 5*math.Sqrt(10*want) {
			t.Errorf("%s was asked for %.0f/s, logged %.0f/s", name, want, load[name])
		}
	}
}
