package pipeline

import "time"

// View is what the ledger says at one moment, for the goroutine that counts. Nobody changes it.
type View struct {
	Seed    uint64
	Seeded  bool
	At      time.Time // of the newest entry
	Next    int64     // the log's position after it
	Counted map[Partition]Progress
	Topics  []Topic // lives in force
	Fleets  []FleetView
}

// FleetView is the part of one fleet.
type FleetView struct {
	Pane   time.Duration
	Begun  bool     // the window has begun
	First  int64    // its first pane
	Closed int64    // the newest complete pane; First-1 if none is
	Room   int64    // the highest pane that may have traffic
	Past   int64    // panes up to it have left the window
	Shards []string // that are known, where the log names them
}

// View is the ledger as it stands.
func (l *Ledger) View() *View {
	v := &View{Seed: l.seed, Seeded: l.seeded, At: l.at, Next: l.next, Counted: make(map[Partition]Progress, len(l.parts))}
	for p, progress := range l.parts {
		v.Counted[p] = *progress
	}
	for _, t := range l.topics {
		v.Topics = append(v.Topics, t.Topic)
	}
	for _, f := range l.fleets {
		fv := FleetView{Pane: f.live.Pane, Begun: f.begun, First: f.first, Closed: f.closed, Room: f.room(), Past: -1 << 62}
		if f.begun {
			fv.Past = f.first - 1
			if f.closing {
				fv.Past = f.closed - int64(f.live.LongPanes())
			}
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
