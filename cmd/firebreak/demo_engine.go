package main

import (
	"context"
	"time"

	"firebreak/actuator"
	"firebreak/internal/simulate"
	"firebreak/policy"
	"firebreak/routing/control"
)

// engine watches the log of the demonstration. Publish and Close are called by one goroutine, while another receives the
// ticks.
type engine interface {
	// Publish takes the next lines of the log, in order of time; they are the engine's from then on. It may wait until
	// they are taken.
	Publish(ctx context.Context, lines []simulate.Line) error
	// Ticks has what was decided, in order. Close closes it, whatever it returns.
	Ticks() <-chan demoTick
	// Close says that the log is over. It returns when all of it was judged, or with the error of ctx; an engine that
	// failed meanwhile says why.
	Close(ctx context.Context) error
}

// demoTick is one decision of an engine and what it knew.
type demoTick struct {
	Now      time.Time // virtual: of the tick
	Snapshot *policy.Snapshot
	Decision policy.Decision
	Policy   *policy.Config // that judged it

	Acted   []actuator.Acted // since the tick before
	Routing *control.State   // nil = there is none yet

	Records   uint64 // counted so far
	Instances int    // that count
	Coverage  float64
}
