package config

import (
	"strings"
	"testing"
	"time"
)

func berlin(t *testing.T) *time.Location {
	t.Helper()
	var z Zone
	if err := z.UnmarshalText([]byte("Europe/Berlin")); err != nil {
		t.Fatal(err)
	}
	return z.Location()
}

// TestWeekly: the moment of a week is on the clock of its zone, also in the weeks in which clocks are changed.
func TestWeekly(t *testing.T) {
	zone := berlin(t)
	for _, tt := range []struct {
		weekly, now, want string
		hours             float64 // of the week that it ends
	}{
		{"Mon 08:00", "2026-03-09T07:00:00Z", "2026-03-09T07:00:00Z", 168},
		{"Mon 08:00", "2026-03-09T06:59:59Z", "2026-03-02T07:00:00Z", 168},
		{"Mon 08:00", "2026-03-30T06:00:00Z", "2026-03-30T06:00:00Z", 167}, // put forward on the 29th
		{"Mon 08:00", "2026-04-06T06:00:00Z", "2026-04-06T06:00:00Z", 168},
		{"Mon 08:00", "2026-10-26T07:00:00Z", "2026-10-26T07:00:00Z", 169}, // put back on the 25th
		{"Sun 02:30", "2026-03-29T12:00:00Z", "2026-03-29T01:30:00Z", 168}, // the clock jumps over it
		{"Sun 02:30", "2026-10-25T12:00:00Z", "2026-10-25T01:30:00Z", 169}, // the clock shows it twice
		{"Fri 23:59", "2026-01-01T00:00:00Z", "2025-12-26T22:59:00Z", 168},
		{"", "2026-03-09T07:00:00Z", "2026-03-08T23:00:00Z", 168},
	} {
		var w Weekly
		if tt.weekly != "" {
			if err := w.UnmarshalText([]byte(tt.weekly)); err != nil {
				t.Fatal(err)
			}
			if w.String() != tt.weekly {
				t.Errorf("%s comes back as %s", tt.weekly, w)
			}
		}
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		at := w.Last(now, zone)
		if got := at.UTC().Format(time.RFC3339); got != tt.want {
			t.Errorf("%s at %s: %s, want %s", tt.weekly, tt.now, got, tt.want)
		}
		if hours := at.Sub(w.Before(at, zone)).Hours(); hours != tt.hours {
			t.Errorf("%s at %s: a week of %v h, want %v", tt.weekly, tt.now, hours, tt.hours)
		}
	}
}

// TestReportPart: what nobody would get, a receiver that calls people, and words that are none are refused with their place.
func TestReportPart(t *testing.T) {
	const file = `
notify: {receivers: [{name: pager, pagerduty: {routing_key: R0123456789012345678901234567890}}, {name: hook, webhook: {url: "https://a.example", secret: a-secret-of-sixteen-bytes}}]}
fleets: [{name: a, shards: 4, placement: {bytes: key}}]
report: `
	if c, err := Parse("f.yml", []byte(file+`{weekly: "Mon 08:00", zone: Europe/Berlin, dir: reports, command: [mail, -s, week], receivers: [hook]}`)); err != nil {
		t.Error(err)
	} else if c.Beside("/etc/fb"); c.Report.Dir != "/etc/fb/reports" || !c.Report.On() || c.Report.Zone.String() != "Europe/Berlin" {
		t.Errorf("%+v", c.Report)
	}
	for text, want := range map[string]string{
		`{weekly: "Mon 08:00"}`:                           "report.weekly: Mon 08:00: nobody gets it",
		`{weekly: "Monday 8", dir: d}`:                    "such as Mon 08:00",
		`{weekly: "Mon 24:00", dir: d}`:                   "such as Mon 08:00",
		`{dir: d}`:                                        "report.dir: no report is written",
		`{weekly: "Mon 08:00", zone: Local, dir: d}`:      "such as Europe/Berlin",
		`{weekly: "Mon 08:00", zone: Mars, dir: d}`:       "such as Europe/Berlin",
		`{weekly: "Mon 08:00", receivers: [hok]}`:         `report.receivers[0]: there is no receiver "hok"`,
		`{weekly: "Mon 08:00", receivers: [pager]}`:       `"pager" is for alerts that begin and end`,
		`{weekly: "Mon 08:00", command: [""]}`:            "report.command: want a program",
		`{weekly: "Mon 08:00", dir: d, receiver: [hook]}`: "receiver",
	} {
		if _, err := Parse("f.yml", []byte(file+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
