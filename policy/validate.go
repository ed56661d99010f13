package policy

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"firebreak/routing"
)

// ConfigError is a problem with one field of the configuration.
type ConfigError struct {
	path, problem string
	given         string   // where the value is none of a closed set: the value
	known         []string // and the set
	beside        []string // paths of the fields with which the value is in conflict
}

// Error says where and what.
func (e *ConfigError) Error() string { return e.path + ": " + e.problem }

// Field returns the path of the field, from Config on, and what is wrong with it.
func (e *ConfigError) Field() (path, problem string) { return e.path, e.problem }

// Choices returns a value that is none of a closed set, and the set; both are empty for any other problem.
func (e *ConfigError) Choices() (given string, known []string) { return e.given, e.known }

// Compared returns the paths of the fields with which the value is in conflict.
func (e *ConfigError) Compared() []string { return e.beside }

// problems collects what is wrong with a configuration.
type problems []error

// want notes that the value at a path is not what it must be.
func (p *problems) want(ok bool, path, format string, args ...any) {
	if !ok {
		*p = append(*p, &ConfigError{path: path, problem: fmt.Sprintf(format, args...)})
	}
}

// agree notes that the value at a path cannot stand beside those of other fields.
func (p *problems) agree(ok bool, path string, others []string, format string, args ...any) {
	if !ok {
		*p = append(*p, &ConfigError{path: path, problem: fmt.Sprintf(format, args...), beside: others})
	}
}

// oneOf notes that a word is none of those known.
func (p *problems) oneOf(path, given string, known []string) {
	if !slices.Contains(known, given) {
		*p = append(*p, &ConfigError{path: path, problem: fmt.Sprintf("%q: want %s", given, either(known)), given: given, known: known})
	}
}

// Validate reports every value that cannot be meant, as joined *ConfigError values. It fills in nothing.
func (c *Config) Validate() error {
	var p problems
	c.checkLines(&p)
	c.checkTimes(&p)
	share := func(path string, v float64) { p.want(v >= 0 && v <= 1, path, "%v: want 0 to 1", v) }
	share("coverage", c.Coverage)
	share("disagree", c.Disagree)
	p.want(c.MovedAtMost > 0 && c.MovedAtMost <= 1, "moved_at_most", "%v: want a share above 0 and at most 1", c.MovedAtMost)
	p.want(c.MinShare > 0 && c.MinShare < 1, "min_share", "%v: want a share above 0 and below 1", c.MinShare)
	p.want(c.PerHour >= 0, "operations_per_hour", "%d: want 0 or more", c.PerHour)
	p.want(c.AtOnce >= 0, "operations_at_once", "%d: want 0 or more", c.AtOnce)
	for i, k := range c.KeySpaces {
		if k.Merge != "" {
			p.oneOf(fmt.Sprintf("key_spaces[%d].merge", i), k.Merge, routing.MergeKinds())
		}
		p.want(k.Staleness >= 0, fmt.Sprintf("key_spaces[%d].staleness", i), "%v: want 0 or more", k.Staleness)
	}
	for i, w := range c.Windows {
		w.check(&p, fmt.Sprintf("windows[%d]", i))
	}
	c.HealthLimits.check(&p)
	return errors.Join(p...)
}

// checkLines judges the capacity and the lines drawn in it.
func (c *Config) checkLines(p *problems) {
	k, l := c.Capacity, c.Lines
	for _, f := range []struct {
		path  string
		value float64
	}{{"capacity.total", k.Total}, {"capacity.reads", k.Reads}, {"capacity.writes", k.Writes}} {
		p.want(f.value >= 0, f.path, "%v: want load/s above 0, or 0 where it is not known", f.value)
	}
	if k.Total >= 0 && k.Reads >= 0 && k.Writes >= 0 {
		apart := []string{"capacity.reads", "capacity.writes"}
		p.agree(k.Total == 0 || k.Reads == 0 && k.Writes == 0, "capacity.total", apart, "total excludes reads and writes")
		p.agree((k.Reads > 0) == (k.Writes > 0), "capacity", apart, "reads and writes are given together")
	}
	p.want(l.Target > 0, "lines.target", "%v: want above 0", l.Target)
	p.want(l.Critical <= 1, "lines.critical", "%v: want at most 1", l.Critical)
	p.agree(l.Target <= l.Warning, "lines.target", []string{"lines.warning"}, "%v: want at most the warning line of %v", l.Target, l.Warning)
	p.agree(l.Warning <= l.Critical, "lines.warning", []string{"lines.critical"}, "%v: want at most the critical line of %v", l.Warning, l.Critical)
	p.want(l.Relative > 1, "lines.relative", "%v: want more than 1 x the mean", l.Relative)
}

// checkTimes judges the windows and every duration.
func (c *Config) checkTimes(p *problems) {
	p.want(c.FastPanes >= 1 && c.LongPanes >= c.FastPanes, "windows", "want 1 <= fast (%d panes) <= long (%d panes)", c.FastPanes, c.LongPanes)
	p.want(c.WarmPanes >= 1, "warmup", "want at least one pane")
	for _, f := range []struct {
		path  string
		value time.Duration
		zero  bool // may be 0
	}{
		{"for", c.For, true},
		{"resolve", c.Resolve, false},
		{"revise", c.Revise, false},
		{"max_lag", c.MaxLag, false},
		{"cool_down", c.CoolDown, true},
		{"approval_expires", c.Expiry, false},
		{"undo_delay", c.UndoDelay, false},
		{"grace", c.Grace, false},
	} {
		switch {
		case f.zero:
			p.want(f.value >= 0, f.path, "%v: want 0 or more", f.value)
		default:
			p.want(f.value > 0, f.path, "%v: want a time above 0", f.value)
		}
	}
}
