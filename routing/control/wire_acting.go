package control

import (
	"fmt"
	"time"

	"firebreak/routing"
)

// The forms on the wire of what acting needs.
type (
	operationWire struct {
		Number  uint64     `json:"number"`
		Machine text       `json:"machine"`
		Phase   text       `json:"phase"`
		Plan    text       `json:"plan,omitempty"`
		Hotspot text       `json:"hotspot,omitempty"`
		Fix     text       `json:"fix,omitempty"`
		Shard   text       `json:"shard,omitempty"`
		By      text       `json:"by,omitempty"`
		Do      []editWire `json:"do"`
		Was     []editWire `json:"was"`
		Began   time.Time  `json:"began,omitzero"`
		Since   time.Time  `json:"since"`
		Settled time.Time  `json:"settled,omitzero"`
		Version uint64     `json:"version,omitempty"`
		Back    bool       `json:"back,omitempty"`
		Why     text       `json:"why,omitempty"`
		Held    text       `json:"held,omitempty"`
		Outcome text       `json:"outcome,omitempty"`
		Needs   text       `json:"needs,omitempty"`
		Busy    bool       `json:"busy,omitempty"`
	}
	approvalWire struct {
		Plan   text      `json:"plan"`
		By     text      `json:"by"`
		At     time.Time `json:"at"`
		Reason text      `json:"reason,omitempty"`
		No     bool      `json:"no,omitempty"`
	}
	heldWire struct {
		Hotspot text      `json:"hotspot"`
		By      text      `json:"by"`
		At      time.Time `json:"at"`
		Reason  text      `json:"reason,omitempty"`
	}
	actWire struct {
		Fix     text    `json:"fix"`
		Shard   text    `json:"shard,omitempty"`
		Machine text    `json:"machine"`
		Phase   text    `json:"phase"`
		Back    bool    `json:"back,omitempty"`
		Outcome text    `json:"outcome,omitempty"`
		Text    text    `json:"text,omitempty"`
		Call    text    `json:"call,omitempty"`
		Before  float64 `json:"before,omitempty"`
		After   float64 `json:"after,omitempty"`
	}
)

func (w *stateWire) setActing(s *State) {
	w.Operated = s.Operated
	for i := range s.Operations {
		o := &s.Operations[i]
		w.Operations = append(w.Operations, operationWire{
			Number: o.Number, Machine: text(o.Machine), Phase: text(o.Phase), Plan: text(o.Plan), Hotspot: text(o.Hotspot), Fix: text(o.Fix),
			Shard: text(o.Shard), By: text(o.By), Do: wireEdits(o.Do), Was: wireEdits(o.Was), Began: o.Began.UTC(), Since: o.Since.UTC(),
			Settled: o.Settled.UTC(), Version: o.Version, Back: o.Back, Why: text(o.Why), Held: text(o.Held), Outcome: text(o.Outcome), Needs: text(o.Needs), Busy: o.Busy,
		})
	}
	for _, a := range s.Approvals {
		w.Approvals = append(w.Approvals, approvalWire{text(a.Plan), text(a.By), a.At.UTC(), text(a.Reason), a.No})
	}
	for _, h := range s.Holds {
		w.Holds = append(w.Holds, heldWire{text(h.Hotspot), text(h.By), h.At.UTC(), text(h.Reason)})
	}
}

func (w *stateWire) acting(s *State) error {
	s.Operated = w.Operated
	for i := range w.Operations {
		o := &w.Operations[i]
		do, err := parseEdits(o.Do)
		if err != nil {
			return fmt.Errorf("operation %d: %w", o.Number, err)
		}
		was, err := parseEdits(o.Was)
		if err != nil {
			return fmt.Errorf("operation %d: %w", o.Number, err)
		}
		s.Operations = append(s.Operations, Operation{
			Number: o.Number, Machine: string(o.Machine), Phase: string(o.Phase), Plan: string(o.Plan), Hotspot: string(o.Hotspot), Fix: string(o.Fix),
			Shard: string(o.Shard), By: string(o.By), Do: do, Was: was, Began: o.Began.UTC(), Since: o.Since.UTC(),
			Settled: o.Settled.UTC(), Version: o.Version, Back: o.Back, Why: string(o.Why), Held: string(o.Held), Outcome: string(o.Outcome), Needs: string(o.Needs), Busy: o.Busy,
		})
	}
	for _, a := range w.Approvals {
		s.Approvals = append(s.Approvals, Approval{string(a.Plan), string(a.By), a.At.UTC(), string(a.Reason), a.No})
	}
	for _, h := range w.Holds {
		s.Holds = append(s.Holds, Held{string(h.Hotspot), string(h.By), h.At.UTC(), string(h.Reason)})
	}
	return nil
}

func wireEdits(edits []Edit) []editWire {
	out := make([]editWire, 0, len(edits))
	for _, e := range edits {
		out = append(out, editWire{e.Entry.String(), e.Value})
	}
	return out
}

func parseEdits(edits []editWire) ([]Edit, error) {
	var out []Edit
	for _, e := range edits {
		entry, err := routing.ParseEntry(e.Entry)
		if err != nil {
			return nil, err
		}
		out = append(out, Edit{entry, e.Value})
	}
	return out, nil
}
