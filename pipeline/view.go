package pipeline

import (
	"time"

	"firebreak/pipeline/record"
)

// View is what the ledger says at one moment, for the goroutine that counts. Nobody changes it.
type View struct {
	Seed    uint64
	Seeded  bool
	At      time.Time // of the newest entry
	Next    int64     // the log's position after it
	Counted map[Partition]Progress
	Topics  []Topic     // lives in force
	Born    []time.Time // by topic: when the log named it first
	Fleets  []FleetView
}

// FleetView is the part of one fleet.
type FleetView struct {
	Pane   time.Duration
	Begun  bool     // the window has begun
	First  int64    // its first pane
	Closed int64    // the newest complete pane; First-1 if none is
	Room   int64    // the highest pane that may have traffic
	Slow   int64    // event time, ns, up to which the slowest partition is: it may go on whatever Room is; record.NoTime = not known
	Past   int64    // panes up to it have left the window
	Shards []string // that are known, where the log names them
	Routed *Routed  // nil = the configuration's document is what the fleet is judged by
}

// View is the ledger as it stands.
func (l *Ledger) View() *View {
	v := &View{Seed: l.seed, Seeded: l.seeded, At: l.at, Next: l.next, Counted: make(map[Partition]Progress, len(l.parts))}
	for p, progress := range l.parts {
		v.Counted[p] = *progress
	}
	for _, t := range l.topics {
		v.Topics, v.Born = append(v.Topics, t.Topic), append(v.Born, t.born)
	}
	for _, f := range l.fleets {
		fv := FleetView{Pane: f.live.Pane, Begun: f.begun, First: f.first, Closed: f.closed, Room: f.room(), Slow: record.NoTime, Past: -1 << 62, Routed: f.routed}
		if mark, ok := l.mark(f, l.at); ok && f.begun {
			fv.Slow = mark + int64(f.live.Disorder)
		}
		if f.begun {
			fv.Past = f.closed - int64(f.live.LongPanes()) // not First: another's window may have begun before
		}
		if f.places.explicit {
			for _, s := range f.places.shards {
				fv.Shards = append(fv.Shards, s.Name)
			}
		}
		v.Fleets = append(v.Fleets, fv)
	}
	return v
}
