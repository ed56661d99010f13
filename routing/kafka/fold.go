package kafka

import (
	"fmt"
	"slices"

	"firebreak/routing"
	"firebreak/routing/control"
)

// maxWins is how many of the latest writes that took effect a fold remembers at most, and half of it at least: about 100 KB. Who asks after
// more changes of the fleet than that what became of a write is told that it is not known; a write takes seconds, and a fleet changes a few
// times a minute.
const maxWins = 1000

// fold is the state of one fleet as the log has it up to some offset. The zero value is of an empty log.
type fold struct {
	state    *control.State
	bytes    int // of the state as it was written
	requests []*control.Request
	clients  int    // that live, as the decider counted last
	wins     []win  // the latest writes that took effect, oldest first
	void     uint64 // entries that changed nothing: too late, twice, or not to be read
}

// win is a write that took effect.
type win struct {
	at control.At
	id string // of the write; empty = a snapshot repeated it
}

// at is where the state stands; zero = there is none.
func (f *fold) at() control.At {
	if f.state == nil {
		return control.At{}
	}
	return f.state.At()
}

// settled says what became of a write that named the state was. Neither an error nor true: nothing took its place, and it may still come. The
// error is a *[control.Conflict] where it can take no effect any more, and wraps [control.ErrUnknown] where that is not remembered: it took
// effect before what is remembered begins, or never.
func (f *fold) settled(was control.At, w win) (done bool, err error) {
	switch {
	case slices.Contains(f.wins, w):
		return true, nil
	case f.at() == was:
		return false, nil
	case f.remembers(w.at):
		return false, &control.Conflict{Now: f.at()}
	}
	return false, fmt.Errorf("%w: it stands at %s, and what was written before %s is not remembered", control.ErrUnknown, f.at(), f.wins[0].at)
}

// remembers says whether the write that made a state would be among the wins. Versions rise: none is older than the first of them. Of a state
// that a snapshot repeats it is not known who wrote it.
func (f *fold) remembers(made control.At) bool {
	if len(f.wins) == 0 {
		return true // nothing was ever written
	}
	first := f.wins[0]
	return first.at.Version < made.Version || first.at.Version == made.Version && (first.id != "" || first.at != made)
}

// apply takes the next entry of the fleet. What is void changes nothing, for every reader alike.
func (f *fold) apply(e *entry) {
	switch {
	case e.Write != nil:
		f.write(e.Write)
	case e.Request != nil:
		f.request(e.Request)
	case e.Drop != nil:
		f.drop(e.Drop.ID)
	case e.Clients != nil:
		f.clients = max(0, *e.Clients)
	}
}

// write takes effect if it names the state as it stands: the first one that does.
func (f *fold) write(w *write) {
	was, err := w.Was.at()
	if err != nil || was != f.at() {
		f.void++
		return
	}
	next, err := control.ParseState(w.State)
	if err != nil || control.Follows(was, next) != nil {
		f.void++
		return
	}
	f.take(next, w.ID, len(w.State))
}

func (f *fold) take(s *control.State, id string, bytes int) {
	f.state, f.bytes = s, bytes
	if len(f.wins) >= maxWins {
		f.wins = append(f.wins[:0], f.wins[maxWins/2:]...)
	}
	f.wins = append(f.wins, win{s.At(), id})
}

func (f *fold) request(b []byte) {
	r, err := control.ParseRequest(b)
	if err != nil || f.requested(r.ID) {
		f.void++
		return
	}
	f.requests = append(f.requests, r)
}

func (f *fold) requested(id string) bool {
	return slices.ContainsFunc(f.requests, func(r *control.Request) bool { return r.ID == id })
}

func (f *fold) drop(escaped string) {
	id, err := routing.Unescape(escaped)
	if err != nil {
		f.void++
		return
	}
	f.requests = slices.DeleteFunc(f.requests, func(r *control.Request) bool { return r.ID == id })
}

// restore makes the fold that a snapshot is of.
func (s *snapshot) restore() (*fold, error) {
	state, err := control.ParseState(s.State)
	if err != nil {
		return nil, err
	}
	f := &fold{clients: max(0, s.Clients)}
	f.take(state, "", len(s.State))
	for _, b := range s.Requests {
		r, err := control.ParseRequest(b)
		if err != nil {
			return nil, err
		}
		f.requests = append(f.requests, r)
	}
	return f, nil
}

// repeats says whether a snapshot says just what the fold has.
func (f *fold) repeats(s *snapshot) bool {
	o, err := s.restore()
	if err != nil || f.state == nil || o.at() != f.at() || o.clients != f.clients || len(o.requests) != len(f.requests) {
		return false
	}
	for _, r := range o.requests {
		if !f.requested(r.ID) {
			return false
		}
	}
	return true
}
