package policy

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/routing"
)

// undoFleet is a calm fleet of four shards of 8,000/s at log point shard, whose document has exceptions; all may be undone two minutes after
// they are no longer needed.
func undoFleet(t *testing.T, change func(*routing.Document)) *testFleet {
	t.Helper()
	f := newTestFleet(t, 4, "tenant", even(400, 8000)...)
	doc := f.table.Document().Clone()
	doc.Shards = append(doc.Shards, routing.Shard{Name: "extra", Role: routing.Serving})
	change(doc)
	table, err := f.table.With(doc)
	if err != nil {
		t.Fatal(err)
	}
	f.table, f.point = table, LogPointShard
	f.cfg.Capacity.Total, f.cfg.Mode, f.cfg.UndoDelay, f.cfg.Grace = 8000, ModeAuto, 2*time.Minute, time.Minute
	f.world.Clients.Routed = true
	return f
}

// undos are the undo plans that are ready after so many panes, by the kind of their step.
func (f *testFleet) undos(panes int) map[string]Plan {
	_, last := f.run(panes)
	out := map[string]Plan{}
	for _, p := range last.Plans {
		if p.Undo && p.Ready {
			out[p.Steps[0].Kind.String()] = p
		}
	}
	return out
}

func limited(doc *routing.Document) {
	doc.Quotas = []routing.Quota{{Tenant: "t7", Rate: 10}}
	doc.Cached = []routing.CachedKey{{Tenant: "t9", Key: "k9", Staleness: time.Second}}
}

// TestUndoLimits: a quota and a cached key are taken back when all that clients keep from the log would fit, and that for the whole delay;
// not on a guess where nobody says what they keep, not before the grace is over, and never while it would not fit.
func TestUndoLimits(t *testing.T) {
	says := func(rate float64) []Demand {
		return []Demand{{Tenant: "t7", Rate: rate}, {Tenant: "t9", Key: "k9", Rate: rate}}
	}
	both := map[string]bool{"lift_quota": true, "uncache": true}
	for _, c := range []struct {
		name    string
		demand  []Demand
		settled time.Duration // before the end, of the operation that made the quota
		panes   int
		want    map[string]bool
	}{
		{"nothing is kept back", says(0), 0, 20, both},
		{"a little is", says(800), 0, 20, both},
		{"it would not fit", says(6000), 0, 20, map[string]bool{}},
		{"nobody says", nil, 0, 20, map[string]bool{}},
		{"not for long enough", says(0), 0, 12, map[string]bool{}},
		{"the operation is young", says(0), 30 * time.Second, 20, map[string]bool{"uncache": true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := undoFleet(t, limited)
			f.world.Demand = c.demand
			if c.settled > 0 {
				end := f.start.Add(time.Duration(c.panes) * 10 * time.Second)
				f.world.Operations = []Operation{{ID: "1", Shard: routing.NoShard, Footprint: []routing.Entry{routing.QuotaEntry("t7")}, Settled: end.Add(-c.settled)}}
			}
			got := map[string]bool{}
			for kind := range f.undos(c.panes) {
				got[kind] = true
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("undos (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUndoBeforeTheQuota: a log that clients write has what a quota and a cache keep back.
func TestUndoBeforeTheQuota(t *testing.T) {
	f := undoFleet(t, limited)
	f.point = LogPointClient
	if got := f.undos(20); len(got) != 2 {
		t.Errorf("undos: %v", got)
	}
}

// filled moves some of shard-0 onto the extra shard.
func filled(doc *routing.Document) {
	for v := range routing.VShard(40) {
		doc.Moves = append(doc.Moves, routing.Move{VShard: 4 * v, To: 4})
	}
}

// TestUndoSpare: a shard that an operation of ours made serve is drained, by moves that leave the base map as it was; what people added
// serves on, and so does one without which home would be too full.
func TestUndoSpare(t *testing.T) {
	ours := Operation{ID: "1", Fix: FixScaleOut, Shard: routing.NoShard, Footprint: []routing.Entry{routing.ShardEntry("extra")}}
	f := undoFleet(t, filled)
	if got := f.undos(20); len(got) != 0 {
		t.Errorf("a shard that people added is drained: %v", got)
	}
	f = undoFleet(t, filled)
	ours.Settled = f.start.Add(-time.Hour)
	f.world.Operations = []Operation{ours}
	plan, ok := f.undos(20)["drain"]
	if !ok {
		t.Fatal("the spare is not drained")
	}
	if len(plan.Steps[0].Moves) != 40 || plan.Steps[0].Moves[3] != (routing.Move{VShard: 12, To: 0}) || len(plan.Footprint) != 41 {
		t.Errorf("it moves %v, footprint %d", plan.Steps[0].Moves, len(plan.Footprint))
	}
	f = undoFleet(t, func(doc *routing.Document) { // a drain was given up on its way
		filled(doc)
		doc.Shards[len(doc.Shards)-1].Role = routing.Draining
	})
	f.world.Operations = []Operation{ours}
	if _, ok := f.undos(20)["drain"]; !ok {
		t.Error("a shard that was left draining is drained no further")
	}
	f = undoFleet(t, filled)
	f.world.Operations = []Operation{ours}
	f.cfg.Capacity.Total = 2800 // shard-0 is under its target without what was moved, and not with it
	if got := f.undos(20); len(got) != 0 {
		t.Errorf("home is too full, and it is drained: %v", got)
	}
}

// TestUndoFreesTheShard: a tenant that is sent home leaves a spare, unless something else lies there.
func TestUndoFreesTheShard(t *testing.T) {
	place := func(doc *routing.Document) {
		doc.Shards[4].Role = routing.Dedicated
		doc.Tenants = []routing.TenantPlacement{{Tenant: "t7", Shards: []routing.ShardID{4}}}
	}
	f := undoFleet(t, place)
	if got := f.undos(20)["return_tenant"]; len(got.Steps) == 0 || !cmp.Equal(got.Steps[0].Shards, []string{"extra"}) || len(got.Footprint) != 2 {
		t.Errorf("undo: %+v", got)
	}
	f = undoFleet(t, func(doc *routing.Document) {
		place(doc)
		doc.Moves = []routing.Move{{VShard: 0, To: 4}}
	})
	if got := f.undos(20)["return_tenant"]; len(got.Steps) == 0 || len(got.Steps[0].Shards) != 0 {
		t.Errorf("undo of a shard that is used: %+v", got)
	}
}

// TestUndosDoNotCoolDown: the operation of an undo is on no shard, and so keeps none from being cooled.
func TestUndosDoNotCoolDown(t *testing.T) {
	f := undoFleet(t, limited)
	f.world.Demand = []Demand{{Tenant: "t7"}, {Tenant: "t9", Key: "k9"}}
	f.world.Operations = []Operation{{ID: "9", Shard: routing.NoShard, Settled: f.start.Add(190 * time.Second)}}
	if got := f.undos(20); len(got) != 2 {
		t.Errorf("undos: %v", got)
	}
}

// TestCompareWithoutTheSalt: at the shards, the loads by a document without the salt are those of the bare key, whatever its pieces bear.
func TestCompareWithoutTheSalt(t *testing.T) {
	f := newTestFleet(t, 4, "key", even(400, 8000)...)
	f.run(30)
	s := f.snapshot()
	salted := f.table.Document().Clone()
	salt := routing.Salt{Key: s.Keys[0].Key, Suffixes: []uint32{0}, Read: 4, Write: 4}
	for suffix := uint32(1); len(salt.Suffixes) < 4; suffix++ {
		salt.Suffixes = append(salt.Suffixes, suffix)
	}
	salted.PutSalt(salt)
	table, err := f.table.With(salted)
	if err != nil {
		t.Fatal(err)
	}
	c := &s.Keys[0]
	home := table.Owner(c.VShard)
	for i := range c.Panes { // a hot key of 4,000 writes/s, seen by its pieces
		c.Panes[i] = linesOf(400, 0.01, 0)
		for j, p := range table.Pieces([]byte(c.Tenant), []byte(c.Key), nil) {
			at := linesOf(100, 0.01, 0)
			s.Panes[i].VShards = append(s.Panes[i].VShards, VShardSums{p.VShard, at})
			if i == 0 {
				c.Pieces = append(c.Pieces, Piece{Suffix: salt.Suffixes[j], VShard: p.VShard})
			}
			c.Pieces[j].Sums = c.Pieces[j].plus(at)
		}
	}
	s.Table, s.LogPoint = table, LogPointShard
	got, err := Compare(s, &f.cfg, f.table.Document(), salted)
	if err != nil {
		t.Fatal(err)
	}
	if got.Before[home] < 1.5*got.After[home] {
		t.Errorf("without the salt %s is at %.2f, with it at %.2f", table.Document().Shards[home].Name, got.Before[home], got.After[home])
	}
}
