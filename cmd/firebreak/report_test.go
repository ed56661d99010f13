package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/config"
	"firebreak/internal/history"
)

// weekMinutes are the minutes [from, to) of a fleet whose first shard is hot in the second half.
func weekMinutes(fleet string, from, to time.Time) (out []*history.Minute) {
	for at := from; at.Before(to); at = at.Add(time.Minute) {
		hot := 500.0
		if at.Sub(from) > to.Sub(from)/2 {
			hot = 900
		}
		m := &history.Minute{Fleet: fleet, Start: at, Covered: time.Minute, Judged: at.Add(time.Minute), Coverage: 1, Samples: 60 * (hot + 900), Load: hot + 900, Mean: (hot + 900) / 4, Hottest: hot}
		for i, load := range []float64{hot, 300, 300, 300} {
			m.Shards = append(m.Shards, history.Shard{Name: "shard-" + string(rune('0'+i)), Role: 1, Load: load, Capacity: 1000, Full: load / 700, Line: 700, Critical: 800})
		}
		m.TopKeys = []history.Heavy{{Key: "k<script>", Tenant: "t\x00", Load: hot / 2}}
		out = append(out, m)
	}
	return out
}

// TestReportCommand: one time and the same logs give the same bytes, in each form, of all fleets or one.
func TestReportCommand(t *testing.T) {
	r := newLogsRig(t, "")
	end := time.Now().UTC().Truncate(time.Hour)
	begin := end.Add(-2 * time.Hour)
	r.minutes(weekMinutes("orders", begin, end)...)
	r.minutes(weekMinutes("carts", begin, end.Add(-time.Hour))...)
	r.verdict(hotA, "orders", "shard-0", actuator.PhaseFired, 900, begin.Add(62*time.Minute))
	r.verdict(hotB, "carts", "shard-0", actuator.PhaseFired, 900, begin.Add(-10*time.Minute))
	t.Setenv("USER", "ann")
	if out, err := r.firebreak("dismiss", hotA, "--reason", "a <test>"); err != nil {
		t.Fatal(out, err)
	}
	args := []string{"report", "--from", begin.Format(time.RFC3339), "--to", end.Format(time.RFC3339)}
	for form, want := range map[string][]string{
		"html": {"<!doctype html>", "Service levels", "Dismissed as a false alarm", "k&lt;script&gt;", `t\u{0}`, "Fleet"},
		"md":   {"# firebreak report", "## Fleet `orders`", "## Fleet `carts`", "`k<script>` of `t\\u{0}`", "a \\<test\\>", "1 of 1 were dismissed"},
		"json": {`"fleet":"orders"`, `"fleet":"carts"`, `"key":"k<script>"`, `"kind":"dismissed"`, `"by":"ann"`},
	} {
		first, err := r.firebreak(append(args, "-o", form)...)
		if err != nil {
			t.Fatal(err)
		}
		second, err := r.firebreak(append(args, "-o", form)...)
		if err != nil || first != second {
			t.Errorf("%s: written twice it differs, %v", form, err)
		}
		for _, part := range want {
			if !strings.Contains(first, part) {
				t.Errorf("%s: want %q", form, part)
			}
		}
		if strings.Contains(first, "<script>") && form == "html" {
			t.Error("a name is markup")
		}
	}
	path := filepath.Join(t.TempDir(), "week.json")
	if out, err := r.firebreak(append(args, "-o", "json", "--fleet", "orders", "--file", path)...); err != nil || out != "" {
		t.Fatal(out, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Fleets []struct {
			Fleet   string
			Watched struct{ Share float64 }
			Levels  struct {
				Found, Dismissed int
				Peak, Average    float64
			}
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Fleets) != 1 || doc.Fleets[0].Fleet != "orders" || doc.Fleets[0].Watched.Share != 1 || doc.Fleets[0].Levels.Found != 1 || doc.Fleets[0].Levels.Dismissed != 1 ||
		doc.Fleets[0].Levels.Peak != 0.9 || doc.Fleets[0].Levels.Average < 0.39 || doc.Fleets[0].Levels.Average > 0.41 {
		t.Errorf("%+v", doc)
	}
}

// TestReportPeriodOfFlags: without an end the report ends now, as on the page; without both it is of the last week.
func TestReportPeriodOfFlags(t *testing.T) {
	now := time.Date(2026, 3, 4, 10, 20, 30, 0, time.UTC)
	for _, tt := range []struct{ from, to, wantFrom, wantTo string }{
		{"", "", "2026-02-23T00:00:00Z", "2026-03-02T00:00:00Z"},
		{"2026-03-03", "", "2026-03-03T00:00:00Z", "2026-03-04T10:20:00Z"},
		{"2026-02-01", "", "2026-02-01T00:00:00Z", "2026-03-04T10:20:00Z"},
		{"", "2026-03-01", "2026-02-22T00:00:00Z", "2026-03-01T00:00:00Z"},
		{"2026-02-28", "2026-03-01", "2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"},
	} {
		flags := reportFlags{from: tt.from, to: tt.to}
		from, to, err := flags.period(&config.Report{}, now)
		if err != nil || from.UTC().Format(time.RFC3339) != tt.wantFrom || to.UTC().Format(time.RFC3339) != tt.wantTo {
			t.Errorf("--from %q --to %q: %v to %v, %v", tt.from, tt.to, from, to, err)
		}
	}
}

// TestReportCommandWrong: mistakes are told before anything is read.
func TestReportCommandWrong(t *testing.T) {
	r := newLogsRig(t, "")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-o", "pdf"}, "html, md or json"},
		{[]string{"--from", "yesterday"}, "--from"},
		{[]string{"--from", "2026-03-09", "--to", "2026-03-02"}, "--from 2026-03-09 00:00:00Z: want a time before --to, which is 2026-03-02 00:00:00Z"},
		{[]string{"--to", "2999-03-02"}, "--to 2999-03-02 00:00:00Z: want a time that has passed; it is 2"},
		{[]string{"--from", "2999-03-01", "--to", "2999-03-02"}, "want a time that has passed"},
		{[]string{"--file", filepath.Join(r.path, "week.html")}, "in a folder that is there"},
		{[]string{"--file", filepath.Join(t.TempDir(), "nowhere", "week.html")}, "in a folder that is there"},
		{[]string{"--file", t.TempDir()}, "--file "},
		{[]string{"--from", "2026-01-01", "--to", "2026-03-02"}, "at most 35 days"},
		{[]string{"--from", "2026-03-01T00:00:30Z", "--to", "2026-03-02"}, "whole minutes"},
		{[]string{"--fleet", "order"}, `did you mean "orders"?`},
		{[]string{"--fleet", "nothing like it"}, "it has carts, orders"},
	} {
		if _, err := r.firebreak(append([]string{"report"}, tt.args...)...); exitCode(err) != exitUsage || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.args, err, tt.want)
		}
	}
}

// TestReportCannotRead: a group that is not there and brokers that are down are told apart, with what to look at; nothing is written.
func TestReportCannotRead(t *testing.T) {
	for name, tt := range map[string]struct{ was, is, want string }{
		"another group": {"group: fb", "group: other", `group "other" has written nothing to this cluster: no run of it ever started here; look at group and kafka.brokers of `},
		"no broker":     {"brokers: ", "brokers: \"127.0.0.1:1\" } #", "; firebreak doctor --config "},
		"no zone":       {"fleets:", "report: {weekly: \"Mon 08:00\", zone: Mars/Base, dir: d}\nfleets:", `report.zone: "Mars/Base": want the name of a time zone, such as Europe/Berlin`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newLogsRig(t, "")
			text, err := os.ReadFile(r.path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(r.path, []byte(strings.Replace(string(text), tt.was, tt.is, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			path, want := filepath.Join(t.TempDir(), "week.html"), exitError
			if name == "no zone" {
				want = exitUsage
			}
			out, err := r.firebreak("report", "--file", path)
			if exitCode(err) != want || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") || out != "" {
				t.Errorf("exit %d: %v, want %q", exitCode(err), err, tt.want)
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("a file is written")
			}
		})
	}
}

// TestReportOfTheLastWeek: without times it is of the week that ended last, by the configuration.
func TestReportOfTheLastWeek(t *testing.T) {
	r := newLogsRig(t, `report: {weekly: "Wed 09:30", zone: Europe/Berlin, dir: d}`)
	out, err := r.firebreak("report", "-o", "json", "--fleet", "orders")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ From, To time.Time }
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{doc.From, doc.To} {
		if l := at.In(zone); l.Weekday() != time.Wednesday || l.Format("15:04") != "09:30" {
			t.Errorf("%v is not Wednesday 09:30", l)
		}
	}
	if since := time.Since(doc.To); since < 0 || since > 170*time.Hour {
		t.Errorf("it ended %v ago", since)
	}
}

// TestReportHidesNames: where names are hidden in the journal, evidence, which may hold them as they are, is not shown.
func TestReportHidesNames(t *testing.T) {
	end := time.Now().UTC().Truncate(time.Hour)
	for redact, want := range map[string]bool{"off": true, "hash": false} {
		cfg := newLogsRig(t, "journal: {redact: "+redact+"}\nhistory: {keep_evidence: true}").config()
		g, err := newGathering(cfg, nil, end.Add(-time.Hour), end)
		if err != nil {
			t.Fatal(err)
		}
		if g.evidence != want {
			t.Errorf("redact %s: evidence is shown: %v", redact, g.evidence)
		}
	}
}
