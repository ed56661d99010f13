package console

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/routing"
	"firebreak/routing/control"
)

// worked takes the operation of a desk on by the real tables until it rests in a phase, and tells the journal of each step.
func (d *desk) worked(until string) {
	d.t.Helper()
	for range 20 {
		o := d.state.Operation(1)
		if o.Phase == until {
			return
		}
		at := o.Since.Add(20 * time.Minute)
		step, err := operation.Next(d.state, 1, &operation.View{
			Now: at, Known: at.Add(-time.Hour), Routed: true, Needed: true, Fits: func(_, _ *routing.Document) error { return nil },
			Effect: func(_, _ *routing.Document) operation.Effect {
				return operation.Effect{Outcome: operation.Effective, Text: `the load of "whale-7" is elsewhere`}
			},
		})
		if err != nil || step.Write == nil {
			d.t.Fatalf("it stands in %s: %v, %v", o.Phase, step.Waits, err)
		}
		d.state = step.Write
		d.tell(actuator.NewRouted(d.name, &d.state.Outbox[len(d.state.Outbox)-1], false, d.scribe.Redact))
	}
	d.t.Fatalf("it never came to %s", until)
}

// happened are the rows of the hotspot's timeline that say anything of what was done.
func (d *desk) happened() []string {
	f := d.model.fleets[0]
	var out []string
	for _, r := range f.timeline(f.hot[d.hot()]) {
		if s := r.Text.String(); strings.Contains(strings.ToLower(s), "operation") || strings.Contains(s, "approve") || strings.Contains(s, " by ") {
			out = append(out, strings.ReplaceAll(s, "\u00a0", " "))
		}
	}
	return out
}

// TestTimelineOfWhatWasDone: the page of a hotspot tells what was done for it: who approved the plan, the way of the operation in one row up
// to its effect, who took it back, and the way back in another; when, and what each came to. The API has the same events.
func TestTimelineOfWhatWasDone(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	h := d.guarded()
	plan := string(d.model.fleets[0].hot[d.hot()].plan.ID)
	const path = "/fleets/orders/actions"
	for who, body := range map[string]string{"ann": "do=approve&reason=seen&plan=" + plan, "bob": "do=hold&reason=wait+a+bit&hotspot=" + d.hot()} {
		if w := does(t, h, http.MethodPost, path, who, body, "Content-Type", asForm); w.Code != http.StatusSeeOther {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	o := &d.state.Operations[0]
	o.Phase, o.Version = operation.Planned, d.state.Document.Version
	d.state.Holds = nil
	d.worked(operation.Grace)
	if w := does(t, h, http.MethodPost, path, "bob", "do=rollback&reason=x&operation=1", "Content-Type", asForm); w.Code != http.StatusConflict {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := does(t, h, http.MethodPost, path, "ann", "do=rollback&reason=no+more&operation=1", "Content-Type", asForm); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	d.worked(operation.Undone)
	got := d.happened()
	slices.Sort(got[:2]) // of the map
	want := []string{
		"Approve of plan " + plan + " by ann: seen.",
		"Hold of this hotspot by bob: wait a bit.",
		"Operation 1 (isolate, approved by ann): flip, settle at 12:45:05Z, effective at 13:05:05Z; the load of whale-7 is elsewhere.",
		"bob asked to rollback operation 1 and was refused: bob is none of the fleet's approvers.",
		"Rollback of operation 1 by ann: no more.",
		"Operation 1 (isolate, approved by ann), on its way back: restore, undone at 13:45:05Z; ann: no more.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	page, text := pageOf(t, h, "/fleets/orders/hotspots/"+d.hot(), "ann")
	for _, row := range want {
		if !strings.Contains(text, row) {
			t.Errorf("the page lacks %q", row)
		}
	}
	showsText(t, parsed(t, page), "whale-7")
	acted := 0
	for _, e := range read[hotspotAnswer](t, d.listened(&oracle{}), "/api/v1/hotspots/"+d.hot()).Events {
		if e.Kind == actuator.KindActed.String() {
			acted++
		}
	}
	if acted != len(want) {
		t.Errorf("%d events of the API, want %d", acted, len(want))
	}
	before := d.happened()
	for i := range d.journal { // read again, of a journal that was made anew
		d.model.Entry(&d.journal[i])
	}
	if again := d.happened(); !slices.Equal(again, before) {
		t.Errorf("one entry is told twice: %q", again)
	}
}

// TestTimelineStaysShort: an operation of many steps neither makes a row of each, nor a row without end, and pushes out no event of the
// hotspot itself; a call of a person is a row of its own.
func TestTimelineStaysShort(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	first := d.model.fleets[0].hot[d.hot()].events[0].id
	note := control.Note{At: d.watched.now(), Do: control.DoAct, Hotspot: d.hot(), Operation: 9, Act: control.Act{Fix: "salt", Machine: "salt", Phase: "readers", Text: "x"}}
	for i := range 200 {
		note.ID = "step-" + strings.Repeat("i", i)
		d.tell(actuator.NewRouted(d.name, &note, false, nil))
	}
	note.Operation, note.Act.Outcome = 8, operation.Effective
	for _, phase := range []string{operation.Grace, operation.Over} {
		note.ID, note.Act.Phase = phase, phase
		d.tell(actuator.NewRouted(d.name, &note, false, nil))
	}
	note.ID, note.Act.Call, note.Act.Text = "call", control.CallNeeded, "nobody confirms"
	d.tell(actuator.NewRouted(d.name, &note, false, nil))
	got := d.happened()
	if len(got) != 200/maxSteps+1+3 || strings.Count(got[0], "readers") != maxSteps {
		t.Errorf("%d rows, the first: %s", len(got), got[0])
	}
	if got := got[len(got)-3:]; !strings.HasSuffix(got[0], ": effective; x.") || !strings.HasSuffix(got[1], ": over; x.") || got[2] != "Operation 8 (salt the key, which nobody had to approve) needs a person: nobody confirms." {
		t.Errorf("its end, and the call: %q", got)
	}
	if h := d.model.fleets[0].hot[d.hot()]; h.events[0].id != first || h.left != 0 {
		t.Errorf("%d events of the hotspot are pushed out", h.left)
	}
}

// TestDeedsLeaveHolds: what was done for a hotspot ends none of its holds, whatever a person's reason is called, and makes nothing of a
// hotspot that is over.
func TestDeedsLeaveHolds(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	h := d.model.fleets[0].hot[d.hot()]
	holds := len(h.holds)
	if holds == 0 {
		t.Fatal("there is no hold")
	}
	over := control.Act{Fix: "salt", Machine: "salt", Phase: operation.Over}
	d.tell(actuator.NewRouted(d.name, &control.Note{ID: "a", At: d.watched.now(), Do: control.DoAct, Hotspot: h.id, Operation: 9, Reason: h.holds[0].Reason, Act: over}, false, nil))
	if len(h.holds) != holds {
		t.Error("a hold is gone")
	}
	d.tell(actuator.NewRouted(d.name, &control.Note{ID: "b", At: d.watched.now(), Do: control.DoAct, Hotspot: "0123", Operation: 3, Act: over}, false, nil))
	d.run(80)
	if n := len(read[hotspotsAnswer](t, d.listened(&oracle{}), "/api/v1/hotspots").Hotspots); n != 1 {
		t.Errorf("%d hotspots, want 1", n)
	}
}
