package actuator

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/internal/line"
	"firebreak/policy"
)

func spokenAt() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// accepted is an entry of ann, who accepts the hotspot h at a load of 1,000 for a day.
func accepted(t *testing.T, at time.Time) Entry {
	t.Helper()
	e, err := NewAccepted("orders", at, Accepted{Hotspot: "h", By: "ann", Reason: "a known batch", Until: line.Stamp(spokenAt().Add(24 * time.Hour)), Load: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func openAt(now time.Time, load float64) *Tick {
	return &Tick{Fleet: "orders", Now: now, Decision: &policy.Decision{Open: []policy.Verdict{{Hotspot: "h", Load: load}}}}
}

func newsOf(k Kind, p Phase, at time.Time) *Entry {
	return &Entry{ID: NewID(k.String(), p.String()), Fleet: "orders", Hotspot: "h", Kind: k, Phase: p, At: at, Line: []byte(`{}`)}
}

// TestSpokenIsOfNoEpoch: a person is heard whoever decides, before and after a new decider, and fences nobody.
func TestSpokenIsOfNoEpoch(t *testing.T) {
	r := NewReader()
	said := accepted(t, spokenAt())
	later := accepted(t, spokenAt().Add(time.Second))
	for i, e := range []Entry{
		{ID: "a1", At: spokenAt(), Epoch: 7, Kind: KindDecider, Line: []byte(`{}`)},
		said,
		{ID: "a2", At: spokenAt(), Epoch: 7, Kind: KindVerdict, Phase: PhaseFired, Line: []byte(`{}`)},
		later,
	} {
		b, err := Encode(&e)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := r.Read(b)
		if !ok {
			t.Errorf("entry %d is not yielded", i)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Errorf("entry %d (-want +got):\n%s", i, diff)
		}
	}
	if s := r.Stats(); s.Entries != 4 || s.Fenced != 0 {
		t.Errorf("%+v", s)
	}
	if got := r.Claim(3); got != 8 {
		t.Errorf("the next decider claims %d, want 8", got)
	}
	forged := said
	forged.Epoch = 99
	if _, err := Encode(&forged); err == nil {
		t.Error("a person with an epoch is written")
	}
	forged = said
	forged.Hotspot = ""
	if _, err := Encode(&forged); err == nil {
		t.Error("an acceptance of nothing is written")
	}
}

// TestSilent: what was accepted says nothing until it is told again, until its time is over, or it ends.
func TestSilent(t *testing.T) {
	var s Spoken
	fired, revised, resolved := newsOf(KindVerdict, PhaseFired, spokenAt()), newsOf(KindVerdict, PhaseRevised, spokenAt()), newsOf(KindVerdict, PhaseResolved, spokenAt())
	if s.Silent(fired) {
		t.Error("silent before anybody said anything")
	}
	e := accepted(t, spokenAt())
	s.Apply(&e)
	for _, quiet := range []*Entry{fired, revised, newsOf(KindPlan, PhaseChanged, spokenAt()), newsOf(KindHold, PhaseBegun, spokenAt())} {
		if !s.Silent(quiet) {
			t.Errorf("%v %v is told", quiet.Kind, quiet.Phase)
		}
	}
	other := *revised
	other.Fleet = "carts"
	for _, loud := range []*Entry{resolved, &other, newsOf(KindReopened, PhaseNone, spokenAt()), newsOf(KindVerdict, PhaseRevised, spokenAt().Add(24*time.Hour)), &e} {
		if s.Silent(loud) {
			t.Errorf("%v %v of %s is silent", loud.Kind, loud.Phase, loud.Fleet)
		}
	}
	s.Apply(resolved)
	if _, ok := s.Of("orders", "h"); ok {
		t.Error("remembered after the end")
	}
	d, err := NewDismissed("orders", spokenAt(), Dismissed{Hotspot: "h", By: "ann", Reason: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	s.Apply(&d)
	if !s.Silent(newsOf(KindVerdict, PhaseRevised, spokenAt().Add(1000*time.Hour))) {
		t.Error("a false alarm is told on")
	}
}

// TestReopen: a load 25 % above that at acceptance, or its end, tells a hotspot again, once, under one id from every instance.
func TestReopen(t *testing.T) {
	for _, tt := range []struct {
		what  string
		after time.Duration
		load  float64
		blind bool
		want  string
	}{
		{"below", time.Hour, 1249, false, ""},
		{"above", time.Hour, 1250, false, "load"},
		{"above, but not seen", time.Hour, 2000, true, ""},
		{"time is over", 24 * time.Hour, 500, false, "until"},
		{"time is over, not seen", 24 * time.Hour, 500, true, "until"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			var ids []string
			for n := range 2 { // of two instances the second learns of it later
				var s Spoken
				e := accepted(t, spokenAt())
				s.Apply(&e)
				tick := openAt(spokenAt().Add(tt.after+time.Duration(n)*time.Minute), tt.load)
				tick.Decision.Blind = tt.blind
				got, err := s.Reopen(tick)
				if err != nil {
					t.Fatal(err)
				}
				if tt.want == "" {
					if len(got) != 0 {
						t.Errorf("told again: %s", got[0].Line)
					}
					return
				}
				if len(got) != 1 || !strings.Contains(string(got[0].Line), `"why":"`+tt.want+`"`) {
					t.Fatalf("%v, want one for %s", got, tt.want)
				}
				ids = append(ids, got[0].ID)
				if more, _ := s.Reopen(tick); len(more) != 0 {
					t.Error("told again twice")
				}
				if !s.Silent(newsOf(KindVerdict, PhaseRevised, spokenAt())) {
					t.Error("loud before the journal says so")
				}
				if s.Apply(&got[0]); s.Silent(newsOf(KindVerdict, PhaseRevised, spokenAt())) {
					t.Error("silent after it was told again")
				}
				w, _ := s.Of("orders", "h")
				if want := (Again{ID: got[0].ID, At: got[0].At, Why: tt.want, Load: tt.load}); w.Again != want {
					t.Errorf("again: %+v, want %+v", w.Again, want)
				}
			}
			if ids[0] != ids[1] {
				t.Errorf("ids %v differ", ids)
			}
		})
	}
}

// TestSpokenWants: who and why are needed, and a time to come that is remembered.
func TestSpokenWants(t *testing.T) {
	good := Accepted{Hotspot: "h", By: "ann", Reason: "r", Until: line.Stamp(spokenAt().Add(time.Hour))}
	for want, change := range map[string]func(*Accepted){
		"by:":     func(a *Accepted) { a.By = "" },
		"reason:": func(a *Accepted) { a.Reason = "" },
		"until":   func(a *Accepted) { a.Until = line.Stamp(spokenAt()) },
		"30 days": func(a *Accepted) { a.Until = line.Stamp(spokenAt().Add(MaxAccept + time.Second)) },
		"500":     func(a *Accepted) { a.Reason = line.Prose(strings.Repeat("x", 501)) },
	} {
		a := good
		change(&a)
		if _, err := NewAccepted("orders", spokenAt(), a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := NewDismissed("orders", spokenAt(), Dismissed{Hotspot: "h", By: "ann"}); err == nil {
		t.Error("dismissed without a reason")
	}
}

// TestSpokenIsBounded: whatever is said, the memory is bounded, and the newest is kept.
func TestSpokenIsBounded(t *testing.T) {
	var s Spoken
	for i := range maxWords + 100 {
		e := accepted(t, spokenAt().Add(time.Duration(i)*time.Millisecond))
		e.Hotspot = NewID(time.Duration(i).String())
		s.Apply(&e)
	}
	if len(s.words) > maxWords || len(s.order) > maxWords {
		t.Errorf("%d words, %d in order", len(s.words), len(s.order))
	}
	if _, ok := s.Of("orders", NewID(time.Duration(maxWords+99).String())); !ok {
		t.Error("the newest is forgotten")
	}
}

// TestSpokenKeepsTheNewest: what was said of hotspots that are over does not push out what was said of those that are not.
func TestSpokenKeepsTheNewest(t *testing.T) {
	var s Spoken
	say := func(hotspot string) {
		a := accepted(t, spokenAt())
		a.Hotspot = hotspot
		s.Apply(&a)
	}
	over := func(hotspot string) {
		e := newsOf(KindVerdict, PhaseResolved, spokenAt())
		e.Hotspot = hotspot
		s.Apply(e)
	}
	for range 100 {
		say("h")
		over("h")
	}
	for i := range 100 {
		say(NewID("before", time.Duration(i).String()))
	}
	say("h")
	for i := range maxWords - 50 {
		say(NewID(time.Duration(i).String()))
	}
	if _, ok := s.Of("orders", "h"); !ok {
		t.Error("the word about a hotspot that is not over is forgotten before older ones")
	}
	if len(s.words) != maxWords {
		t.Errorf("%d words", len(s.words))
	}
}
