package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"firebreak/routing"
)

// judging is an instance whose fleet is routed otherwise while it watches.
type judging struct {
	*router

	t        *testing.T
	config   string
	live     *running
	receiver *toldReceiver
}

// newJudging begins an instance and waits until it decides.
func newJudging(t *testing.T, config string, receiver *toldReceiver) *judging {
	t.Helper()
	if testing.Short() {
		t.Skip("takes a minute of real time")
	}
	j := &judging{t: t, config: config, receiver: receiver}
	j.begin()
	j.router = &router{t, j.live.path}
	eventually(t, 40*time.Second, "an instance looks after the routing", func() bool {
		out, err := j.try("show")
		return err == nil && strings.Contains(out, "stands at")
	})
	return j
}

func (j *judging) begin() {
	j.live = startRun(j.t, j.config)
	eventually(j.t, 40*time.Second, "ready", func() bool { return strings.HasPrefix(j.live.page("/-/ready"), "200") })
}

// document is the routing as it is stored.
func (j *judging) document() *routing.Document {
	j.t.Helper()
	d, err := routing.ParseDocument([]byte(j.ok(`"schema"`, "export")))
	if err != nil {
		j.t.Fatal(err)
	}
	return d
}

// change asks for a change and gives the version that it made.
func (j *judging) change(args ...string) string {
	j.t.Helper()
	j.ok("done", append(args, "--if-version", j.version(), "--yes", "--reason", "it is hot", "--by", "ann")...)
	return j.version()
}

// told are the verdicts that a receiver was told about a shard, of a phase, by their hotspots.
func (j *judging) told(shard, phase string) map[string]string {
	hotspots := map[string]string{}
	for _, text := range j.receiver.of(func(string) bool { return true }) {
		var body struct {
			Kind, Hotspot string
			Line          struct {
				Shard, Phase string
				Routing      struct{ Epoch, Version uint64 }
			}
		}
		if json.Unmarshal([]byte(text), &body) == nil && body.Kind == "verdict" && body.Line.Shard == shard && body.Line.Phase == phase {
			hotspots[body.Hotspot] = fmt.Sprint(body.Line.Routing.Version)
		}
	}
	return hotspots
}

// waits until as many hotspots of a shard were told of in a phase; the answer is the version that each was judged by.
func (j *judging) waits(n int, shard, phase string) map[string]string {
	j.t.Helper()
	var all map[string]string
	if !eventually(j.t, 60*time.Second, fmt.Sprintf("%d hotspots of %s %s", n, shard, phase), func() bool { all = j.told(shard, phase); return len(all) == n }) {
		j.t.Log(j.receiver.of(func(string) bool { return true }), j.live.log.String())
	}
	return all
}

// TestVerdictsGoByTheStoredRouting: a move by `route set` changes which shard is hot while nothing of the log changes; who begins later
// judges by what is stored from its first pane on; and a salt that is imported spreads the key, after which nothing is hot.
func TestVerdictsGoByTheStoredRouting(t *testing.T) {
	t.Parallel()
	config, receiver, hot := liveLog(t)
	hot.set(0.5)
	config = strings.Replace(config, "policy: {", "policy: {key_spaces: [{prefix: the-, merge: counter}], ", 1)
	j := newJudging(t, config, receiver)
	d := j.document()
	table, err := routing.NewTable(d)
	if err != nil {
		t.Fatal(err)
	}
	at := table.Locate(nil, []byte("the-hot-one"))
	was, is := d.Shards[at.Shard].Name, d.Shards[(at.Shard+1)%8].Name
	j.waits(1, was, "firing")
	version := j.change("set", fmt.Sprintf("vshard/%d=%s", at.VShard, is))
	for _, by := range j.waits(1, is, "firing") {
		if by != version {
			t.Errorf("judged by version %s, it stands at %s", by, version)
		}
	}
	j.waits(1, was, "resolved")
	if text := j.live.ask("console", "/api/v1/search?key=the-hot-one"); !strings.Contains(text, fmt.Sprintf(`"shard":%q`, is)) {
		t.Errorf("the page does not find the key on %s: %s", is, text)
	}

	j.live.end(t)
	j.begin()
	time.Sleep(20 * time.Second) // four times what it takes to fire
	if again, open := j.told(was, "firing"), j.told(is, "resolved"); len(again) != 1 || len(open) > 0 {
		t.Errorf("one that begins later: hotspots of %s %v, and of %s are over %v", was, again, is, open)
	}

	d = j.document()
	d.Salts = []routing.Salt{{Key: "the-hot-one", Suffixes: []uint32{0}, Read: 8, Write: 8}}
	taken := map[routing.ShardID]bool{(at.Shard + 1) % 8: true}
	for suffix := uint32(1); len(d.Salts[0].Suffixes) < 8; suffix++ {
		if s := table.PieceShard(nil, []byte("the-hot-one"), suffix); !taken[s] {
			taken[s] = true
			d.Salts[0].Suffixes = append(d.Salts[0].Suffixes, suffix)
		}
	}
	b, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "salted.json")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	j.change("import", path)
	j.waits(1, is, "resolved")
	j.live.end(t)
	for _, s := range d.Shards {
		if n := len(j.told(s.Name, "firing")); n > 0 && s.Name != was && s.Name != is {
			t.Errorf("%s was hot", s.Name)
		}
	}
}

// TestVerdictsGoByTheStoredPlacement: a whale that is placed on a shard of its own leaves the one that it made hot.
func TestVerdictsGoByTheStoredPlacement(t *testing.T) {
	t.Parallel()
	config, receiver := liveLogOf(t, func(ctx context.Context, broker []string) {
		writeLog(t, ctx, broker, func(rng *rand.Rand) (key, tenant string) {
			if tenant = fmt.Sprintf("t%d", rng.IntN(2000)); rng.Float64() < 0.5 {
				tenant = "whale"
			}
			return fmt.Sprintf("key-%d", rng.IntN(5000)), tenant
		})
	})
	config = strings.Replace(config, "placement: {bytes: key}", "placement: {bytes: tenant}", 1)
	j := newJudging(t, config, receiver)
	table, err := routing.NewTable(j.document())
	if err != nil {
		t.Fatal(err)
	}
	home := j.document().Shards[table.Locate([]byte("whale"), nil).Shard].Name
	j.waits(1, home, "firing")
	j.change("set", "shard/own=dedicated,capacity=2000", "tenant/whale=own")
	j.waits(1, home, "resolved")
	time.Sleep(10 * time.Second)
	j.live.end(t)
	if own, again := j.told("own", "firing"), j.told(home, "firing"); len(own) > 0 || len(again) != 1 {
		t.Errorf("hotspots of its own shard %v, of the one it left %v", own, again)
	}
}
