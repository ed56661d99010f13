package control

import (
	"slices"
	"strings"
	"time"
)

// Roll is the clients of a fleet as a decider sees them: it judges by when it saw their confirmations change, so that no client's clock
// is believed, and takes who it sees for the first time as alive. The zero value is empty; not safe for concurrent use.
type Roll struct {
	clients map[string]seen
}

type seen struct {
	Confirmation

	changed time.Time // when its beat was first seen as it is
}

// Observe takes a whole listing of confirmations, at the decider's time now. Clients that are not listed any more are gone.
func (r *Roll) Observe(now time.Time, listed []Confirmation) {
	next := make(map[string]seen, len(listed))
	for _, c := range listed {
		was, known := r.clients[c.Client]
		if !known || was.Confirmation != c {
			was = seen{Confirmation: c, changed: now}
		}
		next[c.Client] = was
	}
	r.clients = next
}

// Live is how many clients confirmed within NoLongerLive, guards not among them.
func (r *Roll) Live(now time.Time) (n int) {
	for _, c := range r.clients {
		if now.Sub(c.changed) < NoLongerLive && !c.Guard {
			n++
		}
	}
	return n
}

// Behind lists the live clients that hold less than version, by name.
func (r *Roll) Behind(now time.Time, version uint64) []Confirmation {
	var out []Confirmation
	for _, c := range r.clients {
		if now.Sub(c.changed) < NoLongerLive && c.Version < version {
			out = append(out, c.Confirmation)
		}
	}
	slices.SortFunc(out, func(a, b Confirmation) int { return strings.Compare(a.Client, b.Client) })
	return out
}

// Listed is a client of a roll. Live says that it confirmed within NoLongerLive.
type Listed struct {
	Confirmation

	Live bool
}

// List lists every client, by name.
func (r *Roll) List(now time.Time) []Listed {
	out := make([]Listed, 0, len(r.clients))
	for _, c := range r.clients {
		out = append(out, Listed{c.Confirmation, now.Sub(c.changed) < NoLongerLive})
	}
	slices.SortFunc(out, func(a, b Listed) int { return strings.Compare(a.Client, b.Client) })
	return out
}

// Forgotten lists the clients whose items may be deleted, by name.
func (r *Roll) Forgotten(now time.Time) []string {
	var out []string
	for name, c := range r.clients {
		if now.Sub(c.changed) >= Forgotten {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
