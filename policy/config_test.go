package policy

import (
	"errors"
	"math"
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
		{"total and apart", func(c *Config) { c.Capacity = Capacity{Total: 1, Reads: 1, Writes: 1} }, "capacity.total: total excludes"},
		{"reads alone", func(c *Config) { c.Capacity.Reads = 3000 }, "capacity: reads and writes are given together"},
		{"negative capacity", func(c *Config) { c.Capacity.Total = -5 }, "capacity.total: -5: want load/s above 0"},
		{"no number", func(c *Config) { c.Capacity.Writes = math.NaN() }, "capacity.writes: NaN"},
		{"target over line", func(c *Config) { c.Lines.Target = 0.75 }, "lines.target: 0.75: want at most the warning line of 0.7"},
		{"warning over critical", func(c *Config) { c.Lines.Warning = 0.9 }, "lines.warning: 0.9: want at most the critical line of 0.8"},
		{"critical over 1", func(c *Config) { c.Lines.Critical = 1.2 }, "lines.critical: 1.2"},
		{"relative line", func(c *Config) { c.Lines.Relative = 1 }, "lines.relative: 1: want more than 1"},
		{"windows", func(c *Config) { c.LongPanes = 3 }, "windows: want 1 <= fast (6 panes) <= long (3 panes)"},
		{"coverage", func(c *Config) { c.Coverage = 2 }, "coverage: 2"},
		{"disagree", func(c *Config) { c.Disagree = -1 }, "disagree: -1"},
		{"cap", func(c *Config) { c.MovedAtMost = 0 }, "moved_at_most: 0"},
		{"per hour", func(c *Config) { c.PerHour = -1 }, "operations_per_hour: -1"},
		{"at once", func(c *Config) { c.AtOnce = -1 }, "operations_at_once: -1"},
		{"merge", func(c *Config) { c.KeySpaces = []KeySpace{{}, {Merge: "sum"}} }, `key_spaces[1].merge: "sum": want counter, append, set or max`},
		{"staleness", func(c *Config) { c.KeySpaces = []KeySpace{{Staleness: -time.Second}} }, "key_spaces[0].staleness: -1s"},
		{"day", func(c *Config) { c.Windows = []Window{{Days: []string{"Mon", "monday"}, From: "22:00", To: "04:00"}} }, `windows[0].days[1]: "monday": want sun`},
		{"time", func(c *Config) { c.Windows = []Window{{From: "22", To: "04:00"}} }, `windows[0].from: "22"`},
		{"end", func(c *Config) { c.Windows = []Window{{From: "22:00"}} }, `windows[0].to: ""`},
		{"health", func(c *Config) { c.HealthLimits.Storage = Limit{0.9, 0.8} }, "health.storage.critical: 0.8: want at least"},
		{"no level", func(c *Config) { c.HealthLimits.Storage = Limit{} }, "health.storage.warning: 0: want above 0"},
		{"for", func(c *Config) { c.For = -1 }, "for: -1ns: want 0 or more"},
		{"resolve", func(c *Config) { c.Resolve = 0 }, "resolve: 0s: want a time above 0"},
		{"undo", func(c *Config) { c.UndoDelay = 0 }, "undo_delay: 0s"},
	}
	for _, test := range tests {
		c := Default()
		test.set(&c)
		var at *ConfigError
		if err := c.Validate(); !errors.As(err, &at) || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one error that begins with %q", test.name, err, test.want)
		}
	}
}

// TestValidateReportsEverything: all that is wrong at once, each with its path.
func TestValidateReportsEverything(t *testing.T) {
	c := Default()
	c.Capacity.Total, c.Lines.Target, c.Grace, c.KeySpaces = -5, 0.75, -1, []KeySpace{{Merge: "sum", Staleness: -1}}
	err := c.Validate()
	for _, path := range []string{"capacity.total", "lines.target", "grace", "key_spaces[0].merge", "key_spaces[0].staleness"} {
		if err == nil || !strings.Contains("\n"+err.Error(), "\n"+path+": ") {
			t.Errorf("%v says nothing of %s", err, path)
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
		if got := c.InWindow(test.at); got != test.want {
			t.Errorf("%s: open %v, want %v", test.at, got, test.want)
		}
	}
}
