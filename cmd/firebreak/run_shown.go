package main

import (
	"errors"
	"sync"
	"time"

	"firebreak/dashboards/console"
	"firebreak/internal/admin"
	"firebreak/routing/control"
)

// pauser is a store that knows whether its calls wait because they are too many.
type pauser interface {
	Paused() (since time.Time, ok bool)
}

// routeStanding is how the routing of one fleet stands, as this process saw it last. Its state must not be changed.
type routeStanding struct {
	fleet string
	state *control.State // nil = it was not read yet
	seen  time.Time      // when
	// why the store does not serve, and since when; empty = it does. throttled says that it is by its own word.
	why       string
	since     time.Time
	throttled bool
}

// shown is what a steward shows of its fleet. The zero value has nothing to show.
type shown struct {
	mu   sync.Mutex // the steward writes, who looks reads
	last routeStanding
}

// note takes in how a turn went: the state after it, nil = as it was.
func (s *shown) note(now time.Time, state *control.State, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state != nil {
		s.last.state, s.last.seen = state, now
	}
	switch {
	case err == nil:
		s.last.why = ""
	case s.last.why == "":
		s.last.since = now
		fallthrough
	default:
		s.last.why = oneLine(err).Error()
	}
}

// standing says how the fleet's routing stands. A store that throttles says so itself, while a turn is still waiting for it.
func (s *steward) standing() routeStanding {
	s.mu.Lock()
	out := s.last
	s.mu.Unlock()
	out.fleet = s.fleet
	if since, ok := pausedOf(s.store); ok {
		out.why, out.since, out.throttled = pausedWords, since, true
	}
	return out
}

// shown is the standing as the page has it.
func (s *routeStanding) shown() console.Routing {
	out := console.Routing{Fleet: s.fleet, Trouble: s.why, Since: s.since}
	if s.state == nil {
		return out
	}
	out.Epoch, out.Version, out.Stopped = s.state.Document.Epoch, s.state.Document.Version, s.state.Document.Stop
	if by := s.state.Stopped; by != nil {
		out.By, out.Reason, out.At = by.By, by.Reason, by.At
	}
	return out
}

// pausedWords say that a store throttles.
const pausedWords = "paused: throttled"

func pausedOf(s stateStore) (since time.Time, ok bool) {
	if p, is := s.(pauser); is {
		return p.Paused()
	}
	return time.Time{}, false
}

// sinceWords says since when, for people.
func sinceWords(why string, since time.Time) string {
	return why + ", since " + since.UTC().Format(time.RFC3339)
}

// standings are those of all fleets that are looked after.
func (s *stewardship) standings() []routeStanding {
	if s == nil {
		return nil
	}
	var out []routeStanding
	for _, of := range s.of {
		out = append(out, of.standing())
	}
	return out
}

// conditions say of each fleet whether its routing can be looked after. Who watches is ready without.
func (s *stewardship) conditions() []admin.Condition {
	var out []admin.Condition
	for _, of := range s.of {
		out = append(out, admin.Condition{Name: "routing of " + printable(of.fleet), Aside: true, Check: func() error {
			if now := of.standing(); now.why != "" {
				return errors.New(sinceWords(now.why, now.since))
			}
			return nil
		}})
	}
	return out
}
