package sketch

import (
	"fmt"
	"slices"

	"firebreak/bench/measure"
	"firebreak/bench/textbook"
)

// Config says what to measure. DefaultConfig gives the sizes that the goals are stated for.
type Config struct {
	// Panes is how many complete panes a window has, and Updates how many records a pane.
	Panes, Updates int
	// Rounds is how often every contender counts one more pane when its window is full, at least measure.MinRounds.
	Rounds int
	// Seed draws the streams.
	Seed uint64
	// Most is the largest number of distinct keys of the curves.
	Most int
	// Others are measured in the same run, behind ours and the textbook's.
	Others []Contender
}

// DefaultConfig is 60 panes of 100,000 records and curves up to 50 million keys.
func DefaultConfig() Config {
	return Config{Panes: 60, Updates: 100_000, Rounds: 31, Seed: 1, Most: 50_000_000}
}

// Row is what was measured of one contender on one stream.
type Row struct {
	measure.Result // of one record; the ends of panes are left out of the time, not of the allocations

	// Stream is the name of the stream.
	Stream string
	// Times is how many times as long as Ours a record takes, 1 for Ours.
	Times float64
	// Least is the time of a record in the fastest round, in nanoseconds.
	Least float64
	// Turn is the median time of the end of a pane, Worst the longest, and Top that of listing the 100 heaviest keys,
	// all in microseconds.
	Turn, Worst, Top float64
	// Heap is how many bytes of memory the full window holds, and Most the most that it can ever hold; 0 = it names none.
	Heap, Most int
	Accuracy
}

// Table has the rows by stream: Ours first, the others as they were given.
type Table []Row

// Run measures every contender on every stream of textbook.Kinds.
func Run(cfg Config) (Table, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	var t Table
	for _, kind := range textbook.Kinds() {
		rows, err := runStream(kind, &cfg)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind.Name, err)
		}
		t = append(t, rows...)
	}
	return t, nil
}

const (
	// MaxPanes bounds the window: the textbook's takes a MiB a pane.
	MaxPanes = 360
	// MaxRecords bounds what a window holds, and the keys of the curves: a stream takes 22 bytes a record.
	MaxRecords = 100_000_000
)

// validate says which size is out of range.
func (c *Config) validate() error {
	if c.Panes < 1 || c.Panes > MaxPanes || c.Updates < 1 || c.Updates > MaxRecords/c.Panes || c.Most < 1 || c.Most > MaxRecords {
		return fmt.Errorf("want 1 to %d panes, 1 or more records a pane, %d in all at most, and 1 to as many keys", MaxPanes, MaxRecords)
	}
	return nil
}

// seat is a contender while it is measured.
type seat struct {
	Contender
	window Window
	next   int // pane
	row    Row
	turns  []float64 // microseconds
	err    error
}

// runStream measures one stream.
func runStream(kind textbook.Kind, cfg *Config) ([]Row, error) {
	stream := textbook.Draw(kind, cfg.Panes, cfg.Updates, cfg.Seed)
	var seats []*seat
	for _, c := range slices.Concat(ours(), standard(), cfg.Others) {
		seats = append(seats, &seat{Contender: c, row: Row{Stream: kind.Name}})
	}
	// Those of many small objects are filled last: they slow down what the collector does for the others.
	for _, heavy := range []bool{false, true} {
		for _, s := range seats {
			if s.Heavy != heavy {
				continue
			}
			if err := s.fill(stream); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	exact := count(stream)
	for _, s := range seats {
		s.row.Accuracy = exact.judge(s.window.Top(longList))
	}
	// The heavy ones beside Ours first, then, when they are gone, all the others.
	if err := race(withOurs(seats), cfg.Updates, measure.MinRounds); err != nil {
		return nil, err
	}
	for _, s := range seats {
		if s.Heavy {
			s.window = Window{}
		}
	}
	if err := race(light(seats), cfg.Updates, cfg.Rounds); err != nil {
		return nil, err
	}
	rows := make([]Row, len(seats))
	for i, s := range seats {
		rows[i] = s.row
	}
	return rows, nil
}

// withOurs gives Ours, and behind it those that are heavy.
func withOurs(seats []*seat) []*seat {
	return slices.DeleteFunc(slices.Clone(seats), func(s *seat) bool { return !s.Heavy && s.Name != Ours })
}

// light gives those that are not heavy, Ours first.
func light(seats []*seat) []*seat {
	return slices.DeleteFunc(slices.Clone(seats), func(s *seat) bool { return s.Heavy })
}
