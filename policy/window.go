package policy

import (
	"fmt"
	"strings"
	"time"
)

// parsed is a maintenance window in minutes of the UTC day.
type parsed struct {
	days     [7]bool
	from, to int
}

func (w Window) parse() (parsed, error) {
	var p parsed
	var err error
	if p.from, err = minutes("from", w.From); err != nil {
		return p, err
	}
	if p.to, err = minutes("to", w.To); err != nil {
		return p, err
	}
	names := []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	for _, day := range w.Days {
		found := false
		for i, n := range names {
			if strings.EqualFold(n, day) {
				p.days[i], found = true, true
			}
		}
		if !found {
			return p, fmt.Errorf("days: %q, want mon, tue, wed, thu, fri, sat or sun", day)
		}
	}
	if len(w.Days) == 0 {
		p.days = [7]bool{true, true, true, true, true, true, true}
	}
	return p, nil
}

func minutes(field, text string) (int, error) {
	t, err := time.Parse("15:04", text)
	if err != nil {
		return 0, fmt.Errorf("%s: %q, want a time of day such as 22:00 (UTC)", field, text)
	}
	return t.Hour()*60 + t.Minute(), nil
}

// contains says whether t lies in the window. A window over midnight belongs
// to the day on which it opens.
func (p parsed) contains(t time.Time) bool {
	t = t.UTC()
	minute, day := t.Hour()*60+t.Minute(), int(t.Weekday())
	if p.from <= p.to {
		return p.days[day] && minute >= p.from && minute < p.to
	}
	return p.days[day] && minute >= p.from || p.days[(day+6)%7] && minute < p.to
}

// open says whether operations may start at t.
func (c *Config) open(t time.Time) bool {
	for _, w := range c.Windows {
		if p, err := w.parse(); err == nil && p.contains(t) {
			return true
		}
	}
	return len(c.Windows) == 0
}
