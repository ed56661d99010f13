package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/access"
	"firebreak/internal/history"
	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/profiles"
	"firebreak/routing"
)

// source is one key of a test fleet, with its requests/s in each pane.
type source struct {
	tenant, key string
	reads       float64
	rate        func(pane int) float64
}

func steady(rate float64) func(int) float64 { return func(int) float64 { return rate } }

// between is a rate in the panes [from, to) only.
func between(from, to int, rate float64) func(int) float64 {
	return func(pane int) float64 {
		if pane >= from && pane < to {
			return rate
		}
		return 0
	}
}

// watched is a test fleet without chance that is judged by the real policy and told by the real scribe.
type watched struct {
	t       *testing.T
	name    string
	table   *routing.Table
	cfg     policy.Config
	sources []source
	panes   int
	state   policy.State
	scribe  actuator.Scribe
	told    actuator.Told
	start   time.Time
	model   *Model // nil = nobody looks
	journal []actuator.Entry
	summary *history.Summary
	minutes []history.Minute
	silent  []string            // partitions of the log
	store   *profiles.Store     // nil = the fleet names no profile
	world   func() policy.World // what stands beside the log; nil = nothing
}

// watch is n shards placed by bytes, each with 100 requests/s of small keys.
func watch(t *testing.T, n int, bytes string) *watched {
	t.Helper()
	doc, err := routing.Adopt("orders", routing.Placement{Bytes: bytes, Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(n))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	f := &watched{t: t, name: "orders", table: table, cfg: policy.Default(), start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), summary: history.NewSummary(nil)}
	count := make([]int, n)
	for i := 0; len(f.sources) < 10*n; i++ {
		tenant, key := fmt.Sprint("shop-", i), fmt.Sprint("item:", i)
		if at := table.Locate([]byte(tenant), []byte(key)).Shard; count[at] < 10 {
			count[at]++
			f.sources = append(f.sources, source{tenant, key, 0.5, steady(10)})
		}
	}
	return f
}

// looked gives the fleet a model.
func (f *watched) looked(redact actuator.Redact) *watched {
	f.scribe.Redact = redact
	f.model = New([]Fleet{{Name: f.name, Judge: f.cfg}}, redact)
	return f
}

func (f *watched) snapshot() *policy.Snapshot {
	first := max(0, f.panes-f.cfg.LongPanes)
	n := f.panes - first
	s := &policy.Snapshot{
		Fleet: f.name, Table: f.table, Pane: 10 * time.Second, Panes: make([]policy.Pane, n),
		Inputs: policy.Inputs{Coverage: 1, Sampling: policy.SamplingNone, Tenants: true, Ops: true, Keys: true, Missing: f.silent},
	}
	if f.world != nil {
		s.World = f.world()
	}
	tenants := map[string]int{}
	for p := range n {
		s.Panes[p].Start = f.start.Add(time.Duration(first+p) * s.Pane)
	}
	for i := range f.sources {
		src := &f.sources[i]
		c := policy.Contributor{Key: src.key, Tenant: src.tenant, TenantShare: 1, VShard: f.table.VShard([]byte(src.tenant), []byte(src.key)), Panes: make([]policy.Sums, n)}
		if _, ok := tenants[src.tenant]; !ok {
			tenants[src.tenant] = len(s.Tenants)
			s.Tenants = append(s.Tenants, policy.Contributor{Tenant: src.tenant, VShard: routing.NoVShard, Panes: make([]policy.Sums, n)})
			s.Pairs = append(s.Pairs, policy.Pair{Tenant: src.tenant, Shard: f.table.Owner(c.VShard), Panes: make([]policy.Sums, n)})
		}
		at := tenants[src.tenant]
		for p := range n {
			load := 10 * src.rate(first+p)
			sums := policy.Sums{Load: load, Variance: load, Records: load, Reads: load * src.reads, Writes: load * (1 - src.reads)}
			c.Panes[p] = sums
			add(&s.Tenants[at].Panes[p], sums)
			add(&s.Pairs[at].Panes[p], sums)
			s.Panes[p].VShards = append(s.Panes[p].VShards, policy.VShardSums{VShard: c.VShard, Sums: sums})
		}
		s.Keys = append(s.Keys, c)
	}
	return s
}

func add(to *policy.Sums, s policy.Sums) {
	to.Load, to.Variance, to.Records = to.Load+s.Load, to.Variance+s.Variance, to.Records+s.Records
	to.Reads, to.Writes = to.Reads+s.Reads, to.Writes+s.Writes
}

// now is the moment of the newest tick.
func (f *watched) now() time.Time {
	return f.start.Add(time.Duration(f.panes)*10*time.Second + 5*time.Second)
}

// run ticks up to a pane.
func (f *watched) run(panes int) *watched {
	f.t.Helper()
	for f.panes < panes {
		f.panes++
		s := f.snapshot()
		var d policy.Decision
		d, f.state = policy.Evaluate(s, &f.cfg, f.state, f.now())
		if f.model != nil {
			f.model.Judged(&Tick{Snapshot: s, Config: &f.cfg, Now: f.now(), Decision: &d, State: &f.state, Keys: len(f.sources), Tenants: len(f.sources)})
		}
		f.minutes = append(f.minutes, f.summary.Judged(&history.Tick{Snapshot: s, Config: &f.cfg, Before: &policy.State{}, Now: f.now(), Decision: &d, After: &f.state})...)
		entries, told, err := f.scribe.Write(&actuator.Tick{Fleet: f.name, Now: f.now(), Pane: f.now().Add(-5 * time.Second), Table: f.table, Decision: &d, State: &f.state, Store: f.store}, f.told)
		if err != nil {
			f.t.Fatal(err)
		}
		f.told = told
		f.journal = append(f.journal, entries...)
		if f.model != nil {
			for i := range entries {
				f.model.Entry(&entries[i])
			}
		}
	}
	return f
}

// tell puts an entry into the journal.
func (f *watched) tell(e actuator.Entry, err error) *actuator.Entry {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	f.journal = append(f.journal, e)
	f.model.Entry(&e)
	return &e
}

// hot is the id of the first hotspot that became known.
func (f *watched) hot() string { return f.model.fleets[0].order[0].id }

// accept is what a person says of the first hotspot: it is known for an hour.
func (f *watched) accept(by, reason string) *actuator.Entry {
	f.t.Helper()
	return f.tell(actuator.NewAccepted(f.name, f.now(), actuator.Accepted{
		Hotspot: line.Name(f.hot()), By: line.Name(by), Reason: line.Prose(reason), Until: line.Stamp(f.now().Add(time.Hour)), Load: 1000,
	}))
}

// dismiss is what a person says of it: it is a false alarm.
func (f *watched) dismiss(by, reason string) *actuator.Entry {
	f.t.Helper()
	return f.tell(actuator.NewDismissed(f.name, f.now(), actuator.Dismissed{Hotspot: line.Name(f.hot()), By: line.Name(by), Reason: line.Prose(reason)}))
}

// reopen is that it is told again, because its load grew.
func (f *watched) reopen(accepted *actuator.Entry) *actuator.Entry {
	f.t.Helper()
	b, err := line.Encode(&actuator.Reopened{
		Head: line.NewHead("reopened", f.name, line.Stamp(f.now())), Hotspot: line.Name(accepted.Hotspot), Accepted: accepted.ID, Why: "load", Load: 1300, Was: 1000, Severity: "warning",
	})
	e := actuator.Entry{ID: actuator.NewID("reopened", accepted.ID), Fleet: f.name, At: f.now(), Kind: actuator.KindReopened, Hotspot: accepted.Hotspot, Line: bytes.TrimSpace(b)}
	return f.tell(e, err)
}

// hotKey is a fleet with one written key that gets hot in pane 12 and cools in pane 40.
func hotKey(t *testing.T) *watched {
	f := watch(t, 16, "tenant,key")
	f.sources = append(f.sources, source{"shop-7", "cart:42", 0, between(12, 40, 900)})
	return f
}

// oracle answers what a test asks: exact counts of the test fleet, and a fixed arithmetic.
type oracle struct {
	answer Answer
	err    error
	asked  [][2]string
	status Status
}

func (o *oracle) Ask(_ string, tenant, key []byte) (Answer, error) {
	o.asked = append(o.asked, [2]string{string(tenant), string(key)})
	return o.answer, o.err
}

func (o *oracle) Whatif(q *Question) (*Whatif, error) {
	if o.err != nil {
		return nil, o.err
	}
	form := policy.Form{Share: 0.12, Rate: 100_000, Shards: 16, Reads: 0.05}
	return &Whatif{Form: form, Mean: form.Mean(), Target: 1.5 * form.Mean(), After: form.Salted(4), Fix: "salt", Salt: 4, Why: "Salt the key.", Report: map[string]string{"share": q.Share}}, nil
}

func (o *oracle) Status(context.Context) Status { return o.status }

// served is the handler of a model as a listener on this machine has it.
func served(t testing.TB, m *Model, s Source) http.Handler {
	t.Helper()
	cfg := access.Default()
	h, err := newHandler(&cfg, m, s, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// reported is the handler of a fleet whose group keeps what reports are made of.
func (f *watched) reported(r Reporter) http.Handler {
	f.t.Helper()
	cfg := access.Default()
	h, err := newHandler(&cfg, f.model, &oracle{}, r, nil, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return h
}

// get asks for a path.
func get(t testing.TB, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Host = "localhost:9465"
	h.ServeHTTP(w, r)
	return w
}

// read decodes an answer of the API, which must be 200.
func read[T any](t testing.TB, h http.Handler, path string) T {
	t.Helper()
	w := get(t, h, path)
	var v T
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}
