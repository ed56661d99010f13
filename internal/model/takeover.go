package model

import (
	"firebreak/routing"
	"firebreak/routing/control"
)

// Takeover are the conditions on which the change of deciders rests: claims, people's requests, and what people are told.
type Takeover struct {
	// EpochCondition: a write tests epoch and tenure of what it replaces, not only its version.
	EpochCondition bool
	// ReadBackLostReply: who gets no answer to a write reads back, and does not take it for written or failed.
	ReadBackLostReply bool
	// SameWriteAgain: a write that was not found is sent again as it was; nothing else is written under the same name.
	SameWriteAgain bool
	// OwnTenure: a tenure is random, so that two deciders never have the same.
	OwnTenure bool
	// OutboxInSameWrite: what people are told of a change is written with the change.
	OutboxInSameWrite bool
	// DrainAfterJournal: a note leaves the outbox when the journal has it.
	DrainAfterJournal bool
	// AnswerBeforeDrop: the item of a request is dropped when its answer is known to be written.
	AnswerBeforeDrop bool
	// AnswerUntilDropped: an answer is kept until the item is gone.
	AnswerUntilDropped bool
	// ListAnew: requests are listed after the claim, and anew after answers were taken out: from an older list one is answered again.
	ListAnew bool
}

// takeover is a state of the model.
type takeover struct {
	fleet

	put, items uint8    // requests that people put, and those whose items stand; a bit each
	list       [2]uint8 // what each decider listed
	journal    uint8    // notes that the journal has
	answers    [2]uint8 // how often each request was answered, at most 2
	ghost      [2]ghost // a write of each decider that may still land although its sender went on
}

type ghost struct{ was, next ref }

// takeoverModel has the conditions and the rules of a walk.
type takeoverModel struct {
	Takeover

	writes writes
	pool   *pool
}

// requestNames are the ids of the two requests: one stops the fleet, the other moves a vshard and was made for the first claim.
func requestNames() [2]string { return [2]string{"stop", "move"} }

func request(r int) *control.Request {
	q := &control.Request{ID: requestNames()[r], By: "someone", Reason: "why", Do: control.DoStop}
	if r == 1 {
		q.Do, q.IfVersion = control.DoSet, 2
		q.Edits = []control.Edit{{Entry: routing.VShardEntry(0), Value: "shard-1"}}
	}
	return q
}

// Model is the protocol as a graph of states: two deciders, at most three claims, two requests.
func (c Takeover) Model() *Model[takeover] {
	p := newPool()
	m := &takeoverModel{Takeover: c, pool: p, writes: writes{
		pool: p, epochs: 3, EpochCondition: c.EpochCondition, ReadBackLostReply: c.ReadBackLostReply, OwnTenure: c.OwnTenure,
	}}
	first := p.first(adopted(), "")
	return &Model[takeover]{
		Start: takeover{fleet: fleet{now: first}}, Next: m.next, Done: m.done, Always: m.always(),
		Reached: []Property[takeover]{
			{"both deciders held the fleet", func(s takeover) bool { return s.deciders[0].base != 0 && s.deciders[1].base != 0 }},
			{"three claims", func(s takeover) bool { return p.at(s.now).Epoch == 3 }},
			{"both requests were answered", func(s takeover) bool { return s.answers == [2]uint8{1, 1} }},
			{"vshard 0 was moved", func(s takeover) bool { return p.get(s.now).table.Owner(0) == 1 }},
		},
	}
}

func (m *takeoverModel) always() []Property[takeover] {
	return []Property[takeover]{
		{"epochs and versions never go back", func(s takeover) bool { return !s.backward }},
		{"one decider holds an epoch", func(s takeover) bool {
			a, b := s.deciders[0].base, s.deciders[1].base
			return a == 0 || b == 0 || m.pool.at(a).Epoch != m.pool.at(b).Epoch
		}},
		{"a request is answered once", func(s takeover) bool { return s.answers[0] <= 1 && s.answers[1] <= 1 }},
		{"a request is answered", func(s takeover) bool {
			return (s.put&^s.items&1 == 0 || s.answers[0] > 0) && (s.put&^s.items&2 == 0 || s.answers[1] > 0)
		}},
		{"what is done is told", m.told},
	}
}

func (m *takeoverModel) told(s takeover) bool {
	for r, times := range s.answers {
		if times > 0 && s.journal&(1<<r) == 0 && !hasNote(m.pool.get(s.now).State, r) {
			return false
		}
	}
	return true
}

func hasNote(s *control.State, r int) bool {
	for i := range s.Outbox {
		if s.Outbox[i].ID == requestNames()[r] {
			return true
		}
	}
	return false
}

func (m *takeoverModel) done(s takeover) bool {
	e := m.pool.get(s.now)
	return s.put == 3 && s.items == 0 && s.journal == 3 && len(e.Outbox) == 0 && len(e.Answers) == 0
}
