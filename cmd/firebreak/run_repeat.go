package main

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
)

// repeater is a Sender whose receiver forgets what it was told: it says again what stands. It learns from the journal what does.
type repeater interface {
	Apply(e *actuator.Entry)
	Repeat(ctx context.Context, log *zap.Logger)
}

// repeats are those of a process: they learn all the time, and speak while it tells. The zero value has none. start and stop are
// called by who starts and stops the runner.
type repeats struct {
	all []repeater
	log *zap.Logger
	end context.CancelFunc // nil while they are silent
	run sync.WaitGroup
}

// repeatsOf finds them among the senders.
func repeatsOf(senders map[string]notify.Sender, log *zap.Logger) *repeats {
	r := &repeats{log: log}
	for _, s := range senders {
		if one, ok := s.(repeater); ok {
			r.all = append(r.all, one)
		}
	}
	return r
}

// apply takes an entry of the journal.
func (r *repeats) apply(e *actuator.Entry) {
	for _, one := range r.all {
		one.Apply(e)
	}
}

// want says of the value of an old entry whether something may stand by it: it began, was told, or ended.
func (r *repeats) want(value []byte) bool {
	if len(r.all) == 0 {
		return false
	}
	kinds := []actuator.Kind{actuator.KindVerdict, actuator.KindAdvice, actuator.KindBlind, actuator.KindSighted, actuator.KindActed, actuator.KindDelivered}
	return slices.ContainsFunc(kinds, func(k actuator.Kind) bool { return bytes.Contains(value, []byte(`"kind":"`+k.String()+`"`)) })
}

// start lets them speak until stop.
func (r *repeats) start(ctx context.Context) {
	ctx, r.end = context.WithCancel(context.WithoutCancel(ctx))
	for _, one := range r.all {
		r.run.Go(func() { one.Repeat(ctx, r.log) })
	}
}

// stop silences them, and waits until they are.
func (r *repeats) stop() {
	if r.end == nil {
		return
	}
	r.end()
	r.end = nil
	r.run.Wait()
}
