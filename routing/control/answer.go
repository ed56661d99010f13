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
	err := n.carryOut(r, now)
	if err == nil {
		err = n.Validate()
	}
	return s.answered(n, r, err, now)
}

// Refuse answers a request that may not be carried out, as Answer does.
func (s *State) Refuse(r *Request, why error, now time.Time) *State {
	if _, ok := s.Answered(r.ID); ok || len(s.Answers) >= maxAnswers || len(s.Outbox) >= MaxOutbox {
		return nil
	}
	return s.answered(s.Next(), r, why, now)
}

// answered is n, or the state after s where err is why it is not taken, with the answer and its note.
func (s *State) answered(n *State, r *Request, err error, now time.Time) *State {
	refused := ""
	if err != nil {
		refused = cut(err.Error(), maxReason)
		n = s.Next()
	} else {
		n.stopped(s, r, now)
	}
	n.Answers = append(n.Answers, Answer{Request: r.ID, Version: n.Document.Version, Refused: refused})
	note := Note{
		ID: r.ID, At: now.UTC().Truncate(time.Millisecond), Do: r.Do, By: r.By, Reason: r.Reason,
		Epoch: n.Document.Epoch, Version: n.Document.Version, Refused: refused, Plan: r.Plan, Hotspot: r.Hotspot, Operation: r.Operation,
	}
	if o := s.Operation(r.Operation); o != nil {
		note.Hotspot = o.Hotspot
	}
	note.changed(s.Document, n.Document)
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

func (s *State) carryOut(r *Request, now time.Time) error {
	d := s.Document
	if was := d.Version - 1; r.IfVersion != 0 && r.IfVersion != was {
		return fmt.Errorf("it was made for version %d, and the document stands at %d", r.IfVersion, was)
	}
	switch r.Do {
	case DoSet:
		for _, e := range r.Edits {
			if o := s.Working(e.Entry); o != nil {
				return fmt.Errorf("%s: operation %d works on it", e.Entry, o.Number)
			}
			if err := d.Set(e.Entry, e.Value); err != nil {
				return err
			}
		}
	case DoImport:
		if i := slices.IndexFunc(s.Operations, func(o Operation) bool { return o.Works() }); i >= 0 {
			return fmt.Errorf("operation %d is open: take it back, or wait until it is over", s.Operations[i].Number)
		}
		return s.take(r.Document)
	case DoStop:
		d.Stop = true
	case DoResume:
		d.Stop = false
	case DoApprove, DoReject, DoHold, DoRollback:
		return s.word(r, now)
	case DoUnknown, DoAct:
		return fmt.Errorf("do: %s", r.Do)
	}
	return nil
}

// word keeps what a person says of a plan, a hotspot or an operation. Whether the person may say it, and whether there is such a plan,
// is for who answers.
func (s *State) word(r *Request, now time.Time) error {
	switch {
	case r.Plan != "":
		s.Approvals = slices.DeleteFunc(s.Approvals, func(a Approval) bool { return a.Plan == r.Plan })
		switch {
		case r.Do == DoApprove:
			s.Holds = slices.DeleteFunc(s.Holds, func(h Held) bool { return h.Hotspot == r.Hotspot })
		case r.Hotspot != "": // the next plan for it differs in a virtual shard, and would be begun by itself
			s.Keep(Held{Hotspot: r.Hotspot, By: r.By, At: now.UTC(), Reason: "rejected a plan: " + r.Reason})
		}
		s.Approvals = append(s.Approvals, Approval{Plan: r.Plan, By: r.By, At: now.UTC(), Reason: r.Reason, No: r.Do == DoReject})
		return nil
	case r.Hotspot != "":
		s.Keep(Held{Hotspot: r.Hotspot, By: r.By, At: now.UTC(), Reason: r.Reason})
		return nil
	}
	o := s.Operation(r.Operation)
	if o == nil {
		return fmt.Errorf("there is no operation %d, or its way back is over", r.Operation)
	}
	return o.word(r, now)
}

// word keeps what a person says of the operation.
func (o *Operation) word(r *Request, now time.Time) error {
	switch {
	case o.Back && !o.Settled.IsZero():
		return fmt.Errorf("operation %d was taken back", o.Number)
	case o.Back:
		return fmt.Errorf("operation %d is on its way back, which is not held", o.Number)
	case o.Began.IsZero() && o.Outcome != "":
		return fmt.Errorf("operation %d never began: it is %s", o.Number, o.Outcome)
	case r.Do == DoHold:
		o.Held = fmt.Sprintf("%s: %s", r.By, r.Reason)
	case r.Do == DoApprove && o.Held == "":
		return fmt.Errorf("operation %d is not held", o.Number)
	case r.Do == DoApprove:
		if o.Held = ""; o.Began.IsZero() {
			o.Since = now.UTC() // it waits to begin from now on
		}
	default:
		o.Back, o.Held, o.Why = true, "", fmt.Sprintf("%s: %s", r.By, r.Reason)
	}
	return nil
}

// take takes over what from says and keeps the higher epoch and version, so that no client that has seen either goes back. The base map
// is not taken over: keys lie by it. Nor are salts of keys that have one: values lie in their pieces, tombstones are for ever, and salts
// change in phases. That acting is stopped stays.
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
	n.Fenced, n.Doubled = nil, nil // of an operation that is not taken over
	n.Stop = n.Stop || d.Stop
	for i := range d.Salts {
		if kept, ok := d.SaltOf(routing.SaltEntry(d.Salts[i].Tenant, d.Salts[i].Key)); ok {
			n.PutSalt(kept)
		}
	}
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
