package notify

import (
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// maxNamed is how many ids one delivered entry names: with the longest names that a summary may hold it is an entry.
const maxNamed = 100

// record makes the journal's entries of what became of a notice.
func (r *receiver) record(i *item, outcome actuator.Outcome, now time.Time) ([]actuator.Entry, error) {
	d := actuator.Delivered{Receiver: line.Name(r.rule.Name), Outcome: outcome, Attempts: i.attempts}
	parts := []part{}
	switch {
	case outcome == actuator.OutcomeDead:
		d.Why = line.Prose(i.why)
	case i.more != nil:
		s := i.more.of
		d.Summary, d.Receipt, d.Quiet, d.Place = s.id, s.receipt, s.quiet, s.place
		parts = i.more.parts
	case Ends(i.entry):
		d.Over, d.Receipt = []actuator.Stands{i.stands()}, r.past.of[i.subject]
	default:
		if d.Receipt = r.receipt(i); d.Receipt != "" && r.told.has(i.subject) {
			d.Open = []actuator.Stands{i.stands()}
		}
	}
	fleet, ids := i.about()
	var out []actuator.Entry
	for at := 0; at < len(ids); at += maxNamed {
		end := min(at+maxNamed, len(ids))
		if d.Entries = ids[at:end]; len(parts) > 0 {
			d.Open, d.Over = i.more.of.stand(parts[at:end])
		}
		e, err := actuator.NewDelivered(fleet, now, d)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// deferred makes the entry of a pause that the receiver asked for.
func (r *receiver) deferred(i *item, now, until time.Time) ([]actuator.Entry, error) {
	fleet, ids := i.about()
	e, err := actuator.NewDelivered(fleet, now, actuator.Delivered{
		Receiver: line.Name(r.rule.Name), Entries: ids[:min(len(ids), 1)], Outcome: actuator.OutcomeDeferred, Attempts: i.attempts,
		Until: line.Stamp(until), Why: line.Prose(i.why),
	})
	return []actuator.Entry{e}, err
}

// about is whose news an item is: fleet and ids; the fleet is empty of a summary.
func (i *item) about() (fleet string, ids []string) {
	if i.more != nil {
		return "", i.more.ids()
	}
	return i.entry.Fleet, []string{i.entry.ID}
}

// stands is what the journal keeps of what an item is about.
func (i *item) stands() actuator.Stands {
	return actuator.Stands{Subject: line.Name(i.subject), Kind: i.entry.Kind.String(), Severity: i.severity.String()}
}

// stand is what the journal keeps of what some parts of a summary are about, each once: what lasts, and what does not any more.
func (s *storm) stand(parts []part) (open, over []actuator.Stands) {
	known := map[string]bool{}
	for _, p := range parts {
		m := s.members[p.subject]
		if m == nil || !m.lasts || known[p.subject] {
			continue
		}
		known[p.subject] = true
		one := actuator.Stands{Subject: line.Name(p.subject), Kind: m.kind.String(), Severity: m.severity.String(), Shard: m.shard}
		if m.over || m.apart {
			over = append(over, one)
			continue
		}
		open = append(open, one)
	}
	return open, over
}
