package pipeline

import (
	"errors"
	"fmt"
	"time"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// Config is what a Fleet is made with. DefaultConfig gives the values of the design; the zero value is not valid.
type Config struct {
	Fleet    string
	Document *routing.Document // nil = no placement: only leaderboards
	Discover bool              // no document yet, the log names the shards: one is made of the first name
	LogPoint policy.LogPoint
	Sampling policy.Sampling
	Cost     Cost
	Rate     float64       // of records that carry none, in (0, 1]
	Pane     time.Duration // a whole number of them makes a Window
	Window   time.Duration // the long window
	Whole    bool          // all input is one window; Pane is the shortest pane
	Disorder time.Duration // a pane is complete once its partitions are past its end by this
	Skew     time.Duration // how far ahead of all others a record may be
	Idle     time.Duration // a partition further behind than this stops no pane
}

// DefaultConfig returns the defaults of the design: one request a line, panes of 10 s, a window of 5 minutes.
func DefaultConfig(fleet string) Config {
	return Config{
		Fleet: fleet, Rate: 1, Pane: 10 * time.Second, Window: 5 * time.Minute,
		Disorder: 5 * time.Second, Skew: 30 * time.Second, Idle: time.Minute,
	}
}

// LongPanes is the number of panes of the long window.
func (c *Config) LongPanes() int { return int(c.Window / c.Pane) }

// Validate reports every value that cannot be meant, as joined *record.ConfigError values with the paths that the fields have in
// a configuration file. It fills in nothing.
func (c *Config) Validate() error {
	var errs []error
	want := func(ok bool, path, format string, args ...any) {
		if !ok {
			errs = append(errs, &record.ConfigError{Path: path, Problem: fmt.Sprintf(format, args...)})
		}
	}
	want(c.Rate > 0 && c.Rate <= 1, "rate", "%v: want above 0 and at most 1", c.Rate)
	want(c.Pane >= time.Millisecond && c.Pane <= time.Hour, "pane", "%v: want 1ms to 1h", c.Pane)
	if problem := c.window(); problem != "" {
		errs = append(errs, &record.ConfigError{Path: "window", Problem: problem, Beside: []string{"pane"}})
	}
	want(c.Disorder >= 0, "disorder", "%v: want 0 or more", c.Disorder)
	want(c.Skew >= 0, "skew", "%v: want 0 or more", c.Skew)
	want(c.Idle > 0, "idle", "%v: want a time above 0", c.Idle)
	if ahead := c.Disorder + c.Skew; c.Pane > 0 && !c.Whole && ahead/c.Pane > maxAhead-2 {
		errs = append(errs, &record.ConfigError{
			Path: "pane", Problem: fmt.Sprintf("%v: more than %d panes lie within disorder and skew, %v, and would be open at once", c.Pane, maxAhead-2, ahead),
			Beside: []string{"disorder", "skew"},
		})
	}
	want(c.Sampling != policy.SamplingByKey, "sampling", "by_key: refused, a log that keeps all of some keys and none of the others says nothing about "+
		"anyone's share; sample independently of the key, or by trace")
	return errors.Join(errs...)
}

// window says what is wrong with the window, beside a pane that may be.
func (c *Config) window() string {
	switch {
	case c.Window <= 0:
		return fmt.Sprintf("%v: want a time above 0", c.Window)
	case c.Pane <= 0:
		return ""
	case c.Window < c.Pane || c.Window%c.Pane != 0:
		return fmt.Sprintf("%v: want a whole number of panes of %v", c.Window, c.Pane)
	case c.Window/c.Pane > maxPanes:
		return fmt.Sprintf("%v: more than %d panes of %v", c.Window, maxPanes, c.Pane)
	}
	return ""
}

// maxPanes bounds the ring: an hour of seconds.
const maxPanes = 3600
