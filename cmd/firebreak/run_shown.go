package main

import (
	"errors"
	"time"

	"firebreak/actuator/steward"
	"firebreak/dashboards/console"
	"firebreak/internal/admin"
)

// shownRouting is how the routing of a fleet stands, as the page has it.
func shownRouting(s *steward.Standing) console.Routing {
	out := console.Routing{Fleet: s.Fleet, Trouble: s.Why, Since: s.Since}
	if s.State == nil {
		return out
	}
	out.Epoch, out.Version, out.Stopped = s.State.Document.Epoch, s.State.Document.Version, s.State.Document.Stop
	if by := s.State.Stopped; by != nil {
		out.By, out.Reason, out.At = by.By, by.Reason, by.At
	}
	return out
}

// sinceWords says since when, for people.
func sinceWords(why string, since time.Time) string {
	return why + ", since " + since.UTC().Format(time.RFC3339)
}

// standings are those of all fleets that are looked after.
func (s *stewardship) standings() []steward.Standing {
	if s == nil {
		return nil
	}
	var out []steward.Standing
	for _, of := range s.of {
		out = append(out, of.Standing())
	}
	return out
}

// conditions say of each fleet whether its routing can be looked after. Who watches is ready without.
func (s *stewardship) conditions() []admin.Condition {
	var out []admin.Condition
	for _, of := range s.of {
		out = append(out, admin.Condition{Name: "routing of " + printable(of.Fleet()), Aside: true, Check: func() error {
			if now := of.Standing(); now.Why != "" {
				return errors.New(sinceWords(now.Why, now.Since))
			}
			return nil
		}})
	}
	return out
}
