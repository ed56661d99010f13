package policy

import (
	"strings"
	"testing"
	"time"
)

func TestDefaultIsValid(t *testing.T) {
	c := Default()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

// TestValidate: what cannot be meant is named, and nothing is filled in.
func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		set  func(c *Config)
		want string
	}{
		{"total and apart", func(c *Config) { c.Capacity = Capacity{Total: 1, Reads: 1, Writes: 1} }, "total excludes"},
		{"reads alone", func(c *Config) { c.Capacity.Reads = 3000 }, "given together"},
		{"negative capacity", func(c *Config) { c.Capacity.Total = -1 }, "capacity"},
		{"target over line", func(c *Config) { c.Lines.Target = 0.9 }, "target (0.9)"},
		{"relative line", func(c *Config) { c.Lines.Relative = 1 }, "relative 1"},
		{"windows", func(c *Config) { c.LongPanes = 3 }, "long (3 panes)"},
		{"coverage", func(c *Config) { c.Coverage = 2 }, "coverage 2"},
		{"cap", func(c *Config) { c.MovedAtMost = 0 }, "moved_at_most 0"},
		{"merge", func(c *Config) { c.KeySpaces = []KeySpace{{Merge: "sum"}} }, `merge "sum"`},
		{"day", func(c *Config) { c.Windows = []Window{{Days: []string{"monday"}, From: "22:00", To: "04:00"}} }, `"monday"`},
		{"time", func(c *Config) { c.Windows = []Window{{From: "22", To: "04:00"}} }, `from: "22"`},
		{"health", func(c *Config) { c.HealthLimits.Storage = Limit{0.9, 0.8} }, "health.storage"},
		{"undo", func(c *Config) { c.UndoDelay = 0 }, "undo_delay"},
	}
	for _, test := range tests {
		c := Default()
		test.set(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.want)
		}
	}
}

// TestWindowOverMidnight: a window belongs to the day on which it opens.
func TestWindowOverMidnight(t *testing.T) {
	c := Default()
	c.Windows = []Window{{Days: []string{"sat"}, From: "22:00", To: "04:00"}}
	at := func(day, hour int) time.Time { return time.Date(2026, 1, day, hour, 0, 0, 0, time.UTC) } // 3 January 2026 is a Saturday
	for _, test := range []struct {
		at   time.Time
		want bool
	}{
		{at(3, 21), false},
		{at(3, 22), true},
		{at(4, 3), true},
		{at(4, 4), false},
		{at(4, 23), false},
		{at(3, 3), false},
	} {
		if got := c.open(test.at); got != test.want {
			t.Errorf("%s: open %v, want %v", test.at, got, test.want)
		}
	}
}
