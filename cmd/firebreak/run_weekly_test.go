package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap/zaptest"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/config"
	"firebreak/internal/telemetry"
	"firebreak/pipeline/kafka"
)

// TestDueWeeks: each week once, those that were missed too, in their order, and none of before anybody watched.
func TestDueWeeks(t *testing.T) {
	var c config.Report
	for text, into := range map[string]interface{ UnmarshalText([]byte) error }{"Mon 08:00": &c.Weekly, "Europe/Berlin": &c.Zone} {
		if err := into.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ what, now, first, last, want string }{
		{"the first", "2026-03-09T07:10:00Z", "2026-03-03T00:00:00Z", "", "2026-03-09T07:00:00Z"},
		{"not settled", "2026-03-09T07:09:59Z", "2026-03-03T00:00:00Z", "2026-03-02T07:00:00Z", ""},
		{"nobody watched then", "2026-03-09T09:00:00Z", "2026-03-09T08:00:00Z", "", ""},
		{"no journal", "2026-03-09T09:00:00Z", "", "", ""},
		{"written", "2026-03-09T09:00:00Z", "2026-02-01T00:00:00Z", "2026-03-09T07:00:00Z", ""},
		{"first of a journal that is old", "2026-03-09T09:00:00Z", "2026-01-01T00:00:00Z", "", "2026-03-09T07:00:00Z"},
		{"missed, over the change of clocks", "2026-04-07T00:00:00Z", "2026-01-01T00:00:00Z", "2026-03-16T07:00:00Z", "2026-03-23T07:00:00Z 2026-03-30T06:00:00Z 2026-04-06T06:00:00Z"},
		{"too long ago", "2026-04-07T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-05T07:00:00Z", "2026-03-16T07:00:00Z 2026-03-23T07:00:00Z 2026-03-30T06:00:00Z 2026-04-06T06:00:00Z"},
	} {
		at := func(s string) (at time.Time) {
			if s != "" {
				var err error
				if at, err = time.Parse(time.RFC3339, s); err != nil {
					t.Fatal(err)
				}
			}
			return at
		}
		var got []string
		for _, end := range dueWeeks(&c, at(tt.now), at(tt.first), at(tt.last)) {
			got = append(got, end.UTC().Format(time.RFC3339))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.what, got, tt.want)
		}
	}
}

// decider is a process that decides, as far as reports need one.
func (r *logsRig) decider(cfg *config.Config, epoch int64, now func() time.Time) *weekly {
	r.t.Helper()
	log := zaptest.NewLogger(r.t)
	j := newJournal(r.logs.journal, newOwing(time.Minute), "fb", log)
	rules, senders := receiversOf(cfg, j.guide)
	j.runner = notify.NewRunner(notify.NewQueue(rules, rand.Float64), senders, j, log)
	j.epoch.Store(epoch)
	if err := readLog(r.t.Context(), r.logs.journal, time.Now().Add(-spokenBack), j.take); err != nil {
		r.t.Fatal(err)
	}
	return &weekly{cfg: cfg, journal: j, history: r.logs.history, now: now, log: log}
}

func (r *logsRig) config() *config.Config {
	r.t.Helper()
	cfg, err := commandConfig(r.path, "")
	if err != nil {
		r.t.Fatal(err)
	}
	return cfg
}

// reported are the entries of reports in the journal.
func (r *logsRig) reported() (out []actuator.Reported) {
	r.t.Helper()
	reader := actuator.NewReader()
	err := readLog(r.t.Context(), r.logs.journal, time.Now().Add(-time.Hour), func(e *kafka.Entry) {
		if entry, ok := reader.Read(e.Value); ok && entry.Kind == actuator.KindReport {
			l, err := actuator.Read[actuator.Reported](&entry)
			if err != nil {
				r.t.Error(err)
			}
			out = append(out, l)
		}
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// weekEnd is the end of a week that was over an hour ago, as the configuration writes it.
func weekEnd() (end time.Time, text string) {
	end = time.Now().UTC().Add(-time.Hour).Truncate(time.Minute)
	return end, end.Format("Mon 15:04")
}

// TestWeeklyReport: the decider writes the report of a week once, to its folder and its command, and says so; whoever takes over
// repeats nothing.
func TestWeeklyReport(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command of this test is one of Unix")
	}
	end, text := weekEnd()
	out := filepath.Join(t.TempDir(), "handed")
	r := newLogsRig(t, `
notify: {receivers: [{name: hook, severity: critical, webhook: {url: "https://a.example", secret: a-secret-of-sixteen-bytes}}]}
report: {weekly: "`+text+`", dir: reports, command: [sh, -c, 'cat > "$0" && echo "$FIREBREAK_FROM $FIREBREAK_TO" >> "$0"', "`+out+`"], receivers: [hook]}`)
	cfg := r.config()
	r.minutes(weekMinutes("orders", end.Add(-30*time.Minute), end)...)
	r.verdict(hotA, "orders", "shard-0", actuator.PhaseFired, 900, end.Add(-20*time.Minute))
	w := r.decider(cfg, 3, time.Now)
	w.turn(t.Context())
	w.turn(t.Context())
	said := r.reported()
	if len(said) != 1 {
		t.Fatalf("%d reports are recorded", len(said))
	}
	got := w.journal.reports.measured()
	if since := time.Since(got.Success); since < 0 || since > time.Minute || got.Failed != (telemetry.Reports{}).Failed {
		t.Errorf("measured %+v", got)
	}
	if read := r.decider(cfg, 0, time.Now).journal.reports.measured(); !read.Success.Equal(got.Success.Truncate(time.Millisecond)) {
		t.Errorf("who reads the journal measures %+v, who wrote it %+v", read, got)
	}
	path := filepath.Join(filepath.Dir(r.path), "reports", "firebreak-fb-"+end.Format(time.DateOnly)+".html")
	if got := said[0]; !time.Time(got.To).Equal(end) || !time.Time(got.From).Equal(end.AddDate(0, 0, -7)) || string(got.Where) != path || got.Hotspots != 1 || got.Why != "" ||
		!strings.Contains(string(got.Text), `Fleet "orders": Shard "shard-0" is hot`) || !strings.Contains(string(got.Text), `Fleet "carts": Nothing was recorded`) {
		t.Errorf("%+v", got)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	handed, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	times := end.AddDate(0, 0, -7).Format(time.RFC3339) + " " + end.Format(time.RFC3339) + "\n"
	if diff := cmp.Diff(string(page)+times, string(handed)); diff != "" || !strings.Contains(string(page), "Service levels") {
		t.Errorf("handed (-page +handed):\n%s", diff)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	next := r.decider(cfg, 4, time.Now)
	next.turn(t.Context())
	if _, err := os.Stat(path); err == nil || len(r.reported()) != 1 {
		t.Errorf("who takes over writes it again: %v", err)
	}
	rules, _ := receiversOf(cfg, guideOf(cfg))
	if got := rules[0].Kinds; got[len(got)-1] != actuator.KindReport {
		t.Errorf("the receiver hears of %v", got)
	}
}

// TestWeeklyReportFails: what cannot be written is tried again after a while, and given up aloud; a deposed decider writes nothing.
func TestWeeklyReportFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command of this test is one of Unix")
	}
	end, text := weekEnd()
	r := newLogsRig(t, `report: {weekly: "`+text+`", command: [sh, -c, "echo no room >&2; exit 7"]}`)
	r.verdict(hotA, "orders", "shard-0", actuator.PhaseFired, 900, end.Add(-20*time.Minute))
	now := time.Now()
	w := r.decider(r.config(), 3, func() time.Time { return now })
	for try := 1; try < weeklyTries; try++ {
		w.turn(t.Context())
		if len(r.reported()) != 0 {
			t.Fatalf("given up after %d tries", try)
		}
		if got := w.next.Sub(now); got != weeklyRetry {
			t.Fatalf("tried again after %v", got)
		}
	}
	w.turn(t.Context())
	said := r.reported()
	if len(said) != 1 || !strings.Contains(string(said[0].Why), "report.command: exit status 7") {
		t.Fatalf("%+v", said)
	}
	var want telemetry.Reports // given up is no success
	want.Failed[telemetry.ReportCommand] = weeklyTries
	if got := w.journal.reports.measured(); got != want {
		t.Errorf("measured %+v, want %+v", got, want)
	}
	deposed := r.decider(r.config(), 0, time.Now)
	deposed.journal.reports = &reports{first: end.Add(-time.Hour)}
	deposed.turn(t.Context())
	if len(r.reported()) != 1 {
		t.Error("who does not decide writes")
	}
}

// deafOwn is a log that takes nothing, brokenOwn one that cannot be read.
type (
	deafOwn   struct{ ownLog }
	brokenOwn struct{ ownLog }
)

func (deafOwn) Append(context.Context, ...[]byte) (int64, error) { return 0, errors.New("no leader") }

func (brokenOwn) End(context.Context) (int64, error) { return 0, errors.New("no leader") }

// TestWeeklyReportAtEachStage: what fails is counted where it failed, and a report that the journal does not take is not made again at once.
func TestWeeklyReportAtEachStage(t *testing.T) {
	end, text := weekEnd()
	r := newLogsRig(t, `report: {weekly: "`+text+`", dir: reports}`)
	r.verdict(hotA, "orders", "shard-0", actuator.PhaseFired, 900, end.Add(-20*time.Minute))
	for name, tt := range map[string]struct {
		spoil func(w *weekly)
		want  telemetry.ReportFailure
	}{
		"the history cannot be read":           {func(w *weekly) { w.history = brokenOwn{w.history} }, telemetry.ReportMake},
		"a file is where the folder should be": {func(w *weekly) { w.cfg.Report.Dir = r.path }, telemetry.ReportDir},
		"the journal takes nothing":            {func(w *weekly) { w.journal.ownLog = deafOwn{w.journal.ownLog} }, telemetry.ReportJournal},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			w := r.decider(r.config(), 3, func() time.Time { return now })
			tt.spoil(w)
			w.turn(t.Context())
			var want telemetry.Reports
			want.Failed[tt.want] = 1
			if got := w.journal.reports.measured(); got != want {
				t.Errorf("measured %+v, want %+v", got, want)
			}
			if got := w.next.Sub(now); got != weeklyRetry {
				t.Errorf("tried again after %v", got)
			}
		})
	}
}
