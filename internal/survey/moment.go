package survey

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/pipeline/record"
)

// moment is what a column is as a time. Its zero value is no time.
type moment struct {
	cfg         record.TimeConfig
	read        int // values that are a time of this form
	first, last time.Time
	backward    int  // steps back from one line to the next
	ambiguous   bool // day and month could be the other way round
	zoneless    bool
}

// ok says that nearly all values of the column are such times, and not all the same one.
func (m *moment) ok(c *column) bool { return m.read > 0 && c.nearly(m.read, 0.9) }

// span is how long the sample is.
func (m *moment) span() time.Duration { return m.last.Sub(m.first) }

// written says how the time is written, for people.
func (m *moment) written() string {
	if m.cfg.Unit != "" {
		return map[string]string{"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}[m.cfg.Unit] + " since 1970"
	}
	return "written as " + m.cfg.Layout
}

// layouts are the texts that are tried, the commonest first. A fraction of a second may follow in each; what names a day
// without a year is no time.
func layouts() []string {
	return []string{
		"RFC3339", "clf", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05-07",
		"2006-01-02 15:04:05 MST", "2006/01/02 15:04:05", "02/Jan/2006:15:04:05", "20060102T150405Z0700", "20060102150405",
		time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, time.UnixDate, time.RubyDate, "02 Jan 2006 15:04:05", "2006-01-02 15:04",
		"01/02/2006 15:04:05", "02/01/2006 15:04:05", "02.01.2006 15:04:05",
	}
}

// dayFirst is the one layout whose days may be taken for months, and monthFirst the other way round.
const (
	monthFirst = "01/02/2006 15:04:05"
	dayFirst   = "02/01/2006 15:04:05"
)

// moment finds how the times of a column are written: by the size of its numbers, or by the layouts in their order.
func (s *Sample) moment(f *form, c *column) (moment, error) {
	if c.nearly(c.numbers, 0.9) {
		unit := unitOf(c)
		if unit == "" && !c.nearly(compactDates(c), 0.9) {
			return moment{}, nil
		}
		if unit != "" {
			return s.read(f, c, record.TimeConfig{Unit: unit}, 0)
		}
	}
	var best moment
	if strings.Count(strings.Map(digitOnly, c.top), "0") < len("20060102") {
		return best, nil
	}
	for _, layout := range layouts() {
		m, err := s.read(f, c, record.TimeConfig{Layout: layout}, probeLines)
		if err != nil {
			return moment{}, err
		}
		if m.read <= best.read {
			continue
		}
		best = m
	}
	if best.read == 0 {
		return moment{}, nil
	}
	full, err := s.read(f, c, best.cfg, 0)
	if err != nil {
		return moment{}, err
	}
	return s.dayOrMonth(f, c, full)
}

// digitOnly makes zeros of digits and drops the rest.
func digitOnly(r rune) rune {
	if r >= '0' && r <= '9' {
		return '0'
	}
	return -1
}

// probeLines is how many lines a layout is tried on.
const probeLines = 200

// dayOrMonth tells 01/02 from 02/01 where some day is past 12; else it is ambiguous.
func (s *Sample) dayOrMonth(f *form, c *column, m moment) (moment, error) {
	if m.cfg.Layout != monthFirst && m.cfg.Layout != dayFirst {
		return m, nil
	}
	month, err := s.read(f, c, record.TimeConfig{Layout: monthFirst}, 0)
	if err != nil {
		return m, err
	}
	day, err := s.read(f, c, record.TimeConfig{Layout: dayFirst}, 0)
	if err != nil {
		return m, err
	}
	switch {
	case day.read > month.read:
		return day, nil
	case day.read == month.read:
		month.ambiguous = true
	}
	return month, nil
}

// unitOf is the unit in which numbers are times since 1970 between 1973 and 2096; empty = none.
func unitOf(c *column) string {
	scale := 1.0
	for _, unit := range []string{"s", "ms", "us", "ns"} {
		if c.min >= 1e8*scale && c.max < 4e9*scale {
			return unit
		}
		scale *= 1000
	}
	return ""
}

// compactDates counts the values such as 20250131235959.
func compactDates(c *column) int {
	n := 0
	for v, lines := range c.counts {
		if len(v) == len("20060102150405") && (strings.HasPrefix(v, "19") || strings.HasPrefix(v, "20")) {
			n += lines
		}
	}
	return n
}

// read reads a column as times of one form; limit is the number of lines, 0 = all.
func (s *Sample) read(f *form, c *column, tc record.TimeConfig, limit int) (moment, error) {
	m := moment{cfg: tc}
	cfg := f.config()
	cfg.Fields.Key.Path, cfg.Fields.Time.Path, cfg.Time = c.path, c.path, tc
	cfg.Absent = dashWords()
	previous := record.NoTime
	err := s.decode(cfg, func(i int, _ *line, rec *record.Record, reason record.Reason) bool {
		if limit > 0 && i >= limit {
			return false
		}
		if reason != record.ReasonNone || rec.Time == record.NoTime {
			return true
		}
		at := time.Unix(0, rec.Time).UTC()
		if m.read == 0 || at.Before(m.first) {
			m.first = at
		}
		if m.read == 0 || at.After(m.last) {
			m.last = at
		}
		if previous != record.NoTime && rec.Time < previous {
			m.backward++
		}
		previous = rec.Time
		m.read++
		return true
	})
	if err != nil {
		return m, fmt.Errorf("time %s: %w", shown(c.path), err)
	}
	m.zoneless = tc.Layout != "" && !slices.ContainsFunc([]string{"RFC3339", "clf", "07", "MST"}, func(zone string) bool { return strings.Contains(tc.Layout, zone) })
	return m, nil
}

// inOrder says whether the times mostly go forward and not all stand still: what a column of times does even without a
// name that says so.
func (m *moment) inOrder() bool { return m.read > 1 && m.backward*10 < m.read && m.last.After(m.first) }
