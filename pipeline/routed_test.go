package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// routedRig is a rig whose fleet is written to every 2 s by one instance.
type routedRig struct {
	*rig

	teller *teller
	part   *Part
	doc    *routing.Document // as it was routed last
	at     float64           // second
	lines  func(at float64) []string
}

// newRoutedRig begins with the configuration's document, as the first decider of a fleet claims it.
func newRoutedRig(t *testing.T, change func(*LiveFleet), lines func(at float64) []string) *routedRig {
	t.Helper()
	fleet := liveFleet(t)
	if change != nil {
		change(&fleet)
	}
	r := &routedRig{rig: newRig(t, fleet), lines: lines, doc: fleet.Document.Clone()}
	r.teller = r.rig.teller()
	r.part = r.teller.take(requestLog(1), 0, 0)
	r.doc.Epoch, r.doc.Tenure = 1, "us"
	r.route(nil)
	return r
}

// route makes a change the next version that everybody judges by.
func (r *routedRig) route(change func(d *routing.Document)) Outcome {
	r.t.Helper()
	r.doc = r.doc.Clone()
	r.doc.Version++
	if change != nil {
		change(r.doc)
	}
	b, err := r.live.Route(r.doc, r.now)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.put(b)
}

// until writes up to a second.
func (r *routedRig) until(end float64) {
	r.t.Helper()
	for ; r.at <= end; r.at += 2 {
		r.to(r.at)
		r.teller.sync()
		for _, l := range r.lines(r.at) {
			m := &record.Message{Value: []byte(l), Time: r.now.UnixNano()}
			if got := r.teller.tick.Offer(r.part, r.part.To(), m); got != Taken {
				r.t.Fatalf("second %v: %v", r.at, got)
			}
		}
		accepted(r.t, r.teller.send())
	}
}

// line is one record of the log; shard may be empty.
func line(at float64, tenant, key, op, shard string, weight int) string {
	named := ""
	if shard != "" {
		named = fmt.Sprintf(`,"shard":%q`, shard)
	}
	return fmt.Sprintf(`{"ts_ms":%d,"tenant":%q,"key":%q,"op":%q,"weight":%d%s}`, second(at).UnixMilli(), tenant, key, op, weight, named)
}

// crowd is even traffic of 40 keys and tenants, and one that is hot.
func crowd(at float64, hot string) []string {
	lines := []string{hot}
	for k := range 40 {
		lines = append(lines, line(at, fmt.Sprint("t", k), fmt.Sprint("key-", k), "PUT", "", 5))
	}
	return lines
}

// hotKeyLog is a log in which one key has most of the load.
func hotKeyLog(at float64) []string { return crowd(at, line(at, "acme", "hot", "PUT", "", 400)) }

// last is the snapshot that was judged last.
func (r *routedRig) last() *policy.Snapshot { return r.sink.snapshots[len(r.sink.snapshots)-1] }

// told lists what was said, as "shard phase", in order, from a decision on.
func (r *routedRig) told(from int) (all []string) {
	for _, d := range r.sink.decisions[from:] {
		for i := range d.Verdicts {
			all = append(all, d.Verdicts[i].Shard+" "+d.Verdicts[i].Phase.String())
		}
	}
	return all
}

// opened lists the shards with an open hotspot at the last decision.
func (r *routedRig) opened() (shards []string) {
	d := &r.sink.decisions[len(r.sink.decisions)-1]
	for i := range d.Open {
		shards = append(shards, d.Open[i].Shard)
	}
	return shards
}

// home is where a key lies by the document, and its virtual shard.
func (r *routedRig) home(key string) (routing.VShard, routing.ShardID) {
	table, err := routing.NewTable(r.doc)
	if err != nil {
		r.t.Fatal(err)
	}
	at := table.Locate(nil, []byte(key))
	return at.VShard, at.Shard
}

// shares are the shards' shares of the load in the newest pane that was judged and in the oldest, as policy sees them.
func shares(s *policy.Snapshot) (newest, oldest []float64) {
	cfg := policy.Default()
	of := func(from, to int) []float64 {
		gauges := policy.Gauges(s, &cfg, from, to)
		var sum float64
		out := make([]float64, len(gauges))
		for i, g := range gauges {
			out[i] = g.Load
			sum += g.Load
		}
		for i := range out {
			out[i] /= sum
		}
		return out
	}
	return of(len(s.Panes)-1, len(s.Panes)), of(0, 1)
}

// TestMoveMovesTheWindow: from the entry that names a newer document on, all panes are judged by it, also those that were counted
// before; the shard that was hot resolves once, the one that has the load now fires once, with an onset in the newest pane of then at the
// earliest, and each says which document it was judged by.
func TestMoveMovesTheWindow(t *testing.T) {
	r := newRoutedRig(t, nil, hotKeyLog)
	v, from := r.home("hot")
	to := (from + 1) % 4
	r.until(90)
	hot := fmt.Sprint("shard-", from)
	if diff := cmp.Diff([]string{hot + " firing"}, r.told(0)); diff != "" {
		t.Fatalf("before the move (-want +got):\n%s", diff)
	}
	before, judged, moved := len(r.sink.decisions), r.last(), r.now
	r.route(func(d *routing.Document) { d.Moves = []routing.Move{{VShard: v, To: to}} })
	r.until(110)
	newest, oldest := shares(r.last())
	if newest[from] > 0.3 || oldest[from] > 0.3 || newest[to] < 0.5 || oldest[to] < 0.5 {
		t.Errorf("shares after the move: %.2f, of the oldest pane %.2f", newest, oldest)
	}
	if n, _ := shares(judged); n[from] < 0.5 {
		t.Errorf("what was judged before has changed: %.2f", n)
	}
	r.until(330)
	want := []string{fmt.Sprint("shard-", to, " firing"), hot + " resolved"}
	if diff := cmp.Diff(want, r.told(before)); diff != "" {
		t.Errorf("after the move (-want +got):\n%s", diff)
	}
	for _, d := range r.sink.decisions[before:] {
		for _, verdict := range d.Verdicts {
			if verdict.Epoch != 1 || verdict.Version != r.doc.Version {
				t.Errorf("%s is judged by epoch %d, version %d", verdict.Shard, verdict.Epoch, verdict.Version)
			}
			if verdict.Phase == policy.PhaseFiring && verdict.Onset.Before(moved.Truncate(10*time.Second).Add(-10*time.Second)) {
				t.Errorf("hot since %v by a routing of %v", verdict.Onset, moved)
			}
		}
	}
}

// TestMoveAndBack: a move that is taken back within the window opens a hotspot of its own, not the one that resolved.
func TestMoveAndBack(t *testing.T) {
	r := newRoutedRig(t, func(f *LiveFleet) { f.Window, f.Judge.Resolve = 5*time.Minute, 30*time.Second }, hotKeyLog)
	v, from := r.home("hot")
	r.until(90)
	r.route(func(d *routing.Document) { d.Moves = []routing.Move{{VShard: v, To: (from + 1) % 4}} })
	r.until(140)
	r.route(func(d *routing.Document) { d.Moves = nil })
	r.until(240)
	ids := map[string]int{}
	for _, d := range r.sink.decisions {
		for _, verdict := range d.Verdicts {
			if verdict.ShardID == from && verdict.Phase == policy.PhaseFiring {
				ids[verdict.Hotspot]++
			}
		}
	}
	if len(ids) != 2 {
		t.Errorf("hotspots of the shard: %v, want two", ids)
	}
}

// TestSaltSpreadsTheKey: by a log of what clients ask for, a salt spreads the key's load over its pieces in the whole window.
func TestSaltSpreadsTheKey(t *testing.T) {
	r := newRoutedRig(t, func(f *LiveFleet) { f.LogPoint = policy.LogPointClient }, hotKeyLog)
	r.until(90)
	before := len(r.sink.decisions)
	r.route(func(d *routing.Document) { d.Salts = []routing.Salt{saltOnAll(t, d, "hot")} })
	r.until(330)
	newest, oldest := shares(r.last())
	if slices.Max(newest) > 0.4 || slices.Max(oldest) > 0.4 {
		t.Errorf("shares: %.2f, of the oldest pane %.2f", newest, oldest)
	}
	if got := r.told(before); len(got) != 1 || !strings.HasSuffix(got[0], " resolved") || len(r.opened()) > 0 {
		t.Errorf("told %v, open %v; want that it resolved", got, r.opened())
	}
}

// saltOnAll is a salt of four pieces, one on each shard.
func saltOnAll(t *testing.T, d *routing.Document, key string) routing.Salt {
	t.Helper()
	table, err := routing.NewTable(d)
	if err != nil {
		t.Fatal(err)
	}
	salt := routing.Salt{Key: key, Suffixes: []uint32{0}, Read: 4, Write: 4}
	taken := map[routing.ShardID]bool{table.Locate(nil, []byte(key)).Shard: true}
	for suffix := uint32(1); len(salt.Suffixes) < 4; suffix++ {
		if s := table.PieceShard(nil, []byte(key), suffix); !taken[s] {
			taken[s] = true
			salt.Suffixes = append(salt.Suffixes, suffix)
		}
	}
	return salt
}

// TestPiecesAreToldApartFromTheSaltOn: by a log of what shards served, the pieces of a key that is salted while it is watched become
// one key again, from the salt on, and each is counted where it lies.
func TestPiecesAreToldApartFromTheSaltOn(t *testing.T) {
	salted, n := (*routing.Salt)(nil), 0
	r := newRoutedRig(t, func(f *LiveFleet) { f.LogPoint = policy.LogPointShard }, func(at float64) []string {
		key := "hot"
		if n++; salted != nil && n%4 > 0 {
			key = fmt.Sprint("hot#", salted.Suffixes[n%4])
		}
		return crowd(at, line(at, "acme", key, "PUT", "", 400))
	})
	r.until(90)
	size := r.fleet().size
	r.route(func(d *routing.Document) {
		salt := saltOnAll(t, d, "hot")
		salted, d.Salts = &salt, []routing.Salt{salt}
	})
	r.until(180)
	s := r.last()
	newest, _ := shares(s)
	i := slices.IndexFunc(s.Keys, func(c policy.Contributor) bool { return c.Key == "hot" })
	if i < 0 || len(s.Keys[i].Pieces) != 4 || len(s.Keys) != 41 {
		t.Fatalf("%d keys, the hot one: %+v", len(s.Keys), s.Keys[max(i, 0)])
	}
	if slices.Max(newest) > 0.4 {
		t.Errorf("shares: %.2f", newest)
	}
	if r.fleet().size <= size {
		t.Error("the pieces take no memory")
	}
}

// TestPlacementMovesAWhale: a tenant that is placed elsewhere takes its load along, in the whole window.
func TestPlacementMovesAWhale(t *testing.T) {
	r := newRoutedRig(t, nil, func(at float64) []string {
		lines := crowd(at, line(at, "whale", "k1", "PUT", "", 200))
		for k := range 10 {
			lines = append(lines, line(at, "whale", fmt.Sprint("w", k), "PUT", "", 40))
		}
		return lines
	})
	r.until(90)
	r.route(func(d *routing.Document) {
		d.Shards = append(slices.Clone(d.Shards), routing.Shard{Name: "own", Role: routing.Dedicated, Capacity: 10_000})
		d.Tenants = []routing.TenantPlacement{{Tenant: "whale", Shards: []routing.ShardID{4}}}
	})
	r.until(110)
	newest, oldest := shares(r.last())
	for _, got := range [][]float64{newest, oldest} {
		if len(got) != 5 || got[4] < 0.7 || got[4] > 0.8 { // 600 of 800 requests
			t.Errorf("shares: %.2f", got)
		}
	}
}

// TestMovedWhaleIsNamed: tenants are counted by the shard of then, and yet the one whose virtual shard was moved is named where it is now:
// what is asked who it is are the panes since the change.
func TestMovedWhaleIsNamed(t *testing.T) {
	byTenant, err := routing.Adopt("orders", routing.Placement{Bytes: "tenant", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	r := newRoutedRig(t, func(f *LiveFleet) { f.Document, f.Judge.For = byTenant, 30*time.Second }, func(at float64) []string {
		var lines []string
		for k := range 40 {
			lines = append(lines, line(at, fmt.Sprint("t", k), fmt.Sprint("key-", k), "PUT", "", 20), line(at, "whale", fmt.Sprint("w", k), "PUT", "", 20))
		}
		return lines
	})
	table, err := routing.NewTable(r.doc)
	if err != nil {
		t.Fatal(err)
	}
	at := table.Locate([]byte("whale"), nil)
	r.until(150)
	before := len(r.sink.decisions)
	r.route(func(d *routing.Document) { d.Moves = []routing.Move{{VShard: at.VShard, To: (at.Shard + 1) % 4}} })
	r.until(330)
	named := 0
	for _, d := range r.sink.decisions[before:] {
		for _, v := range d.Verdicts {
			if v.Phase == policy.PhaseFiring {
				named++
				if v.ShardID != (at.Shard+1)%4 || v.Cause != policy.CauseWhaleTenant || v.Tenant != "whale" {
					t.Errorf("%s: %s %s: %s", v.Shard, v.Cause, v.Tenant, v.Reason)
				}
			}
		}
	}
	if named != 1 {
		t.Errorf("%d hotspots fired after the move, want one", named)
	}
}

// TestOnlyALaterDocumentOfTheBase: older ones and those of other fleets change nothing, and one of another base map is refused by name.
func TestOnlyALaterDocumentOfTheBase(t *testing.T) {
	r := newRoutedRig(t, nil, hotKeyLog)
	r.until(30)
	held := r.fleet().routed
	for what, change := range map[string]func(d *routing.Document){
		"the same": func(*routing.Document) {}, "an older version": func(d *routing.Document) { d.Version-- },
		"of an older epoch": func(d *routing.Document) { d.Version, d.Epoch, d.Tenure = 99, 0, "" },
		"of another fleet":  func(d *routing.Document) { d.Version, d.Fleet = 99, "carts" },
	} {
		d := r.doc.Clone()
		change(d)
		if b, err := r.live.Route(d, r.now); b != nil || err != nil {
			t.Errorf("%s: there is an entry to write, %v", what, err)
		}
		b, err := Route(d, r.now)
		if err != nil {
			t.Fatal(err)
		}
		if out := r.put(b); out.Unrouted != nil || out.Why != "" || r.fleet().routed != held {
			t.Errorf("%s: %+v", what, out)
		}
	}
	other, err := routing.Adopt("orders", routing.Placement{Bytes: "tenant", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	other.Epoch, other.Tenure, other.Version = 5, "x", 50
	b, err := Route(other, r.now)
	if err != nil {
		t.Fatal(err)
	}
	out := r.put(b)
	if out.Unrouted == nil || r.fleet().routed != held || !strings.Contains(out.Unrouted.Error(), "fleet orders: the document of epoch 5, version 50: placement: the base map differs") {
		t.Errorf("another base map: %v", out.Unrouted)
	}
}

// TestTwoChangesAtOnce: while clients may not have read the first of two changes, the second is held against neither.
func TestTwoChangesAtOnce(t *testing.T) {
	r := newRoutedRig(t, nil, hotKeyLog)
	r.until(20)
	first := r.fleet().routed.Table
	r.route(func(d *routing.Document) { d.Moves = []routing.Move{{VShard: 1, To: 3}} })
	begun := r.now
	r.until(26)
	r.route(func(d *routing.Document) { d.Moves = append(d.Moves, routing.Move{VShard: 2, To: 3}) })
	if got := r.fleet().routed; got.was != first || !got.from.Equal(begun) || !got.Since.Equal(r.now) {
		t.Errorf("two changes within %v: from %v, since %v", SettleRouting, got.from, got.Since)
	}
	held := r.fleet().routed
	r.route(func(d *routing.Document) { d.Quotas = []routing.Quota{{Tenant: "acme", Rate: 5}} })
	if got := r.fleet().routed; got == held || !got.Since.Equal(held.Since) || got.was != first {
		t.Errorf("a quota is a change of places: %v", got.Since)
	}
	r.until(80)
	second := r.fleet().routed.Table
	r.route(func(d *routing.Document) { d.Moves = nil })
	if got := r.fleet().routed; got.was != second {
		t.Error("a later change is not held against the one before")
	}
}
