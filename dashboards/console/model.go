package console

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/internal/words"
	"firebreak/policy"
)

// Fleet is what the console knows of a fleet from the start.
type Fleet struct {
	Name  string        // 1 to 255 bytes, unique
	Judge policy.Config // its lines and capacities
	Cost  string        // what a request loads a shard with; empty = 1
	// Owner is who answers for a key of a tenant, as the journal names them. It may be nil.
	Owner func(tenant, key string) words.Owner
}

// Tick is one evaluation of one fleet. It is read only, and nothing of it but its table is kept.
type Tick struct {
	Snapshot *policy.Snapshot
	Config   *policy.Config
	Now      time.Time // as given to policy.Evaluate
	Decision *policy.Decision
	State    *policy.State // after it; nil = what is pending is not known
	Keys     int           // distinct ones in the window; 0 = not known
	Tenants  int           // the same
}

// Model is what the page shows: it is fed by the loop and read by requests. New makes it; it is safe for concurrent use.
type Model struct {
	redact  actuator.Redact
	version atomic.Uint64 // counts what changed

	mu      sync.RWMutex // all below: the watcher, the readers of journal and history feed it, requests read it
	fleets  []*fleet
	decider Decider
	read    int        // entries of the journal
	reports []Reported // oldest period first
}

// Decider is who decided last, as the journal says.
type Decider struct {
	Instance string // empty = the journal names none
	Epoch    int64
	At       time.Time
}

// fleet is what is known of one.
type fleet struct {
	Fleet

	now     *present // of the newest tick; nil = none yet
	grid    grid
	summary *history.Summary
	spoken  actuator.Spoken
	hot     map[string]*hotspot
	order   []*hotspot // as they became known
	changed []*changed // of its routing, as the journal has them
	undos   []*plan    // that stand and are of no hotspot
	dropped int        // hotspots that were forgotten while they were open
}

// New makes a model that knows nothing but its fleets. redact hides keys and tenants; nil = they are shown.
func New(fleets []Fleet, redact actuator.Redact) *Model {
	m := &Model{redact: redact}
	for _, f := range fleets {
		m.fleets = append(m.fleets, &fleet{Fleet: f, summary: history.NewSummary(redact), hot: map[string]*hotspot{}})
	}
	return m
}

// Version changes whenever what is shown may have changed.
func (m *Model) Version() uint64 { return m.version.Load() }

// fleet finds a fleet by its name; nil = there is none. The lock is held.
func (m *Model) fleet(name string) *fleet {
	for _, f := range m.fleets {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Minute takes in a minute of the history.
func (m *Model) Minute(minute *history.Minute) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.fleet(minute.Fleet); f != nil && f.grid.add(minute) {
		m.version.Add(1)
	}
}

// Judged takes in an evaluation. It is called in the order of the log, from one goroutine.
func (m *Model) Judged(t *Tick) {
	if t.Snapshot.Table == nil {
		return
	}
	now := m.present(t) // no lock is needed for what only this goroutine sees
	seen := m.pictures(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.fleet(t.Snapshot.Fleet)
	if f == nil {
		return
	}
	minutes := f.summary.Judged(&history.Tick{
		Snapshot: t.Snapshot, Config: t.Config, Before: &policy.State{}, Now: t.Now, Decision: t.Decision, After: &policy.State{}, Keys: t.Keys, Tenants: t.Tenants,
	})
	for i := range minutes {
		f.grid.add(&minutes[i])
	}
	now.follows(f.now)
	f.now = now
	f.judged(t, m.redact, seen)
	f.forget(t.Now)
	m.version.Add(1)
}

// Entry takes in an entry of the journal, in the order in which it stands there.
func (m *Model) Entry(e *actuator.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read++
	m.version.Add(1)
	switch e.Kind { //nolint:exhaustive // all others are of a hotspot, or not shown
	case actuator.KindDecider:
		m.decider = Decider{Instance: e.Instance, Epoch: e.Epoch, At: e.At}
	case actuator.KindReport:
		m.reported(e)
	}
	f := m.fleet(e.Fleet)
	if f == nil {
		return
	}
	if f.acted(e); e.Hotspot == "" {
		return
	}
	f.speak(e, false)
	f.entry(e)
	f.forget(e.At)
}

// Recall takes in an entry of the journal that is older than what is shown, before all that Entry is given: of those only what people
// said of hotspots that are not over, and which reports were written, is known.
func (m *Model) Recall(e *actuator.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version.Add(1)
	if e.Kind == actuator.KindReport {
		m.reported(e)
	}
	f := m.fleet(e.Fleet)
	if f == nil {
		return
	}
	if e.Kind == actuator.KindRouted || e.Kind == actuator.KindActed {
		f.acted(e)
	}
	if e.Hotspot != "" {
		f.speak(e, true)
	}
}

// maxReports bounds the reports that are known: more than a month of weeks.
const maxReports = 64

// Reported is what the journal says of a report.
type Reported struct {
	actuator.Reported

	At time.Time // when it was written, or given up
}

// reported takes in that a report was written, or given up.
func (m *Model) reported(e *actuator.Entry) {
	l, err := actuator.Read[actuator.Reported](e)
	if err != nil {
		return
	}
	m.reports = slices.DeleteFunc(m.reports, func(r Reported) bool { return r.From == l.From && r.To == l.To })
	m.reports = append(m.reports, Reported{l, e.At})
	slices.SortStableFunc(m.reports, func(a, b Reported) int { return timeOf(a.To).Compare(timeOf(b.To)) })
	m.reports = m.reports[max(0, len(m.reports)-maxReports):]
}
