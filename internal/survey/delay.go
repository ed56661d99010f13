package survey

import (
	"math"
	"slices"
	"time"

	"firebreak/internal/config"
	"firebreak/pipeline/record"
)

// Order is how far a log is in order of time, each file by itself. Behind is what a record lies behind the latest one
// before it.
type Order struct {
	Behind int // records that are behind at all
	Late   int // that are behind by more than the disorder which a pane waits for
	Spread Quantiles
}

// Quantiles are of times, 0 or more; of none all are 0.
type Quantiles struct{ P50, P99, Max time.Duration }

// orderer measures the order of records.
type orderer struct {
	disorder time.Duration
	latest   []int64 // by file
	behind   []time.Duration
	out      Order
}

func (o *orderer) see(part int, at int64) {
	for len(o.latest) <= part {
		o.latest = append(o.latest, math.MinInt64)
	}
	if at >= o.latest[part] {
		o.latest[part] = at
		return
	}
	behind := time.Duration(o.latest[part] - at)
	o.behind = append(o.behind, behind)
	o.out.Behind++
	if behind > o.disorder {
		o.out.Late++
	}
}

func (o *orderer) done() Order {
	o.out.Spread = quantiles(o.behind)
	return o.out
}

// quantiles are by nearest rank.
func quantiles(d []time.Duration) Quantiles {
	if len(d) == 0 {
		return Quantiles{}
	}
	slices.Sort(d)
	rank := func(q float64) time.Duration { return d[max(0, int(math.Ceil(q*float64(len(d))))-1)] }
	return Quantiles{P50: rank(0.5), P99: rank(0.99), Max: d[len(d)-1]}
}

// Arrival is a second time of a log: when a line came, where its first time says when the request did.
type Arrival struct {
	Path string
	time record.TimeConfig
}

// Arrival is the proposal's second time; nil = there is none.
func (p *Proposal) Arrival() *Arrival {
	if p.chooser.arrival == nil {
		return nil
	}
	return &Arrival{Path: p.chooser.arrival.path, time: p.chooser.moments[p.chooser.arrival].cfg}
}

// Delay is how long records take from the request to the log.
type Delay struct {
	Path   string
	Lines  int // that have both times
	Before int // that came before they were: clocks that disagree
	Spread Quantiles
}

// delay compares the two times of every line that has both.
func (a *Arrival) delay(s *Sample, fleet *config.Fleet) (*Delay, error) {
	out := &Delay{Path: a.Path}
	events := map[int]int64{}
	err := s.decode(fleet.Record, func(i int, _ *line, rec *record.Record, reason record.Reason) bool {
		if reason == record.ReasonNone && rec.Time != record.NoTime {
			events[i] = rec.Time
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	cfg := fleet.Record
	cfg.Fields.Time, cfg.Time = record.Field{Path: a.Path}, a.time
	var delays []time.Duration
	err = s.decode(cfg, func(i int, _ *line, rec *record.Record, reason record.Reason) bool {
		at, both := events[i]
		switch {
		case !both || reason != record.ReasonNone || rec.Time == record.NoTime:
		case rec.Time < at:
			out.Before++
			out.Lines++
		default:
			out.Lines++
			delays = append(delays, time.Duration(rec.Time-at))
		}
		return true
	})
	out.Spread = quantiles(delays)
	return out, err
}
