package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// parsed is a maintenance window in minutes of the UTC day.
type parsed struct {
	days     [7]bool
	from, to int
}

// check judges a window at a path.
func (w Window) check(p *problems, path string) {
	for i, day := range w.Days {
		p.oneOf(fmt.Sprintf("%s.days[%d]", path, i), strings.ToLower(day), weekdays())
	}
	for _, t := range []struct{ field, text string }{{".from", w.From}, {".to", w.To}} {
		_, err := minutes(t.text)
		p.want(err == nil, path+t.field, "%q, want a time of day such as 22:00 (UTC)", t.text)
	}
}

func weekdays() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }

// parse reads a window that check has nothing against.
func (w Window) parse() (p parsed, err error) {
	if p.from, err = minutes(w.From); err != nil {
		return p, err
	}
	if p.to, err = minutes(w.To); err != nil {
		return p, err
	}
	for _, day := range w.Days {
		if i := slices.Index(weekdays(), strings.ToLower(day)); i >= 0 {
			p.days[i] = true
		}
	}
	if len(w.Days) == 0 {
		p.days = [7]bool{true, true, true, true, true, true, true}
	}
	return p, nil
}

// minutes reads a time of day.
func minutes(text string) (int, error) {
	t, err := time.Parse("15:04", text)
	return t.Hour()*60 + t.Minute(), err
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

// InWindow says whether operations may start at t.
func (c *Config) InWindow(t time.Time) bool {
	for _, w := range c.Windows {
		if p, err := w.parse(); err == nil && p.contains(t) {
			return true
		}
	}
	return len(c.Windows) == 0
}
