package draw

import (
	"testing"
	"time"
)

func TestTicks(t *testing.T) {
	from := time.Date(2026, 2, 27, 22, 58, 17, 0, time.UTC)
	for _, span := range []time.Duration{
		2 * time.Second, 40 * time.Second, 4 * time.Minute, time.Hour, 24 * time.Hour, 83 * time.Hour, 35 * 24 * time.Hour, 20 * 365 * 24 * time.Hour,
	} {
		list := ticks(from, from.Add(span))
		if len(list) == 0 || len(list) > mapTicks {
			t.Errorf("%v has %d ticks", span, len(list))
		}
		for i, tick := range list {
			if tick.at.Before(from) || !tick.at.Before(from.Add(span)) || i > 0 && !list[i-1].at.Before(tick.at) {
				t.Errorf("%v: tick %d at %v is out of place", span, i, tick.at)
			}
		}
	}
	day := ticks(from, from.Add(3*time.Hour))
	texts := make([]string, 0, len(day))
	for _, tick := range day {
		texts = append(texts, tick.text)
	}
	if got, want := texts, []string{"27 Feb 23:00", "23:30", "28 Feb", "00:30", "01:00", "01:30"}; len(got) != len(want) || got[0] != want[0] || got[2] != want[2] {
		t.Errorf("got %q, want %q", got, want)
	}
	if list := ticks(from, from); list != nil {
		t.Errorf("no time has ticks %v", list)
	}
}
