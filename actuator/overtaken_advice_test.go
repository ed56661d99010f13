package actuator_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"firebreak/actuator"
	"firebreak/policy"
)

// advises is an instance that reads the shards by itself and owes the journal what it sees.
type advises struct {
	*watch

	pending *actuator.Pending
}

func newAdvises(t rapid.TB) *advises { return &advises{newWatch(t), actuator.NewPending(0)} }

// see passes ten seconds, in which storage of some shards is over its limit.
func (a *advises) see(levels map[string]policy.Severity) {
	d := policy.Decision{}
	for shard, level := range levels {
		d.Advice = append(d.Advice, policy.Advice{Shard: shard, Topic: policy.TopicStorage, Level: level, Reason: shard})
	}
	before := len(a.all)
	a.told = a.pending.Follow("f", a.now.Add(10*time.Second), a.told)
	a.tick(d)
	a.pending.Add(a.all[before:]...)
}

// journalOf appends what an instance owes, as its decider, and lets all see it.
func journalOf(from *advises, epoch int64, journal *[]actuator.Entry, all ...*advises) {
	batch := from.pending.Begin(from.now, epoch, "i")
	if len(batch) == 0 {
		return
	}
	from.pending.Done(nil)
	for i := range batch {
		*journal = append(*journal, batch[i])
		for _, a := range all {
			a.pending.Saw(&batch[i])
		}
	}
}

// said lists the journal as "phase level" of each.
func said(journal []actuator.Entry) (out []string) {
	for i := range journal {
		l, _ := actuator.Read[struct{ Shard, Level string }](&journal[i])
		out = append(out, fmt.Sprintf("%s %s %s", l.Shard, journal[i].Phase, l.Level))
	}
	return out
}

// TestAdviceOfTwo: two instances see the same shard fill up, at other panes; whoever takes over in the middle tells nothing twice and
// leaves nothing out.
func TestAdviceOfTwo(t *testing.T) {
	warm, hot := map[string]policy.Severity{"s": policy.SeverityWarning}, map[string]policy.Severity{"s": policy.SeverityCritical}
	a, b := newAdvises(t), newAdvises(t)
	var journal []actuator.Entry
	step := func(decides *advises, epoch int64, ofA, ofB map[string]policy.Severity) {
		a.see(ofA)
		b.see(ofB)
		journalOf(decides, epoch, &journal, a, b)
	}
	step(a, 1, warm, nil)
	step(a, 1, warm, warm) // b sees it a pane later
	step(b, 2, warm, warm) // and takes over
	step(b, 2, hot, warm)
	step(b, 2, hot, hot)
	step(a, 3, hot, hot)
	for range 6 { // a sees first that it is over, not for long enough
		step(a, 3, nil, hot)
	}
	for range 9 {
		step(b, 4, nil, nil)
	}
	step(b, 4, warm, warm) // once more
	a.want(said(journal), "s begun warning", "s changed critical", "s ended ", "s begun warning")
}

// TestAdviceInShort: what comes and goes while nobody decides is told by who takes over, all of it and in its order.
func TestAdviceInShort(t *testing.T) {
	a := newAdvises(t)
	var journal []actuator.Entry
	warm := map[string]policy.Severity{"s": policy.SeverityWarning}
	a.see(warm)
	for range 9 {
		a.see(nil)
	}
	a.see(warm)
	journalOf(a, 1, &journal, a)
	a.want(said(journal), "s begun warning", "s ended ", "s begun warning")
}

// TestAdviceIsWhole: whatever two instances see, with other readings, and whoever decides: of each shard beginnings and ends take turns in
// the journal, and it ends as who decides at the end sees it.
func TestAdviceIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := newAdvises(t), newAdvises(t)
		var journal []actuator.Entry
		epoch, decides := int64(1), a
		draw := func(name string) map[string]policy.Severity {
			out := map[string]policy.Severity{}
			for _, shard := range []string{"s", "u"} {
				if rapid.Bool().Draw(t, name+shard) {
					out[shard] = policy.SeverityWarning
				}
			}
			return out
		}
		var last map[string]policy.Severity
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			last = draw("a")
			ofB := last
			if rapid.Bool().Draw(t, "apart") {
				ofB = draw("b")
			}
			for range rapid.IntRange(1, 9).Draw(t, "panes") {
				a.see(last)
				b.see(ofB)
			}
			if rapid.Bool().Draw(t, "fails over") {
				epoch++
				if decides == a {
					decides = b
				} else {
					decides = a
				}
			}
			journalOf(decides, epoch, &journal, a, b)
		}
		for range 9 { // all see the same
			a.see(last)
			b.see(last)
			journalOf(decides, epoch, &journal, a, b)
		}
		open := map[string]bool{}
		for i := range journal {
			l, _ := actuator.Read[struct{ Shard string }](&journal[i])
			if begins := journal[i].Phase != actuator.PhaseEnded; begins == open[l.Shard] {
				t.Fatalf("%s at %s, and it was open: %v\n%q", journal[i].Phase, journal[i].At.Format(time.TimeOnly), open[l.Shard], said(journal))
			} else {
				open[l.Shard] = begins
			}
		}
		for _, shard := range []string{"s", "u"} {
			if _, stands := last[shard]; stands != open[shard] {
				t.Errorf("%s stands: %v, the journal says %v\n%q", shard, stands, open[shard], said(journal))
			}
		}
	})
}
