package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// Config says what to measure.
type Config struct {
	Load   Load
	Rounds int   // each reads the log once by every stage; 0 = 5
	Procs  []int // GOMAXPROCS of the stages, each measured; nil = 1 and 2
	Launch Launch
	Done   func(readings int) // if set, called after every reading with how many there were
}

// defaultRounds is the number of rounds.
const defaultRounds = 5

// Entry is a line of the table.
type Entry struct {
	Procs int
	Stage Stage
	// Nanos is the median CPU time of a record, Low and High the quartiles, ns.
	Nanos, Low, High float64
	// Step is the median of what a record takes beyond the stage before it; 0 of Plain.
	Step float64
	// Times is how many times as long Plain takes: the median of the ratios within rounds.
	Times float64
	// Rate is records a second and core.
	Rate float64
	// Wall is the median time of a reading, waiting included.
	Wall time.Duration
	// Last is the reading of the last round.
	Last Reading
}

// Table has the entries by Procs, in the order of Stages.
type Table []Entry

// Run measures. It is an error if a stage does not read what was written.
func Run(ctx context.Context, cfg Config) (table Table, err error) {
	if cfg.Rounds == 0 {
		cfg.Rounds = defaultRounds
	}
	if cfg.Procs == nil {
		cfg.Procs = []int{1, 2}
	}
	broker, err := begin(ctx, cfg.Launch, task{Role: roleBroker, Load: cfg.Load}, 0)
	if err != nil {
		return nil, err
	}
	var log served
	if err := broker.hear(&log); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, broker.end()) }()
	readings, err := cfg.readAll(ctx, &log)
	if err != nil {
		return nil, err
	}
	for _, procs := range cfg.Procs {
		base := readings[place{procs, Plain}]
		var before []Reading // of Fetch there is none, and Plain is no step beyond another
		for _, s := range Stages() {
			of := readings[place{procs, s}]
			if s == Plain {
				before = of
			}
			table = append(table, entry(procs, s, of, before, base))
			before = of
		}
	}
	return table, nil
}

// place is a line of the table.
type place struct {
	procs int
	stage Stage
}

// readAll reads the log once a round for each line of the table. Each round begins with another one, so that what the machine
// does meanwhile falls on all alike.
func (c *Config) readAll(ctx context.Context, log *served) (map[place][]Reading, error) {
	var order []place
	for _, procs := range c.Procs {
		for _, s := range Stages() {
			order = append(order, place{procs, s})
		}
	}
	readings := map[place][]Reading{}
	for round := range c.Rounds {
		for i := range order {
			at := order[(round+i)%len(order)]
			r, err := c.read(ctx, log, at.stage, at.procs)
			if err != nil {
				return nil, err
			}
			readings[at] = append(readings[at], r)
			if c.Done != nil {
				c.Done(round*len(order) + i + 1)
			}
		}
	}
	return readings, nil
}

// read runs a stage once and holds what it read against what was written.
func (c *Config) read(ctx context.Context, log *served, s Stage, procs int) (r Reading, err error) {
	child, err := begin(ctx, c.Launch, task{Role: roleStage, Load: c.Load, Stage: s, Addr: log.Addr}, procs)
	if err != nil {
		return r, err
	}
	if err := child.hear(&r); err != nil {
		return r, err
	}
	if err := child.end(); err != nil {
		return r, err
	}
	if r.Records != int64(c.Load.Records) || s != Fetch && r.Weight != log.Weight {
		return r, fmt.Errorf("bench ingest: %s read %d records that stand for %v, written were %d for %v", s, r.Records, r.Weight, c.Load.Records, log.Weight)
	}
	return r, nil
}

// entry sums up the readings of a stage; before are those of the stage before, base those of Plain, of the same rounds.
func entry(procs int, s Stage, of, before, base []Reading) Entry {
	e := Entry{Procs: procs, Stage: s, Last: of[len(of)-1]}
	var nanos, steps, times, walls []float64
	for i := range of {
		nanos = append(nanos, of[i].nanos())
		times = append(times, base[i].nanos()/of[i].nanos())
		walls = append(walls, float64(of[i].Wall))
		if before != nil {
			steps = append(steps, of[i].nanos()-before[i].nanos())
		} else {
			steps = append(steps, of[i].nanos())
		}
	}
	e.Nanos, e.Low, e.High = quantile(nanos, 0.5), quantile(nanos, 0.25), quantile(nanos, 0.75)
	e.Step, e.Times, e.Wall = quantile(steps, 0.5), quantile(times, 0.5), time.Duration(quantile(walls, 0.5))
	e.Rate = float64(time.Second) / e.Nanos
	return e
}

// nanos is the CPU time of a record, ns.
func (r *Reading) nanos() float64 { return float64(r.CPU) / float64(max(1, r.Records)) }

// quantile is the value at q of at least one, by the nearest rank.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}

// Write prints the table.
func (t Table) Write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err := fmt.Fprintln(out, "GOMAXPROCS\tstage\tns a record\tquartiles\tof which this step\trecords/s/core\ttimes plain\twall\tMiB\tdeltas\tKiB\tdecisions\tkeys x windows\t")
	for i := range t {
		if err != nil {
			return err
		}
		e := &t[i]
		_, err = fmt.Fprintf(out, "%d\t%s\t%.0f\t%.0f-%.0f\t%.0f\t%.0f\t%.2f\t%s\t%d\t%d\t%d\t%d\t%d\t\n", e.Procs, e.Stage, e.Nanos, e.Low, e.High, e.Step, e.Rate, e.Times,
			e.Wall.Round(time.Millisecond), e.Last.Resident>>20, e.Last.Deltas, e.Last.Bytes>>10, e.Last.Judged, e.Last.Distinct)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}
