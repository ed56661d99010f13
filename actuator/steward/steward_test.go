package steward

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"
	zapobserver "go.uber.org/zap/zaptest/observer"

	"firebreak/actuator"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
	routingkafka "firebreak/routing/kafka"
	"firebreak/routing/store"
)

// moody is a store that fails where it is told to.
type moody struct {
	store.Store

	requests, confirmations, readBack bool
}

var errMoody = errors.New("away")

func (m *moody) Requests(ctx context.Context) ([]*control.Request, error) {
	if m.requests {
		return nil, errMoody
	}
	return m.Store.Requests(ctx)
}

func (m *moody) Confirmations(ctx context.Context) ([]control.Confirmation, error) {
	if m.confirmations {
		return nil, errMoody
	}
	return m.Store.Confirmations(ctx)
}

func (m *moody) Write(ctx context.Context, was control.At, next *control.State) (control.Written, error) {
	w, err := m.Store.Write(ctx, was, next)
	w.ReadBack = m.readBack
	return w, err
}

// stewardRig is a steward over a store on a broker inside the process; what it writes into the journal is kept.
type stewardRig struct {
	*Steward

	store *moody
	told  []actuator.Entry
	away  bool // the journal
	blind bool // the log of deltas is away

	goesBy []uint64 // versions that it made verdicts go by
}

func newStewardRig(t *testing.T) *stewardRig {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, routingkafka.StateTopic("g"), routingkafka.ClientsTopic("g")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	log, err := routingkafka.Open([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...)}, "g")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	d, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	r := &stewardRig{store: &moody{Store: log.Store("orders")}}
	r.Steward = New(&Config{
		Fleet: "orders", First: control.First(d), Store: r.store, Epoch: func() int64 { return 7 }, Known: func() uint64 { return 0 }, Log: zap.NewNop(),
		Judge: func(_ context.Context, d *routing.Document) error {
			if r.blind {
				return errMoody
			}
			r.goesBy = append(r.goesBy, d.Version)
			return nil
		},
		Append: func(_ context.Context, entries []actuator.Entry) error {
			if r.away {
				return errMoody
			}
			r.told = append(r.told, entries...)
			return nil
		},
	})
	return r
}

// ask puts a request for a quota, for the version that stands.
func (r *stewardRig) ask(t *testing.T, id string, version uint64) {
	t.Helper()
	q := &control.Request{
		ID: id, By: "ann", At: time.Now(), Reason: "it is hot", Do: control.DoSet, IfVersion: version,
		Edits: []control.Edit{{Entry: routing.QuotaEntry("acme"), Value: "5"}},
	}
	if err := r.store.Put(t.Context(), q); err != nil {
		t.Fatal(err)
	}
}

func (r *stewardRig) at(t *testing.T) control.At {
	t.Helper()
	s, err := r.store.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.At()
}

// again is what run does after a round that failed.
func (r *stewardRig) again(ctx context.Context) error {
	err := r.round(ctx)
	if err != nil {
		r.state = nil
	}
	return err
}

// TestStewardClaimsOnce: whatever fails, and however often, a fleet that is ours is not claimed again: each claim is a new version for every
// client.
func TestStewardClaimsOnce(t *testing.T) {
	r := newStewardRig(t)
	if err := r.again(t.Context()); err != nil {
		t.Fatal(err)
	}
	was := r.at(t)
	if was.Epoch != 7 || was.Version != 2 {
		t.Fatalf("it stands at %v", was)
	}
	for name, fail := range map[string]*bool{"requests": &r.store.requests, "confirmations": &r.store.confirmations, "the journal": &r.away} {
		*fail = true
		for range 3 {
			r.counted = time.Time{}
			_ = r.again(t.Context())
		}
		*fail = false
		if err := r.again(t.Context()); err != nil || r.at(t) != was {
			t.Errorf("after %s failed: %v, it stands at %v, want %v", name, err, r.at(t), was)
		}
	}
}

// TestStewardRefusesUndeclaredCaches: also before the first judgement, and by whoever is asked.
func TestStewardRefusesUndeclaredCaches(t *testing.T) {
	r := newStewardRig(t)
	r.cfg.Policy.KeySpaces = []policy.KeySpace{{Prefix: "feed", Staleness: 5 * time.Second}}
	if err := r.again(t.Context()); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"home": "it may not be cached", "feed": ""} {
		q := &control.Request{
			ID: key, By: "ann", At: time.Now(), Reason: "it is read a lot", Do: control.DoSet, IfVersion: r.at(t).Version,
			Edits: []control.Edit{{Entry: routing.CacheEntry("", key), Value: "5s"}},
		}
		if err := r.store.Put(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		if err := r.again(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a, ok := r.state.Answered(key); !ok || (a.Refused == "") != (want == "") || !strings.Contains(a.Refused, want) {
			t.Errorf("%s: %+v, %v", key, a, ok)
		}
	}
}

// TestStewardTellsWhatTheJournalMissed: a change is answered while the journal is away, once, and told when it is back.
func TestStewardTellsWhatTheJournalMissed(t *testing.T) {
	r := newStewardRig(t)
	if err := r.again(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.away, r.store.readBack = true, true
	r.ask(t, "R1", 2)
	for range 3 {
		if err := r.again(t.Context()); !errors.Is(err, errMoody) {
			t.Fatalf("a round without a journal: %v", err)
		}
	}
	r.away, r.store.readBack = false, false
	for range 2 {
		if err := r.again(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	open, err := r.store.Requests(t.Context())
	if err != nil || len(open) != 0 || len(r.told) != 1 || r.at(t).Version != 3 {
		t.Fatalf("%v: %d requests are open, %d entries, it stands at %v", err, len(open), len(r.told), r.at(t))
	}
	said, err := actuator.Read[actuator.Routed](&r.told[0])
	if err != nil || said.Version != 3 || !said.ReadBack || len(said.Changes) != 1 {
		t.Errorf("%v: %+v", err, said)
	}
}

// TestStewardNoticesOthers: what a person wrote without it is told within ten seconds, and the fleet is claimed back.
func TestStewardNoticesOthers(t *testing.T) {
	r := newStewardRig(t)
	if err := r.again(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := &control.Request{ID: "R2", By: "bob", At: time.Now(), Reason: "fire", Do: control.DoSet, IfVersion: 2, Edits: []control.Edit{{Entry: routing.QuotaEntry("a"), Value: "1"}}}
	if a, err := Direct(t.Context(), r.store.Store, q); err != nil || a.Refused != "" {
		t.Fatalf("%+v, %v", a, err)
	}
	r.counted = time.Now().Add(-countEvery)
	if err := r.again(t.Context()); err != nil {
		t.Fatal(err)
	}
	if at := r.at(t); at.Tenure != r.tenure || at.Epoch != 9 || len(r.told) != 1 {
		t.Errorf("it stands at %v, %d entries", at, len(r.told))
	}
}

// TestStewardsDuel: two groups that were given one store claim its fleet from one another; both say so. One that is taken over once does not.
func TestStewardsDuel(t *testing.T) {
	r := newStewardRig(t)
	other := New(&Config{
		Fleet: "orders", First: r.cfg.First, Store: r.store.Store, Epoch: func() int64 { return 7 }, Known: r.cfg.Known, Log: zap.NewNop(),
		Judge: r.cfg.Judge, Append: r.cfg.Append,
	})
	for i := range rivalClaims + 2 {
		for _, s := range []*Steward{r.Steward, other} {
			s.counted = time.Time{} // ten seconds later
			if _, err := s.Round(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := errors.Is(r.rival(), errRival); got != (i >= rivalClaims) {
			t.Errorf("taken %d times: %v", i, r.rival())
		}
	}
	if !errors.Is(other.rival(), errRival) {
		t.Error("the other one does not notice")
	}
	now := time.Now().Add(rivalWithin + time.Minute)
	r.cfg.Clock = func() time.Time { return now }
	if r.rival() != nil {
		t.Errorf("long after: %v", r.rival())
	}
}

// TestStewardShows: an instance that does not decide writes nothing and shows the state that others make; when it decides, it claims at once.
// What fails is shown with the time of its first failure, until it does not any more.
func TestStewardShows(t *testing.T) {
	r := newStewardRig(t)
	decides := int64(0)
	r.cfg.Epoch = func() int64 { return decides }
	turn := func() {
		t.Helper()
		looked, err := r.turn(t.Context())
		if looked {
			r.shown.note(time.Now(), r.state, err)
		}
	}
	again := func() { r.counted = time.Time{}; turn() }
	turn()
	if is := r.Standing(); is.State != nil || is.Why != "" {
		t.Fatalf("before there is a state: %+v", is)
	}
	if _, err := r.store.Write(t.Context(), control.At{}, r.cfg.First); err != nil {
		t.Fatal(err)
	}
	turn()
	if is := r.Standing(); is.State != nil {
		t.Error("it looks all the time")
	}
	again()
	if is := r.Standing(); is.State == nil || is.State.At().Version != 1 || r.at(t).Version != 1 {
		t.Fatalf("%+v", is)
	}
	decides = 7
	r.store.requests = true
	turn()
	began := r.Standing()
	turn()
	if is := r.Standing(); is.Why != errMoody.Error() || !is.Since.Equal(began.Since) || is.Throttled || is.State.At().Epoch != 7 {
		t.Errorf("%+v, at first since %v", is, began.Since)
	}
	r.store.requests = false
	turn()
	if is := r.Standing(); is.Why != "" || r.at(t).Epoch != 7 {
		t.Errorf("it goes on: %+v", is)
	}
}

// TestRoundIsShown: who makes rounds without Run, by a clock of its own, shows the state after each, as of that clock, and why one failed.
func TestRoundIsShown(t *testing.T) {
	r := newStewardRig(t)
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	r.cfg.Clock = func() time.Time { return now }
	state, err := r.Round(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if is := r.View(); is.State != state || !is.Seen.Equal(now) || is.Why != "" {
		t.Errorf("%+v", is.Standing)
	}
	now = now.Add(Every)
	r.store.requests = true
	if _, err := r.Round(t.Context()); !errors.Is(err, errMoody) {
		t.Fatal(err)
	}
	if is := r.View(); is.State == nil || is.Why != errMoody.Error() || !is.Since.Equal(now) {
		t.Errorf("%+v", is.Standing)
	}
}

// TestStewardMakesVerdictsGoByIt: what the steward claims or writes is what the fleet is judged by, once; a log of deltas that is away holds
// up no change; and what stands is said again now and then, for a log that is made anew.
func TestStewardMakesVerdictsGoByIt(t *testing.T) {
	r := newStewardRig(t)
	r.blind = true
	if err := r.again(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.ask(t, "R1", 2)
	if err := r.again(t.Context()); err != nil || r.at(t).Version != 3 || len(r.goesBy) > 0 {
		t.Fatalf("without a log of deltas: %v, it stands at %v, verdicts go by %v", err, r.at(t), r.goesBy)
	}
	r.blind = false
	for range 3 {
		if err := r.again(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r.ask(t, "R2", 3)
	if err := r.again(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.goesBy, []uint64{3, 4}) {
		t.Errorf("verdicts go by %v, want each version once", r.goesBy)
	}
	r.saidAt = time.Now().Add(-judgeEvery)
	if err := r.again(t.Context()); err != nil || !slices.Equal(r.goesBy, []uint64{3, 4, 4}) {
		t.Errorf("%v: verdicts go by %v, want it said again", err, r.goesBy)
	}
}

// TestStewardKeepsForeignRoutingFromVerdicts: a stored document of another base map is looked after, and not judged by.
func TestStewardKeepsForeignRoutingFromVerdicts(t *testing.T) {
	r := newStewardRig(t)
	other, err := routing.Adopt("orders", routing.Placement{Bytes: "tenant", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.store.Write(t.Context(), control.At{}, control.First(other)); err != nil {
		t.Fatal(err)
	}
	core, said := zapobserver.New(zap.WarnLevel)
	r.cfg.Log = zap.New(core)
	if err := r.again(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.ask(t, "R1", 2)
	if err := r.again(t.Context()); err != nil || r.at(t).Version != 3 || len(r.goesBy) > 0 {
		t.Errorf("%v, it stands at %v, verdicts go by %v", err, r.at(t), r.goesBy)
	}
	if said.FilterMessageSnippet("another base map").Len() != 1 {
		t.Errorf("said %v", said.All())
	}
}

// TestStewardSaysWhichShardsDiffer: roles and capacities are those of the stored document, and a configuration that says others is told so.
func TestStewardSaysWhichShardsDiffer(t *testing.T) {
	r := newStewardRig(t)
	stored := r.cfg.First.Document.Clone()
	stored.Shards[2].Capacity, stored.Shards[3].Role = 900, routing.Draining
	if _, err := r.store.Write(t.Context(), control.At{}, control.First(stored)); err != nil {
		t.Fatal(err)
	}
	core, said := zapobserver.New(zap.WarnLevel)
	r.cfg.Log = zap.New(core)
	if err := r.again(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := said.FilterMessageSnippet("other roles or capacities").All()
	if len(all) != 1 || all[0].ContextMap()["shards"] != int64(2) || all[0].ContextMap()["first"] != "shard/shard-2" {
		t.Errorf("said %v", said.All())
	}
}
