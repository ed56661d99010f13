package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"firebreak/dashboards/terminal"
	"firebreak/internal/simulate"
	"firebreak/policy"
	"firebreak/routing"
)

// demo is one telling. Its fields belong to the goroutine of run; feed has the world and shares the clock.
type demo struct {
	flags  *demoFlags
	world  *simulate.World
	home   *routing.Table // of its first document
	engine engine
	out    *demoOutput
	start  time.Time
	end    time.Time    // of the story
	clock  atomic.Int64 // ns of the story that are told

	acts   []demoAct
	told   []policy.Verdict // the firing ones, oldest first
	extra  []policy.Verdict // that fired without anything planted
	doing  string           // what was done last
	shown  int              // acts that were announced
	gone   int              // and that they are over
	spoken time.Time        // of the story: the last line of a plain output about its state
	tick   demoTick         // the last one
	rate   rateMeter
	page   string // where the live page is; "" = nowhere

	mu     sync.Mutex // served
	served []simulate.Counters
}

// demoAct is a scene with what became of it.
type demoAct struct {
	simulate.Scene

	verdict  *policy.Verdict // as last told; nil = not found
	found    time.Time
	resolved time.Time

	fixed    time.Time         // since when its fix is in the routing
	undone   time.Time         // since when no trace of it is
	outcomes map[uint64]string // what its operations were judged, by number; empty = not yet
}

const (
	demoFrames = 5                      // a second
	demoStep   = 100 * time.Millisecond // between two writings, or as long as demoGrain takes
	demoGrain  = 250 * time.Millisecond // of the story: the least that is written
	demoMost   = 5 * time.Second        // of the story: the most, as much as the log may be in disorder
	// demoFarewell is how long an engine may take to judge what is left once a person ended it.
	demoFarewell = 5 * time.Second
)

func newDemo(flags *demoFlags, world *simulate.World, e engine, out *demoOutput) *demo {
	start := simulate.Default().Start
	d := &demo{flags: flags, world: world, home: world.Table(), engine: e, out: out, start: start, end: start.Add(flags.length())}
	for _, s := range world.Scenes(d.end) {
		d.acts = append(d.acts, demoAct{Scene: s})
	}
	return d
}

// run tells the story until its end, an error, or the end of ctx.
func (d *demo) run(ctx context.Context) (err error) {
	if err := d.out.enter(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.out.leave()) }()
	if err := d.plain("mode auto: what is found is acted upon, and nobody is asked\n"); err != nil {
		return err
	}
	fed := make(chan error, 1)
	feeding, stop := context.WithCancel(ctx)
	defer stop()
	go func() { fed <- d.feed(feeding) }()
	redraw := time.NewTicker(time.Second / demoFrames)
	defer redraw.Stop()
	var failed error
	fail := func(err error) {
		if err != nil && failed == nil {
			failed = err
			stop()
		}
	}
	for ticks := d.engine.Ticks(); ; {
		select {
		case t, open := <-ticks:
			if !open {
				if err := <-fed; failed == nil {
					failed = err
				}
				return failed
			}
			fail(d.judge(&t))
		case <-redraw.C:
			fail(d.show(time.Now()))
		}
	}
}

// feed writes the log in step with the clock, then waits until all of it is judged. That ctx ends is no error.
func (d *demo) feed(ctx context.Context) error {
	err := d.write(ctx)
	if ctx.Err() == nil {
		return errors.Join(err, d.engine.Close(ctx))
	}
	// What was written is judged even if a person does not want to see more of it.
	closing, stop := context.WithTimeout(context.WithoutCancel(ctx), demoFarewell)
	defer stop()
	return d.engine.Close(closing)
}

// write steps through the story at its speed, or as fast as the engine follows; it ends when the story does, or the time that
// was asked for.
func (d *demo) write(ctx context.Context) error {
	began := time.Now()
	last := began.Add(d.flags.duration)
	pace := time.NewTimer(0)
	defer pace.Stop()
	step := min(demoMost, max(demoGrain, time.Duration(float64(demoStep)*d.flags.speed).Round(demoGrain)))
	length := d.end.Sub(d.start)
	for at := time.Duration(0); at < length; {
		next := min(length, at+step)
		due := began.Add(time.Duration(float64(next) / d.flags.speed))
		pace.Reset(time.Until(due))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-pace.C:
		}
		if now := time.Now(); d.flags.duration > 0 && now.After(last) {
			return nil
		} else if late := now.Sub(due); late > demoStep {
			began = began.Add(late) // what was lost is not made up for in a rush
		}
		if err := d.engine.Publish(ctx, d.world.Step(d.start.Add(at), d.start.Add(next))); err != nil {
			return err
		}
		d.sample()
		at = next
		d.clock.Store(int64(at))
	}
	return nil
}

// now is the time of the story.
func (d *demo) now() time.Time { return d.start.Add(time.Duration(d.clock.Load())) }

// judge takes a tick: who was found, who was resolved.
func (d *demo) judge(t *demoTick) error {
	d.tick = *t
	if err := d.announce(); err != nil {
		return err
	}
	for i := range t.Decision.Verdicts {
		v := &t.Decision.Verdicts[i]
		a := d.actOf(v)
		if a == nil {
			d.extra = append(d.extra, *v)
		} else if v.Phase == policy.PhaseResolved {
			a.resolved = v.Time
		} else {
			if a.verdict == nil {
				a.found = v.Time
			}
			a.verdict = v
		}
		if v.Phase == policy.PhaseFiring {
			d.told = append(d.told, *v)
		}
		if err := d.say(v, a); err != nil {
			return err
		}
	}
	d.follow(t)
	return d.sayActed(t.Acted)
}

// actOf is the act that a verdict is about: what was planted on its shard when it became hot. A pane may hold the end of calm
// and the beginning of an act.
func (d *demo) actOf(v *policy.Verdict) *demoAct {
	for i := range d.acts {
		a := &d.acts[i]
		if a.Shard == v.Shard && v.Onset.After(a.From.Add(-demoMargin)) && v.Onset.Before(a.To) {
			return a
		}
	}
	return nil
}

// demoMargin is a pane and what one may be off.
const demoMargin = 15 * time.Second

// right says whether an act was found as what it is, with the fix that cools it.
func (a *demoAct) right() bool {
	v := a.verdict
	return v != nil && v.Cause == a.Cause && v.Fix == a.Fix && v.Key == a.Key && (a.Tenant == "" || v.Tenant == a.Tenant)
}

// view is the frame of now.
func (d *demo) view(now time.Time) *terminal.View {
	v := &terminal.View{
		Title: "firebreak demo (mode auto)", Page: d.page, Doing: d.doing, Now: d.now(), Snapshot: d.tick.Snapshot, Policy: d.tick.Policy, Decision: d.tick.Decision, Told: d.told,
		Status: terminal.Status{
			Speed: d.flags.speed, Records: d.rate.at(now, d.tick.Records), Instances: max(1, d.tick.Instances), Coverage: d.tick.Coverage,
		},
	}
	for i := range d.acts {
		a := &d.acts[i]
		if a.From.After(v.Now) {
			break
		}
		v.Acts = append(v.Acts, terminal.Act{Cause: a.Cause, From: a.From, To: a.To, Found: a.found, Resolved: a.resolved, Fixed: a.fixed, Undone: a.undone, Right: a.right()})
	}
	return v
}

// rateMeter is how many records a second were counted of late.
type rateMeter struct {
	since   time.Time
	records uint64
	rate    float64
}

func (r *rateMeter) at(now time.Time, records uint64) float64 {
	switch since := now.Sub(r.since); {
	case r.since.IsZero():
		r.since, r.records = now, records
	case since >= 2*time.Second:
		r.rate = float64(records-r.records) / since.Seconds()
		r.since, r.records = now, records
	}
	return r.rate
}
