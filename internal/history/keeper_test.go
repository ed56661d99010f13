package history

import (
	"testing"

	"firebreak/actuator"
	"firebreak/policy"
)

// TestKeeper: a verdict leaves its evidence, a minute its summary; with hidden names evidence is kept only where it is asked for;
// and where there is no log nothing waits.
func TestKeeper(t *testing.T) {
	redact, err := actuator.ParseRedact("hash")
	if err != nil {
		t.Fatal(err)
	}
	cfg := config(policy.Capacity{Total: 400}) // the hotter ones are hot
	judged := story(t, 12, cfg, unchanged)
	told := 0
	for i := range judged {
		if len(judged[i].Decision.Verdicts) > 0 {
			told++
		}
	}
	if told == 0 {
		t.Fatal("no verdict: the test shows nothing")
	}
	k := NewKeeper(Options{Unwritten: true})
	for i := range judged {
		if err := k.Judged(&judged[i]); err != nil || k.Stats() != (WriterStats{}) {
			t.Fatalf("without a log %+v, %v", k.Stats(), err)
		}
	}
	for name, tt := range map[string]struct {
		options  Options
		evidence int
	}{
		"plain":        {Options{Build: "v1"}, told},
		"hidden":       {Options{Redact: redact}, 0},
		"hidden, kept": {Options{Redact: redact, KeepEvidence: true}, told},
	} {
		k, log := NewKeeper(tt.options), &fakeLog{}
		for i := range judged {
			if err := k.Judged(&judged[i]); err != nil {
				t.Fatal(err)
			}
		}
		if s := k.Stats(); s.Waiting != 2+tt.evidence {
			t.Errorf("%s: %+v, want 2 minutes and %d evidence", name, s, tt.evidence)
		}
		if err := k.Flush(t.Context(), log); err != nil {
			t.Fatal(err)
		}
		checkKept(t, name, log.values, tt.options.Build, tt.evidence)
		memory, err := k.Save()
		if err == nil {
			err = k.Load(memory)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Judged(&judged[11]); err != nil || k.Stats().Waiting != 0 {
			t.Errorf("%s: told again after a restart: %+v, %v", name, k.Stats(), err)
		}
	}
}

func checkKept(t *testing.T, name string, log [][]byte, build string, want int) {
	t.Helper()
	r, got := newReader(t), 0
	for _, v := range log {
		e, ok := r.Read(v)
		if !ok || e.Kind != KindEvidence {
			continue
		}
		got++
		back, err := e.Evidence()
		if err != nil {
			t.Fatal(err)
		}
		if d, err := Replay(back); err != nil || len(d.Verdicts) == 0 || back.Build != build {
			t.Errorf("%s: %v, built %q", name, err, back.Build)
		}
	}
	if s := r.Stats(); got != want || s.Minutes != 2 {
		t.Errorf("%s: %d evidence, want %d; %+v", name, got, want, s)
	}
}
