package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/actuator/notify"
	"firebreak/internal/strictyaml"
)

// Report is the report that the decider writes every week. The zero value writes none.
type Report struct {
	Weekly    Weekly   `yaml:"weekly"`    // when a week ends and its report is written; empty = no report is written
	Zone      Zone     `yaml:"zone"`      // of weekly; empty = UTC
	Dir       string   `yaml:"dir"`       // folder that the page is written to; empty = none
	Command   []string `yaml:"command"`   // program with its arguments that is given the page on its standard input; empty = none
	Receivers []string `yaml:"receivers"` // that are told what it says, and where it is
}

// On says whether reports are written.
func (r *Report) On() bool { return r.Weekly.set }

// UnmarshalYAML reads the part and judges it.
func (r *Report) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Report
	err := unmarshal((*plain)(r))
	var errs []error
	if r.On() && r.Dir == "" && len(r.Command) == 0 && len(r.Receivers) == 0 {
		errs = append(errs, strictyaml.Wrong("weekly", "%s: nobody gets it: want dir, command or receivers beside it", r.Weekly))
	}
	for _, of := range []struct {
		name  string
		given bool
	}{{"dir", r.Dir != ""}, {"command", len(r.Command) > 0}, {"receivers", len(r.Receivers) > 0}} {
		if of.given && !r.On() {
			errs = append(errs, strictyaml.Wrong(of.name, "no report is written: want weekly beside it, such as Mon 08:00"))
		}
	}
	if len(r.Command) > 0 && strings.TrimSpace(r.Command[0]) == "" {
		errs = append(errs, strictyaml.Wrong("command", "want a program and its arguments"))
	}
	return errors.Join(append([]error{err}, errs...)...)
}

// validReport judges the receivers of reports.
func (c *Config) validReport() error {
	var errs []error
	for i, name := range c.Report.Receivers {
		at := fmt.Sprintf("report.receivers[%d]", i)
		n := slices.IndexFunc(c.Notify.Receivers, func(r notify.Receiver) bool { return r.Name == name })
		switch {
		case n < 0:
			errs = append(errs, strictyaml.Wrong(at, "there is no receiver %q in notify.receivers", name))
		case c.Notify.Receivers[n].PagerDuty != nil || c.Notify.Receivers[n].Alertmanager != nil:
			errs = append(errs, strictyaml.Wrong(at, "%q is for alerts that begin and end: want one of Slack, or a webhook", name))
		}
	}
	return errors.Join(errs...)
}

// Weekly is a moment of every week, on the clock of a zone. The zero value is Monday 00:00, and is not set.
type Weekly struct {
	day          time.Weekday
	hour, minute int
	set          bool
}

// weekdays are how days are called, from Monday on.
func weekdays() []string { return []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"} }

// UnmarshalText reads a day and a time, such as Mon 08:00.
func (w *Weekly) UnmarshalText(text []byte) error {
	wrong := fmt.Errorf("%q: want a day and a time, such as Mon 08:00", text)
	day, clock, ok := strings.Cut(string(text), " ")
	i := slices.Index(weekdays(), day)
	at, err := time.Parse("15:04", clock)
	if !ok || i < 0 || err != nil || len(clock) != len("15:04") {
		return wrong
	}
	*w = Weekly{day: time.Weekday((i + 1) % 7), hour: at.Hour(), minute: at.Minute(), set: true}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (w Weekly) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// String is the text of the file.
func (w Weekly) String() string {
	if !w.set {
		return ""
	}
	return fmt.Sprintf("%s %02d:%02d", weekdays()[(int(w.day)+6)%7], w.hour, w.minute)
}

// Equal says whether both are the same moment.
func (w Weekly) Equal(o Weekly) bool { return w == o }

// Last is the newest of the moments at or before now. Where clocks are put forward over it, or back, it is one of the two that may be
// meant.
func (w Weekly) Last(now time.Time, zone *time.Location) time.Time {
	day := w.day
	if !w.set {
		day = time.Monday
	}
	local := now.In(zone)
	back := (int(local.Weekday()) - int(day) + 7) % 7
	at := w.on(local.Year(), local.Month(), local.Day()-back, zone)
	if at.After(now) {
		at = w.on(local.Year(), local.Month(), local.Day()-back-7, zone)
	}
	return at
}

func (w Weekly) on(year int, month time.Month, day int, zone *time.Location) time.Time {
	return time.Date(year, month, day, w.hour, w.minute, 0, 0, zone)
}

// Before is the moment before one of them: the weeks follow each other without a gap, and one in which clocks were changed has 167 or
// 169 hours.
func (w Weekly) Before(at time.Time, zone *time.Location) time.Time { return w.Last(at.Add(-1), zone) }

// Zone is a time zone by its name in the IANA database. The zero value is UTC.
type Zone struct{ at *time.Location }

// UnmarshalText reads a name, such as Europe/Berlin.
func (z *Zone) UnmarshalText(text []byte) error {
	name := string(text)
	at, err := time.LoadLocation(name)
	if err != nil || name == "Local" || name == "" {
		return fmt.Errorf("%q: want the name of a time zone, such as Europe/Berlin", name)
	}
	z.at = at
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (z Zone) MarshalText() ([]byte, error) { return []byte(z.String()), nil }

// String is its name.
func (z Zone) String() string { return z.Location().String() }

// Location is the zone.
func (z Zone) Location() *time.Location {
	if z.at == nil {
		return time.UTC
	}
	return z.at
}

// Equal compares the names.
func (z Zone) Equal(o Zone) bool { return z.String() == o.String() }
