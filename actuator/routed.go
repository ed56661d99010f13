package actuator

import (
	"firebreak/internal/line"
	"firebreak/routing"
	"firebreak/routing/control"
)

// Routed is the line of the kind routed: what became of a change of a fleet's routing that somebody asked for.
type Routed struct {
	line.Head

	Request string     `json:"request"` // its id
	Do      string     `json:"do"`      // control.Do
	By      line.Name  `json:"by"`
	Reason  line.Prose `json:"reason"`
	Epoch   uint64     `json:"epoch"`   // of the document, as version
	Version uint64     `json:"version"` // of the document that answered it
	Refused line.Prose `json:"refused"` // why nothing was changed; empty = it was
	Changes []Change   `json:"changes"`
	More    int        `json:"more"` // changes that are not listed
	// ReadBack says that the store's reply was lost, and the change was found in it.
	ReadBack bool `json:"read_back"`
}

// Change is an entry of a document that differs; empty = it is not there.
type Change struct {
	Entry string `json:"entry"` // routing.Entry
	Was   string `json:"was"`
	Is    string `json:"is"`
}

// NewRouted makes the entry of a note of the outbox: the same one, whoever takes it from there. Steps of operations, and what people say
// of plans and operations, are of the kind acted.
func NewRouted(fleet string, n *control.Note, readBack bool, redact Redact) (Entry, error) {
	switch n.Do {
	case control.DoAct, control.DoApprove, control.DoReject, control.DoHold, control.DoRollback:
		return newActed(fleet, n, readBack, redact)
	case control.DoUnknown, control.DoSet, control.DoImport, control.DoStop, control.DoResume:
	}
	r := Routed{
		Head: line.NewHead(KindRouted.String(), fleet, line.Stamp(moment(n.At))), Request: n.ID, Do: n.Do.String(), By: line.Name(n.By),
		Reason: line.Prose(n.Reason), Epoch: n.Epoch, Version: n.Version, Refused: line.Prose(n.Refused), Changes: changesOf(n, redact), More: n.More, ReadBack: readBack,
	}
	if redact != nil {
		redact.prose(&r.Refused)
	}
	return object(Entry{ID: NewID("routed", fleet, n.ID), Fleet: fleet, At: moment(n.At), Kind: KindRouted}, &r)
}

// Entry redacts the keys and tenants that an entry of a document is about.
func (r Redact) Entry(e routing.Entry) routing.Entry {
	if r == nil {
		return e
	}
	switch e.Kind {
	case routing.EntrySalt, routing.EntryCache, routing.EntryTenant, routing.EntryQuota:
		e.Name = r([]byte(e.Name))
		if e.Tenant != "" {
			e.Tenant = r([]byte(e.Tenant))
		}
	case routing.EntryUnknown, routing.EntryVShard, routing.EntryShard:
	}
	return e
}
