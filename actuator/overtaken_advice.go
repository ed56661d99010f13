package actuator

import (
	"slices"
	"time"

	"firebreak/internal/line"
)

// toldAdvice remembers what stands in the journal of the newest maxPending advices. Instances read the shards at other moments than
// each other: the same advice begins and ends with each at a pane of its own, and so under an id of its own.
//
//  1. What one told is not told again by another: an entry that says what the journal says already is dropped.
//  2. An instance takes for told what the journal says, see Follow: so who takes over ends what it never saw itself.
type toldAdvice struct {
	known map[adviceSubject]adviceState
	order []adviceSubject
}

// adviceSubject is what an advice is about.
type adviceSubject struct {
	fleet string
	shard line.Name
	topic string
}

// adviceState is what the newest entry says of it.
type adviceState struct {
	level string // empty: it is over
	at    time.Time
}

// adviceOf gives what an entry is about and what it says of it; false = it is of no advice.
func adviceOf(e *Entry) (of adviceSubject, is adviceState, ok bool) {
	if e.Kind != KindAdvice {
		return of, is, false
	}
	l, err := Read[struct {
		Shard        line.Name
		Topic, Level string
	}](e)
	if err != nil {
		return of, is, false
	}
	if e.Phase == PhaseEnded {
		l.Level = ""
	}
	return adviceSubject{e.Fleet, l.Shard, l.Topic}, adviceState{l.Level, e.At}, true
}

// add takes an entry of the journal.
func (t *toldAdvice) add(of adviceSubject, is adviceState) {
	if _, known := t.known[of]; !known {
		if t.order = append(t.order, of); len(t.order) > maxPending {
			delete(t.known, t.order[0])
			t.order = t.order[1:]
		}
	}
	t.known[of] = is
}

// waitsFor says whether anything about an advice waits.
func (p *Pending) waitsFor(subject adviceSubject) bool {
	return slices.ContainsFunc(p.waiting, func(w waiting) bool {
		of, _, ok := adviceOf(&w.entry)
		return ok && of == subject
	})
}

// advised reports whether an entry of an advice says what the journal says already, and nothing else about it waits.
func (p *Pending) advised(e *Entry) bool {
	of, is, ok := adviceOf(e)
	if !ok {
		return false
	}
	stands, known := p.advice.known[of]
	return known && stands.level == is.level && !p.waitsFor(of)
}

// sawAdvice takes an entry of the journal: what waits and says the same of its advice is told, and so is what came before that.
func (p *Pending) sawAdvice(e *Entry) {
	subject, is, ok := adviceOf(e)
	if !ok {
		return
	}
	p.advice.add(subject, is)
	last := slices.IndexFunc(p.waiting, func(w waiting) bool {
		of, says, ok := adviceOf(&w.entry)
		return ok && of == subject && says.level == is.level
	})
	kept := p.waiting[:0]
	for i, w := range p.waiting {
		if of, _, ok := adviceOf(&w.entry); i > last || !ok || of != subject {
			kept = append(kept, w)
		}
	}
	clear(p.waiting[len(kept):])
	p.waiting = kept
}

// settleAdvice drops what would say of an advice what the journal says by then, as when what stood between is told or too old.
func (p *Pending) settleAdvice() {
	says := map[adviceSubject]string{}
	kept := p.waiting[:0]
	for _, w := range p.waiting {
		of, is, ok := adviceOf(&w.entry)
		if ok {
			level, known := says[of]
			if !known {
				var stands adviceState
				stands, known = p.advice.known[of]
				level = stands.level
			}
			if says[of] = is.level; known && level == is.level {
				continue
			}
		}
		kept = append(kept, w)
	}
	clear(p.waiting[len(kept):])
	p.waiting = kept
}

// Follow gives what was told by a moment, before the Scribe writes of it: of an advice about which nothing waits here that is what the
// journal says, whoever wrote it. What it says of later moments is left for them.
func (p *Pending) Follow(fleet string, now time.Time, told Told) Told {
	copied := false
	for _, of := range p.advice.order {
		is := p.advice.known[of]
		if of.fleet != fleet || is.at.After(now) {
			continue
		}
		at := slices.IndexFunc(told.Advice, func(a ToldAdvice) bool { return a.Shard == of.shard && a.Topic == of.topic })
		if at < 0 && is.level == "" || at >= 0 && told.Advice[at].Level == is.level || p.waitsFor(of) {
			continue
		}
		if !copied {
			told, copied = told.clone(), true
		}
		switch {
		case at < 0:
			told.Advice = append(told.Advice, ToldAdvice{Shard: of.shard, Topic: of.topic, Level: is.level})
		case is.level == "":
			told.Advice = slices.Delete(told.Advice, at, at+1)
		default:
			told.Advice[at].Level = is.level
		}
	}
	return told
}
