package report

import (
	"time"

	"firebreak/internal/words"
)

// Summary is what the run itself knows of one fleet, beside its ticks.
type Summary struct {
	Fleet      string
	From, To   time.Time // of the records counted; zero in a log without time
	Lines      uint64    // read, of all fleets
	Records    uint64    // read
	Counted    uint64
	Requests   float64 // that the counted records stand for
	Refused    []Tally // by reason, sorted
	Other      []Tally // late, from the future, without a time, ...: those above 0
	Delay      Delay
	Detectable Detectable
	Missing    []string // what the log lacks, and what cannot be known without it
	Findings   []Finding
	Distinct   Distinct
	Methods    bool   // reads and writes are told apart by the method of HTTP, and by no rule that looks at keys
	Cost       string // what a request loads a shard with; empty = 1
	// Owner is who answers for a key of a tenant. It may be nil.
	Owner func(tenant, key string) words.Owner
}

// Tally is a number of records and why they are set apart.
type Tally struct {
	N    uint64
	What string
}

// Delay is the time from onset to verdict in seconds; zero where nothing fired.
type Delay struct{ P50, P95, Max float64 }

// Detectable is what a log of this traffic can promise to find, with 95 %. The zero value is not known.
type Detectable struct {
	Line        float64 // as a multiple of the mean
	Samples     float64 // effective samples a minute on a shard at the line
	OneMinute   float64 // smallest load / line found within a minute; 0 = none
	FiveMinutes float64
}

// Finding is something true of the run that nobody needs to be woken for.
type Finding struct{ Shard, Reason string }

// Distinct is the size of the last window.
type Distinct struct {
	Keys, Tenants int
	Load          float64 // requests, or cost units
}

// Fleet is one fleet of a report.
type Fleet struct {
	Summary  Summary
	Recorder *Recorder
	Week     *Week // of the history and the journal; nil = of a log that was read, which Recorder saw
}

// Run is all that one report is about.
type Run struct {
	Files  []string // as they are to be shown
	Fleets []Fleet
	Broken string // why reading ended early; empty = it did not
}
