package main

import (
	"context"
	"fmt"
	"time"

	"firebreak/actuator"
	"firebreak/internal/config"
	"firebreak/internal/simulate"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// directEngine is one instance that counts, judges and acts in the process, without a broker and without waiting for anything but who receives:
// the log of deltas is a call.
type directEngine struct {
	acting  *demoActing
	live    *pipeline.Live
	tick    *pipeline.Tick
	parts   []*pipeline.Part
	judge   policy.Config
	entries int64
	sealed  time.Time // the last delta, in time of the story
	records uint64
	ready   []demoTick // that nobody has received yet
	ticks   chan demoTick
}

func newDirectEngine(fleet *config.Fleet, world *simulate.World, seed uint64) (*directEngine, error) {
	p := fleet.Pipeline()
	p.Document = world.Table().Document()
	e := &directEngine{judge: fleet.Judge(), ticks: make(chan demoTick), sealed: simulate.Default().Start}
	store := newMemoryStates()
	e.acting = newDemoActing(fleet, world, store, store, e.route, func(*actuator.Entry) {})
	fleets := []pipeline.LiveFleet{{Config: p, Record: fleet.Record, Judge: e.judge, Topics: []string{"main/" + demoTopic}}}
	var err error
	if e.live, err = pipeline.NewLive(fleets, directSink{e}); err != nil {
		return nil, err
	}
	if err := e.apply(pipeline.Genesis(seed)); err != nil {
		return nil, err
	}
	refuse := func(_ string, why record.Reason, m *record.Message) {
		panic(fmt.Sprintf("a line of the log is refused: %v: %s", why, printable(string(m.Value))))
	}
	if e.tick, err = pipeline.NewTick(pipeline.Instance{1}, fleets, seed, refuse); err != nil {
		return nil, err
	}
	e.tick.Sync(e.live.View(), e.sealed.UnixNano())
	topic := pipeline.Topic{ID: pipeline.TopicID{1}, Name: "main/" + demoTopic, Partitions: demoPartitions}
	for i := range int32(demoPartitions) {
		e.parts = append(e.parts, e.tick.Assign(topic, i, 0, nil))
	}
	return e, nil
}

// apply appends an entry to the log of deltas, as of the last one's time.
func (e *directEngine) apply(entry []byte) error {
	out, err := e.live.Apply(e.entries, e.sealed, entry)
	e.entries++
	if err == nil && out.Why != "" {
		err = fmt.Errorf("an entry is not accepted: %s", out.Why)
	}
	if err == nil {
		err = out.Unrouted
	}
	return err
}

// route makes a document what is judged by.
func (e *directEngine) route(_ context.Context, doc *routing.Document) error {
	entry, err := e.live.Route(doc, e.sealed)
	if err != nil || entry == nil {
		return err
	}
	return e.apply(entry)
}

// seal counts what there is up to a moment of the story.
func (e *directEngine) seal(now time.Time) error {
	e.tick.Sync(e.live.View(), now.UnixNano())
	s, err := e.tick.Seal(func(p pipeline.Partition) int64 { return e.tick.Part(p).To() })
	if err != nil {
		return err
	}
	e.sealed = now
	if err := e.apply(s.Entry); err != nil {
		return err
	}
	e.tick.Sync(e.live.View(), now.UnixNano())
	return nil
}

// Publish implements engine.
func (e *directEngine) Publish(ctx context.Context, lines []simulate.Line) error {
	for i := range lines {
		l := &lines[i]
		if l.Time.Sub(e.sealed) >= tickTime {
			if err := e.seal(l.Time); err != nil {
				return err
			}
		}
		p := e.parts[l.Partition]
		if answer := e.tick.Offer(p, p.To(), &record.Message{Value: l.Value, Time: l.Time.UnixNano()}); answer != pipeline.Taken { //nolint:contextcheck // the tick has none
			return fmt.Errorf("a line is not taken: %v", answer)
		}
		e.records++
		if err := e.hand(ctx); err != nil {
			return err
		}
	}
	if len(lines) == 0 {
		return nil
	}
	if err := e.acting.follow(ctx, lines[len(lines)-1].Time); err != nil {
		return err
	}
	return e.hand(ctx)
}

// hand gives what was decided to who receives.
func (e *directEngine) hand(ctx context.Context) error {
	for len(e.ready) > 0 {
		select {
		case e.ticks <- e.ready[0]:
			e.ready = e.ready[1:]
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Ticks implements engine.
func (e *directEngine) Ticks() <-chan demoTick { return e.ticks }

// Close implements engine.
func (e *directEngine) Close(ctx context.Context) error {
	defer close(e.ticks)
	for end := e.sealed.Add(time.Minute); e.sealed.Before(end); {
		if err := e.seal(e.sealed.Add(tickTime)); err != nil {
			return err
		}
	}
	return e.hand(ctx)
}

// directSink is the engine as a pipeline.Sink and Outsider.
type directSink struct{ *directEngine }

func (s directSink) Judged(j *pipeline.Judgement) {
	s.acting.judged(j)
	t := demoTick{Now: j.Now, Snapshot: j.Snapshot, Decision: *j.Decision, Policy: j.Config, Records: s.records, Instances: 1, Coverage: j.Snapshot.Inputs.Coverage}
	s.acting.fill(&t)
	s.ready = append(s.ready, t)
}

func (s directSink) World(fleet string, now time.Time) policy.World {
	return s.acting.World(fleet, now)
}
func (directSink) Save() ([]byte, error) { return nil, nil }
func (directSink) Load([]byte) error     { return nil }

// newDemoEngine makes one for runDemo.
func newDemoEngine(_ context.Context, fleet *config.Fleet, world *simulate.World, seed uint64) (engine, error) {
	return newDirectEngine(fleet, world, seed)
}
