package notify

import (
	"slices"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// maxUntold is how many entries of one subject may wait for the word that they were told; the oldest are forgotten first.
const maxUntold = 8

// Standing is what one receiver was told and is not over, as the journal has it: a receiver that forgets is told it again. Every
// instance knows the same, so one that takes over goes on. Not safe for concurrent use; NewStanding makes it.
//
// Invariants:
//
//  1. A subject stands from the moment that it was told until its end is in the journal, told or not.
//  2. What a person wants to hear no more of does not stand.
type Standing struct {
	receiver string
	stories  stories
	spoken   actuator.Spoken
	subjects map[string]*stood // that began and are not over
	of       map[string]string // subjects by the ids of their entries
	order    []*stood          // oldest first; some may be over
}

// stood is one subject.
type stood struct {
	subject string
	untold  []*actuator.Entry // newer than told
	told    *actuator.Entry   // nil = nothing of it was
	receipt string
}

// NewStanding makes that of a receiver.
func NewStanding(receiver string) *Standing {
	return &Standing{receiver: receiver, stories: stories{known: map[string]*Story{}}, subjects: map[string]*stood{}, of: map[string]string{}}
}

// Apply takes an entry as a Reader yields it.
func (s *Standing) Apply(e *actuator.Entry) {
	if e.Kind == actuator.KindDelivered {
		d, err := actuator.Read[actuator.Delivered](e)
		if err != nil || d.Receiver != line.Name(s.receiver) || d.Outcome != actuator.OutcomeSent {
			return
		}
		for _, id := range d.Entries {
			s.Told(id, d.Receipt)
		}
		return
	}
	s.stories.apply(e)
	s.spoken.Apply(e)
	switch {
	case Ends(e):
		s.drop(subject(e))
	case slices.Contains([]actuator.Kind{actuator.KindVerdict, actuator.KindAdvice, actuator.KindBlind, actuator.KindReopened}, e.Kind) || calls(e):
		s.begin(subject(e), e)
	}
}

func (s *Standing) begin(about string, e *actuator.Entry) {
	is := s.subjects[about]
	if is == nil {
		is = &stood{subject: about}
		s.subjects[about] = is
		s.order = append(s.order, is)
	}
	is.untold = append(is.untold, e)
	s.of[e.ID] = about
	if len(is.untold) > maxUntold {
		delete(s.of, is.untold[0].ID)
		is.untold = is.untold[1:]
	}
	if len(s.order) > 2*maxSubjects {
		s.compact()
	}
	for len(s.subjects) > maxSubjects {
		if oldest := s.order[0]; s.subjects[oldest.subject] == oldest {
			s.drop(oldest.subject)
		}
		s.order = s.order[1:]
	}
}

// compact takes what is over out of the order.
func (s *Standing) compact() {
	s.order = slices.DeleteFunc(s.order, func(is *stood) bool { return s.subjects[is.subject] != is })
}

func (s *Standing) drop(about string) {
	if is := s.subjects[about]; is != nil {
		for _, e := range is.untold {
			delete(s.of, e.ID)
		}
		delete(s.subjects, about)
	}
}

// Told says that the receiver took the entry of an id, and with which receipt. An empty one leaves the one before. Of what is over,
// and of what is older than what was told, nothing changes.
func (s *Standing) Told(id, receipt string) {
	is := s.subjects[s.of[id]]
	if is == nil {
		return
	}
	at := slices.IndexFunc(is.untold, func(e *actuator.Entry) bool { return e.ID == id })
	for _, e := range is.untold[:at+1] {
		delete(s.of, e.ID)
	}
	is.told, is.untold = is.untold[at], slices.Clone(is.untold[at+1:])
	if receipt != "" {
		is.receipt = receipt
	}
}

// Notices are what stands, the longest first: for each subject the notice that was told of it last, with its receipt.
func (s *Standing) Notices() []Notice {
	s.compact()
	var out []Notice
	for _, is := range s.order {
		if is.told == nil || s.spoken.Silent(is.told) {
			continue
		}
		out = append(out, Notice{
			Receiver: s.receiver, Key: is.told.ID, Entry: is.told, Attempt: 1, Story: s.stories.of(is.told), Receipt: is.receipt,
		})
	}
	return out
}
