package survey

import (
	"time"

	"github.com/zeebo/xxh3"

	"firebreak/internal/config"
	"firebreak/pipeline/record"
)

// Inspection is what a configuration makes of a sample.
type Inspection struct {
	Lines, Read  int // to be records, and read as such
	Blank, Other int // blank, and another fleet's (match)
	Refused      []Refusal
	First        []First

	Timed, Untimed int // of the lines that were read
	From, To       time.Time
	Order          Order
	Delay          *Delay // nil = the log has one time only
	Clump          Clump
	Rate           Rates

	Reads, Writes                   int      // the others' op is unknown or absent
	OpWords                         bool     // an op is mapped
	Keys, Tenants, Shards, Callers  int      // distinct
	Keyed, Tenanted, Sharded        int      // lines that name one
	Sized, Latent, Statused, Thrown int      // lines with bytes, a latency, a status, and refused for load
	Missing                         []string // columns that are mapped and not in the header
}

// Refusal is a reason with the first lines that it met.
type Refusal struct {
	Reason record.Reason
	Count  int
	Lines  []int // numbers in their files, the first few
}

// First is one of the first lines as it was read. Its texts are raw bytes: escape them.
type First struct {
	Line                       int
	Time                       time.Time // zero = none
	Tenant, Key, Shard, Caller string
	Op                         record.Op
	Count, Rate                float64 // Rate 0 = the line does not say
}

// Rates is what the lines say of sampling.
type Rates struct {
	Lines    int     // that carry a rate
	Min, Max float64 // of them
	Requests float64 // that all lines stand for
}

const (
	// firstLines is how many lines are shown as they are read.
	firstLines = 5
	// exampleLines is how many line numbers are shown for a reason.
	exampleLines = 5
)

// Inspect reads a sample as a fleet's record part says. disorder is how late a record may be.
func Inspect(s *Sample, fleet *config.Fleet, disorder time.Duration, arrival *Arrival) (*Inspection, error) {
	in := &Inspection{OpWords: len(fleet.Record.Ops) > 0 || fleet.Record.Fields.Op.Path != "" || fleet.Record.Preset != ""}
	w := newWatcher(in, fleet, disorder)
	if err := s.decode(fleet.Record, w.see); err != nil {
		return nil, err
	}
	w.finish(s)
	d, err := record.NewDecoder(fleet.Record)
	if err != nil {
		return nil, err
	}
	if len(s.parts) > 0 && d.NeedsHeader() {
		if err := d.Header(s.parts[0].lines[0].bytes); err != nil {
			return nil, err
		}
		in.Missing = d.Missing()
	}
	if arrival != nil {
		if in.Delay, err = arrival.delay(s, fleet); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// watcher collects an Inspection line by line.
type watcher struct {
	in       *Inspection
	rate     float64
	reasons  map[record.Reason]*Refusal
	names    [4]map[uint64]struct{} // keys, tenants, shards, callers
	order    orderer
	arrivals []arrivalOf
}

func newWatcher(in *Inspection, fleet *config.Fleet, disorder time.Duration) *watcher {
	w := &watcher{in: in, rate: fleet.Record.Rate, reasons: map[record.Reason]*Refusal{}, order: orderer{disorder: disorder}}
	for i := range w.names {
		w.names[i] = map[uint64]struct{}{}
	}
	return w
}

// see takes one line.
func (w *watcher) see(_ int, l *line, rec *record.Record, reason record.Reason) bool {
	w.in.Lines++
	if reason != record.ReasonNone {
		w.refuse(reason, l.number)
		return true
	}
	w.in.Read++
	if len(w.in.First) < firstLines {
		w.in.First = append(w.in.First, firstOf(l, rec))
	}
	w.identities(rec)
	w.measures(rec)
	if rec.Time == record.NoTime {
		w.in.Untimed++
		return true
	}
	at := time.Unix(0, rec.Time).UTC()
	if w.in.Timed == 0 || at.Before(w.in.From) {
		w.in.From = at
	}
	if w.in.Timed == 0 || at.After(w.in.To) {
		w.in.To = at
	}
	w.in.Timed++
	w.order.see(l.part, rec.Time)
	name := rec.FullKey
	if name == nil {
		name = rec.FullTenant
	}
	if name != nil {
		w.arrivals = append(w.arrivals, arrivalOf{name: xxh3.Hash(name), at: rec.Time})
	}
	return true
}

// refuse counts a line that gave no record.
func (w *watcher) refuse(reason record.Reason, number int) {
	if reason == record.ReasonNotMatched {
		w.in.Other++
		return
	}
	r := w.reasons[reason]
	if r == nil {
		r = &Refusal{Reason: reason}
		w.reasons[reason] = r
	}
	if r.Count++; len(r.Lines) < exampleLines {
		r.Lines = append(r.Lines, number)
	}
}

func firstOf(l *line, rec *record.Record) First {
	f := First{
		Line: l.number, Tenant: string(rec.FullTenant), Key: string(rec.FullKey), Shard: string(rec.Shard), Caller: string(rec.Caller),
		Op: rec.Op, Count: rec.Count, Rate: rec.Rate,
	}
	if rec.Time != record.NoTime {
		f.Time = time.Unix(0, rec.Time).UTC()
	}
	return f
}

// identities counts who and where.
func (w *watcher) identities(rec *record.Record) {
	for i, b := range [...][]byte{rec.FullKey, rec.FullTenant, rec.Shard, rec.Caller} {
		if b != nil {
			w.names[i][xxh3.Hash(b)] = struct{}{}
		}
	}
	if rec.Key != nil {
		w.in.Keyed++
	}
	if rec.Tenant != nil {
		w.in.Tenanted++
	}
	if rec.Shard != nil {
		w.in.Sharded++
	}
}

// measures counts what else a line says.
func (w *watcher) measures(rec *record.Record) {
	switch rec.Op {
	case record.OpRead:
		w.in.Reads++
	case record.OpWrite:
		w.in.Writes++
	case record.OpUnknown:
	}
	for _, has := range []struct {
		is   bool
		into *int
	}{{rec.Bytes > 0, &w.in.Sized}, {rec.Latency > 0, &w.in.Latent}, {rec.Status > 0, &w.in.Statused}, {rec.Throttled, &w.in.Thrown}} {
		if has.is {
			*has.into++
		}
	}
	r := &w.in.Rate
	r.Requests += rec.Requests(w.rate)
	if rec.Rate == 0 {
		return
	}
	if r.Lines == 0 || rec.Rate < r.Min {
		r.Min = rec.Rate
	}
	r.Max = max(r.Max, rec.Rate)
	r.Lines++
}

// finish adds what is known at the end.
func (w *watcher) finish(s *Sample) {
	in := w.in
	for i := range s.parts {
		in.Blank += s.parts[i].blank
		for _, l := range s.parts[i].refused {
			in.Lines++
			w.refuse(l.reason, l.number)
		}
	}
	for _, reason := range record.Reasons() {
		if r := w.reasons[reason]; r != nil {
			in.Refused = append(in.Refused, *r)
		}
	}
	in.Keys, in.Tenants, in.Shards, in.Callers = len(w.names[0]), len(w.names[1]), len(w.names[2]), len(w.names[3])
	in.Order = w.order.done()
	in.Clump = clumping(w.arrivals)
}
