package words

import (
	"testing"
	"time"
)

// TestSpoken: what people say of a hotspot, as the end of a sentence and as one; who says it and why may be hostile.
func TestSpoken(t *testing.T) {
	for _, tt := range []struct {
		got  Phrase
		want string
	}{
		{Accepted("ann", time.Time(at()), "known."), `accepted by "ann" until 2026-03-01 12:00:00Z: known.`},
		{Dismissed("a\"\x1b[2J", "a load\u202etest").Capital(), `Dismissed as a false alarm by "a\"\u{1b}[2J": a load\u{202e}test.`},
		{Again("load", 1300, 1000), "told again, because its load is 1,300/s and was 1,000/s when it was accepted."},
		{Again("until", 1300, 1000).Capital(), "Told again, because the time that it was accepted for is over."},
		{Say(Name("ann"), " says").Capital(), `"ann" says`},
		{Phrase(nil).Capital(), ""},
	} {
		if got := tt.got.Quoted(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	if p := Accepted("ann", time.Time(at()), "r"); !p[1].Name {
		t.Errorf("who says it is no name: %+v", p)
	}
}
