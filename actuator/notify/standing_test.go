package notify

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// TestStanding: of any journal, what stands is what an oracle finds that reads it from its beginning: for each subject the newest
// entry since its last end that was told, with the newest receipt, unless a person silenced it.
func TestStanding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewStanding("am")
		var journal []*actuator.Entry
		take := func(e *actuator.Entry) {
			journal = append(journal, e)
			s.Apply(e)
		}
		for range rapid.IntRange(0, 60).Draw(t, "entries") {
			hotspot := rapid.SampledFrom([]string{"h1", "h2", "h3"}).Draw(t, "hotspot")
			name := fmt.Sprint(len(journal))
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0, 1:
				take(news(name, actuator.KindVerdict, actuator.PhaseRevised, hotspot, "warning"))
			case 2:
				take(news(name, actuator.KindVerdict, actuator.PhaseResolved, hotspot, "warning"))
			case 3:
				take(falseAlarm(t, hotspot))
			default:
				if at := rapid.IntRange(0, 8).Draw(t, "back"); at < len(journal) {
					take(toldBy(t, rapid.SampledFrom([]string{"am", "other"}).Draw(t, "receiver"), journal[len(journal)-1-at], name))
				}
			}
		}
		got := map[string][2]string{}
		for _, n := range s.Notices() {
			got[n.Entry.Hotspot] = [2]string{n.Key, n.Receipt}
		}
		if diff := cmp.Diff(oracle(journal), got); diff != "" {
			t.Fatalf("(-oracle, +standing):\n%s", diff)
		}
	})
}

// oracle reads a journal of verdicts, by hotspot: what was told last, and the receipt.
func oracle(journal []*actuator.Entry) map[string][2]string {
	out := map[string][2]string{}
	for _, hotspot := range []string{"h1", "h2", "h3"} {
		of := func(e *actuator.Entry) bool { return e.Hotspot == hotspot }
		from := 0
		for i, e := range journal {
			if of(e) && e.Phase == actuator.PhaseResolved {
				from = i + 1
			}
		}
		last, receipt, dismissed := -1, "", false
		for i, e := range journal[from:] {
			dismissed = dismissed || of(e) && e.Kind == actuator.KindDismissed
			d, err := actuator.Read[actuator.Delivered](e)
			if e.Kind != actuator.KindDelivered || err != nil || d.Receiver != "am" {
				continue
			}
			at := slices.IndexFunc(journal, func(o *actuator.Entry) bool { return o.ID == d.Entries[0] })
			newest := at > last && at >= from && untold(journal[max(from, last+1):from+i], hotspot, journal[at])
			if o := journal[at]; of(o) && o.Kind == actuator.KindVerdict && newest {
				last, receipt = at, d.Receipt
			}
		}
		if last >= 0 && !dismissed {
			out[hotspot] = [2]string{journal[last].ID, receipt}
		}
	}
	return out
}

// untold says whether an entry is of the newest maxUntold verdicts of its hotspot, which are remembered.
func untold(journal []*actuator.Entry, hotspot string, e *actuator.Entry) bool {
	var waiting []*actuator.Entry
	for _, o := range journal {
		if o.Hotspot == hotspot && o.Kind == actuator.KindVerdict {
			waiting = append(waiting, o)
		}
	}
	return slices.Contains(waiting[max(0, len(waiting)-maxUntold):], e)
}

// falseAlarm is an entry of a person who calls a hotspot a false alarm.
func falseAlarm(t *rapid.T, hotspot string) *actuator.Entry {
	e, err := actuator.NewDismissed("orders", start(), actuator.Dismissed{Hotspot: line.Name(hotspot), By: "ann", Reason: "no"})
	if err != nil {
		t.Fatal(err)
	}
	return &e
}

// toldBy is what the journal says of an entry that a receiver took.
func toldBy(t *rapid.T, receiver string, e *actuator.Entry, receipt string) *actuator.Entry {
	d, err := actuator.NewDelivered("orders", start(), actuator.Delivered{
		Receiver: line.Name(receiver), Entries: []string{e.ID}, Outcome: actuator.OutcomeSent, Attempts: 1, Receipt: "r" + receipt,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

// TestStandingIsBounded: what never ends and what is never told takes no more and more memory.
func TestStandingIsBounded(t *testing.T) {
	s := NewStanding("am")
	for i := range 3 * maxSubjects {
		hotspot := fmt.Sprint("h", i)
		s.Apply(fired(hotspot))
		if i%2 == 0 {
			s.Apply(resolved(hotspot))
		}
		s.Apply(news(fmt.Sprint(i), actuator.KindVerdict, actuator.PhaseRevised, "busy", "warning"))
	}
	if len(s.subjects) > maxSubjects || len(s.of) > maxSubjects+maxUntold || len(s.order) > 2*maxSubjects || len(s.subjects["orders\x00busy"].untold) > maxUntold {
		t.Errorf("%d subjects, %d ids, order of %d", len(s.subjects), len(s.of), len(s.order))
	}
}
