package control

import (
	"fmt"
	"slices"
	"time"

	"firebreak/routing"
)

// maxChanges bounds the changes of a note.
const maxChanges = 20

// Answered says what became of a request, if its item may still stand in the store.
func (s *State) Answered(request string) (Answer, bool) {
	i := slices.IndexFunc(s.Answers, func(a Answer) bool { return a.Request == request })
	if i < 0 {
		return Answer{}, false
	}
	return s.Answers[i], true
}

// Answer carries a request out. It gives the next state, which has the answer and a note in its outbox also where the request is refused:
// who asked learns why, and so does the journal. Nil where there is nothing to write: the request has its answer, or answers and notes
// are full and must be pruned first. now is the decider's.
func (s *State) Answer(r *Request, now time.Time) *State {
	if _, ok := s.Answered(r.ID); ok || len(s.Answers) >= maxAnswers || len(s.Outbox) >= MaxOutbox {
		return nil
	}
	n := s.Next()
	err := n.carryOut(r)
	if err == nil {
		err = n.Document.Validate()
	}
	refused := ""
	if err != nil {
		refused = cut(err.Error(), maxReason)
		n.Document = s.Next().Document
	} else {
		n.stopped(s, r, now)
	}
	n.Answers = append(n.Answers, Answer{Request: r.ID, Version: n.Document.Version, Refused: refused})
	changes := routing.Diff(s.Document, n.Document)
	note := Note{
		ID: r.ID, At: now.UTC().Truncate(time.Millisecond), Do: r.Do, By: r.By, Reason: r.Reason,
		Epoch: n.Document.Epoch, Version: n.Document.Version, Refused: refused, More: max(0, len(changes)-maxChanges),
	}
	note.Changes = changes[:min(len(changes), maxChanges)]
	n.Outbox = append(n.Outbox, note)
	return n
}

// stopped keeps who stopped acting: who asked for it last, or whose change was the first that says so.
func (s *State) stopped(was *State, r *Request, now time.Time) {
	switch {
	case !s.Document.Stop:
		s.Stopped = nil
	case r.Do == DoStop || !was.Document.Stop:
		s.Stopped = &Stop{By: r.By, Reason: r.Reason, At: now.UTC().Truncate(time.Millisecond)}
	}
}

func (s *State) carryOut(r *Request) error {
	d := s.Document
	if was := d.Version - 1; r.IfVersion != 0 && r.IfVersion != was {
		return fmt.Errorf("it was made for version %d, and the document stands at %d", r.IfVersion, was)
	}
	switch r.Do {
	case DoSet:
		for _, e := range r.Edits {
			if err := d.Set(e.Entry, e.Value); err != nil {
				return err
			}
		}
	case DoImport:
		return s.take(r.Document)
	case DoStop:
		d.Stop = true
	case DoResume:
		d.Stop = false
	case DoUnknown:
		return fmt.Errorf("do: %s", r.Do)
	}
	return nil
}

// take takes over what from says and keeps the higher epoch and version, so that no client that has seen either goes back. The base map
// is not taken over: keys lie by it.
func (s *State) take(from *routing.Document) error {
	d := s.Document
	if err := d.SameBase(from); err != nil {
		return err
	}
	if from.Epoch > MaxCount || from.Version >= MaxCount {
		return fmt.Errorf("epoch %d, version %d: no fleet gets above %d", from.Epoch, from.Version, uint64(MaxCount))
	}
	n := from.Clone()
	n.Shards = append(n.Shards, d.Shards[min(len(n.Shards), len(d.Shards)):]...) // those that were added since
	n.Tenure = d.Tenure                                                          // epoch is the claim's, and stays
	n.Epoch, n.Version = d.Epoch, max(d.Version, from.Version+1)
	if from.Epoch > d.Epoch {
		return fmt.Errorf("epoch: %d is above %d, the fleet's: claim the fleet with a higher one first", from.Epoch, d.Epoch)
	}
	s.Document = n
	return nil
}

// cut shortens text on a rune.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xc0 == 0x80 {
		most--
	}
	return s[:most]
}
