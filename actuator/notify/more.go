package notify

import (
	"cmp"
	"maps"
	"slices"

	"firebreak/actuator"
	"firebreak/internal/line"
)

const (
	// maxFleets is how many fleets a summary names, and maxWorst how many shards of each: what fits into a message beside the rest.
	maxFleets = 5
	maxWorst  = 3
)

// More says that there was more than could be told one by one: how that stands, since the first of it.
type More struct {
	Group     string         `json:"-"`               // the same until all of it is over
	Owner     *Owner         `json:"-"`               // who answers for all of it; nil = nobody is named, or several are
	N         int            `json:"n"`               // hotspots and other subjects
	Open      int            `json:"open"`            // of them: not over
	Critical  int            `json:"critical"`        // of those that are open
	Accepted  int            `json:"accepted"`        // of them: they last, and a person wants to hear no more of them
	Dismissed int            `json:"dismissed"`       // of them: they last, and a person called them false alarms
	Over      int            `json:"over"`            // of them
	Apart     int            `json:"apart"`           // of them: told by themselves since
	Again     bool           `json:"again,omitempty"` // by the summary before nothing was open, and now something is
	From      line.Stamp     `json:"from"`            // of the entries' ticks
	To        line.Stamp     `json:"to"`
	Kinds     map[string]int `json:"kinds"`
	Fleets    []MoreOf       `json:"fleets"`                 // the ones with most that is open first, at most maxFleets
	Others    int            `json:"other_fleets,omitempty"` // that are not among them
}

// MoreOf is what a summary says of one fleet.
type MoreOf struct {
	Fleet    line.Name `json:"fleet"` // empty = of the whole group
	N        int       `json:"n"`
	Open     int       `json:"open"`
	Critical int       `json:"critical"`
	Worst    []Worst   `json:"worst,omitempty"` // at most maxWorst shards of what is open
}

// Worst is one shard of a summary.
type Worst struct {
	Shard    line.Name   `json:"shard"`
	Severity string      `json:"severity"`
	Times    line.Number `json:"times"`          // its load in multiples of its line, when it was told; 0 = not known
	Team     string      `json:"team,omitempty"` // that answers for it; empty = nobody is named
}

// summary is what is to be said of a storm.
func (s *storm) summary() *More {
	m := &More{Group: s.id, Owner: s.owner.named(), N: len(s.members) + s.beyond, From: line.Stamp(s.from), To: line.Stamp(s.to), Kinds: map[string]int{}}
	fleets := map[string]*MoreOf{}
	open := map[string][]*member{}
	for _, one := range s.members {
		m.count(one)
		of := fleets[one.fleet]
		if of == nil {
			of = &MoreOf{Fleet: line.Name(one.fleet)}
			fleets[one.fleet] = of
		}
		if of.N++; !one.open() {
			continue
		}
		of.Open++
		if one.severity == Critical {
			of.Critical++
		}
		open[one.fleet] = append(open[one.fleet], one)
	}
	m.Again = s.quiet && m.Open > 0
	order := slices.SortedFunc(maps.Values(fleets), func(a, b *MoreOf) int {
		return cmp.Or(b.Critical-a.Critical, b.Open-a.Open, b.N-a.N, cmp.Compare(a.Fleet, b.Fleet))
	})
	for _, of := range order[:min(len(order), maxFleets)] {
		of.Worst = worst(open[string(of.Fleet)])
		m.Fleets = append(m.Fleets, *of)
	}
	m.Others = len(order) - len(m.Fleets)
	return m
}

// count counts a member in.
func (m *More) count(one *member) {
	m.Kinds[one.kind.String()]++
	switch {
	case one.over:
		m.Over++
	case one.apart:
		m.Apart++
	case one.said == actuator.KindAccepted:
		m.Accepted++
	case one.said == actuator.KindDismissed:
		m.Dismissed++
	case one.lasts:
		m.Open++
		if one.severity == Critical {
			m.Critical++
		}
	}
}

// worst are the shards of the members that are most over their lines, the critical first.
func worst(open []*member) (out []Worst) {
	slices.SortFunc(open, func(a, b *member) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(b.times, a.times), cmp.Compare(a.shard, b.shard))
	})
	for _, m := range open {
		known := slices.ContainsFunc(out, func(w Worst) bool { return w.Shard == m.shard })
		if m.shard == "" || known || len(out) >= maxWorst {
			continue
		}
		out = append(out, Worst{Shard: m.shard, Severity: m.severity.String(), Times: line.Number(m.times), Team: m.team})
	}
	return out
}
