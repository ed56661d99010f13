package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/sketch"
)

// Player plays one story, directive by directive. The zero value waits for the story directive. It belongs to one goroutine.
type Player struct {
	// Watch sees every evaluation, in order; nil = nobody does. It stays from story to story.
	Watch func(*Tick) error

	fleets []*fleet
	clock  time.Duration // since the start of the story
	queue  []logLine     // still to come, by arrival
	came   []arrival     // in one pane; kept for its memory
	notes  notebook
	err    error
}

// fleet is a fleet under way.
type fleet struct {
	setup   *setup
	table   *routing.Table // in force; nil without a placement
	core    *pipeline.Fleet
	judge   policy.Config
	state   policy.State
	traffic []*traffic
	decoder *record.Decoder
	match   map[*match]*record.Decoder
	refused map[record.Reason]int
	outside outside
	actor   actor
	plans   map[string]*policy.Plan // the newest by shard
	tally   tally
	last    *policy.Snapshot
}

// Tick is one evaluation of one fleet of a story. It is read only, and valid until Watch returns, but for the snapshot.
type Tick struct {
	Snapshot *policy.Snapshot
	Config   *policy.Config // as given to policy.Evaluate, as Now
	Now      time.Time
	Decision *policy.Decision // what policy.Evaluate returned ...
	State    *policy.State    // ... both of it
}

// start is when every story starts: a Monday noon, on the edge of a pane.
func start() time.Time { return time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC) }

func (p *Player) now() time.Time { return start().Add(p.clock) }

// Do carries out one directive and returns what it says. Errors name what in the directive is wrong; they are the story's
// own mistakes and, for expect, what did not come true.
func (p *Player) Do(d *Directive) (string, error) {
	a := newArgs(d.Name, d.Args)
	switch d.Name {
	case "story":
		if err := a.done(); err != nil {
			return "", err
		}
		return p.begin(d.Input)
	case "world":
		return "", errors.Join(a.done(), p.parseWorld(d.Input))
	case "lines":
		return "", p.parseLines(a, d.Input)
	case "run":
		return p.run(a)
	case "expect":
		return "", p.expect(a)
	case "stats":
		return p.stats(), a.done()
	}
	return "", fmt.Errorf("%s: want story, lines, world, run, expect or stats", d.Name)
}

// begin sets a story up. A fleet that the core refuses is what the story says, not a mistake of it.
func (p *Player) begin(input string) (string, error) {
	*p = Player{Watch: p.Watch}
	setups, err := parseStory(input)
	if err != nil {
		return "", err
	}
	var refusals []string
	for _, s := range setups {
		f, refusal, err := newFleet(s)
		if err != nil {
			return "", err
		}
		if refusal != nil {
			refusals = append(refusals, "refused: "+refusal.Error())
			continue
		}
		p.fleets = append(p.fleets, f)
	}
	p.notes = newNotebook(len(p.fleets) > 1)
	return strings.Join(refusals, "\n"), nil
}

// newFleet makes the core of a fleet. refusal is what the core has against it.
func newFleet(s *setup) (f *fleet, refusal, err error) {
	f = &fleet{
		setup: s, plans: map[string]*policy.Plan{}, refused: map[record.Reason]int{}, match: map[*match]*record.Decoder{},
		outside: outside{coverage: -1}, tally: newTally(),
	}
	s.pipeline.Document = s.doc
	if s.doc != nil {
		if f.table, err = routing.NewTable(s.doc); err != nil {
			return nil, nil, fmt.Errorf("fleet %s: %w", s.name, err)
		}
	}
	if s.pipeline.Whole {
		s.pipeline.Pane = time.Second
	}
	f.judge = s.judge
	f.judge.LongPanes = s.pipeline.LongPanes()
	f.judge.FastPanes = min(f.judge.FastPanes, f.judge.LongPanes)
	f.judge.WarmPanes = max(1, int(s.warmup/s.pipeline.Pane))
	if err := f.judge.Validate(); err != nil {
		return nil, nil, fmt.Errorf("fleet %s: %w", s.name, err)
	}
	panes := f.judge.LongPanes
	if f.core, refusal = pipeline.NewFleet(s.pipeline, sketch.NewExact(panes), sketch.NewExact(panes)); refusal != nil {
		return nil, refusal, nil
	}
	for i := range s.streams {
		spec := &s.streams[i]
		cells, err := spec.cells(s, f.table)
		if err != nil {
			return nil, nil, fmt.Errorf("fleet %s: %w", s.name, err)
		}
		f.traffic = append(f.traffic, newTraffic(f, spec, cells, uint64(i)))
	}
	f.decoder, err = record.NewDecoder(canonical(nil))
	return f, nil, err
}

func newTraffic(f *fleet, spec *streamSpec, cells []cell, number uint64) *traffic {
	t := &traffic{owner: f, spec: spec, cells: cells, drawn: f.setup.drawn, rng: rand.New(rand.NewPCG(f.setup.seed, number))}
	var sum float64
	for i := range cells {
		sum += cells[i].weight
		t.upTo = append(t.upTo, sum)
	}
	return t
}

// run goes on for some time.
func (p *Player) run(a *args) (string, error) {
	if len(p.fleets) == 0 {
		return "", errors.New("run: no fleet to run")
	}
	length, err := time.ParseDuration(a.name("0s"))
	if err != nil {
		a.bad("%w", err)
	}
	apply := a.flag("apply")
	p.notes.open(a.words("show"), a.integer("digits", 2))
	step := p.fleets[0].setup.pipeline.Pane
	if err := a.done(); err != nil {
		return "", err
	}
	for end := p.clock + length; p.clock < end && p.err == nil; p.clock += step {
		for _, f := range p.fleets {
			f.actor.on = apply
		}
		p.feed(p.clock, step)
	}
	for _, f := range p.fleets {
		if f.setup.pipeline.Whole || f.core.Timeless() {
			f.core.Close()
			p.advance(f)
		}
		p.notes.end(f, p.clock)
	}
	return p.notes.close(), p.err
}

// feed hands the arrivals of one pane to the fleets, in the order of their coming.
func (p *Player) feed(from, length time.Duration) {
	p.came = p.came[:0]
	for _, f := range p.fleets {
		for _, t := range f.traffic {
			p.came = t.pane(p.came, from, length)
		}
	}
	slices.SortStableFunc(p.came, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	var rec record.Record
	for i := range p.came {
		a := &p.came[i]
		p.lines(a.at)
		a.record(&rec)
		f := a.from.owner
		f.core.Observe(a.from.spec.partition, &rec)
		p.advance(f)
	}
	p.lines(from + length - 1)
}

// advance judges every pane that is complete.
func (p *Player) advance(f *fleet) {
	for p.err == nil && f.core.Advance() {
		p.err = p.tick(f)
	}
}

func (p *Player) tick(f *fleet) error {
	counted, err := f.core.Snapshot()
	if err != nil {
		return err
	}
	if counted.Table == nil {
		p.notes.leaderboards(f)
		return nil
	}
	_, err = p.judge(f, counted, f.core.Now())
	return err
}

// judge decides about what was counted, with what comes from outside, and says and does what follows.
func (p *Player) judge(f *fleet, counted *policy.Snapshot, now time.Time) (*policy.Decision, error) {
	s := f.dress(counted, now)
	cfg := f.judge
	if s.Whole {
		cfg.FastPanes, cfg.LongPanes, cfg.WarmPanes, cfg.For = len(s.Panes), len(s.Panes), 1, 0
	}
	var d policy.Decision
	d, f.state = policy.Evaluate(s, &cfg, f.state, now)
	f.last = s
	for i := range d.Plans {
		if d.Plans[i].Undo {
			continue
		}
		f.plans[f.shardOf(&d, d.Plans[i].Hotspot)] = &d.Plans[i]
	}
	f.tally.add(&d, f.since(now))
	p.notes.tick(f, &d, now)
	if p.Watch != nil {
		if err := p.Watch(&Tick{Snapshot: s, Config: &cfg, Now: now, Decision: &d, State: &f.state}); err != nil {
			return nil, err
		}
	}
	return &d, f.act(&d, now)
}

// shardOf names the shard of a hotspot.
func (f *fleet) shardOf(d *policy.Decision, hotspot string) string {
	for _, list := range [][]policy.Verdict{d.Verdicts, d.Open} {
		for i := range list {
			if list[i].Hotspot == hotspot {
				return list[i].Shard
			}
		}
	}
	return ""
}
