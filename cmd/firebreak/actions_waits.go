package main

import (
	"context"
	"strings"
	"time"

	"firebreak/actuator/operation"
	"firebreak/routing/control"
)

// beside is what a command knows beside the state of a fleet, of what who decides goes by: the clients, all of which it takes for alive, and the
// configuration. Without the right to list the clients, as people.json has none, there is no roll.
func (r *routed) beside(ctx context.Context, now time.Time) (*operation.Around, error) {
	f, err := fleetNamed(r.cfg, r.fleet)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, routeWait)
	defer cancel()
	judge := f.Judge()
	out := &operation.Around{Now: now, Can: f.Mover.Open(nil).Can, Numbers: operation.Numbers{Config: &judge}}
	if clients, err := r.store.Confirmations(ctx); err == nil {
		out.Roll = &control.Roll{}
		out.Roll.Observe(now, clients)
	}
	return out, nil
}

// aside is something that is said of an operation beside its phase.
type aside struct{ label, text string }

// waitsOf says what an operation waits for, as far as the store tells, and why a person must act.
func waitsOf(s *control.State, o *control.Operation, beside *operation.Around) []aside {
	var out []aside
	if o.Needs != "" {
		out = append(out, aside{"a person must act", o.Needs})
	}
	if o.Phase == operation.Undone {
		return out
	}
	stored, err := operation.WaitsStored(s, o.Number, beside)
	if err != nil {
		return append(out, aside{"waits for", err.Error()})
	}
	for _, w := range stored.Waits {
		if o.Held == "" || w.Why != "held by "+o.Held { // standsHow has it
			out = append(out, aside{"waits for", w.Condition.String() + ": " + w.Why})
		}
	}
	var unseen []string
	for _, c := range stored.Unseen {
		unseen = append(unseen, c.String())
	}
	if len(unseen) > 0 {
		out = append(out, aside{"not seen from here", strings.Join(unseen, ", ") + " (the page of the instance that decides says)"})
	}
	return out
}

// standsAndWaits is standsHow with that, on one line.
func standsAndWaits(s *control.State, o *control.Operation, beside *operation.Around) string {
	parts := []string{standsHow(o)}
	for _, a := range waitsOf(s, o, beside) {
		parts = append(parts, a.label+": "+a.text)
	}
	return strings.Join(parts, "; ")
}
