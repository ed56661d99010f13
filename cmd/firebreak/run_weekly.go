package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/dashboards/report"
	"firebreak/internal/config"
	"firebreak/internal/line"
	"firebreak/internal/telemetry"
)

const (
	// weeklyEvery is how often it is looked whether a report is due.
	weeklyEvery = 10 * time.Second
	// weeklySettle is how long after its end a week is left alone, so that its last minutes are in the history.
	weeklySettle = 10 * time.Minute
	// weeklyBack is how far back reports are made up for: the history goes back 35 days, and a week has seven.
	weeklyBack = 28 * 24 * time.Hour
	// weeklyRetry is the wait after a report that could not be written, and weeklyTries how often it is tried.
	weeklyRetry = 5 * time.Minute
	weeklyTries = 12
	// commandTime bounds the command that is handed a report.
	commandTime = 2 * time.Minute
	// commandShown is how much of what a command that failed wrote is logged, in bytes.
	commandShown = 512
)

// weekly writes the report of every week while this process decides. The journal knows which were written, so that who takes over
// repeats none and makes up for those that are missing; a crash between writing and recording repeats one.
type weekly struct {
	cfg     *config.Config
	journal *journal
	history ownLog
	now     func() time.Time
	log     *zap.Logger

	failed time.Time // end of the week that could not be written; belongs to run, as what follows
	tries  int
	next   time.Time // before which it is not tried again
}

// run writes what is due until the context ends.
func (w *weekly) run(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, weeklyEvery)
		if w.journal.epoch.Load() != 0 && !w.now().Before(w.next) {
			w.turn(ctx)
		}
	}
}

// turn writes the oldest report that is due.
func (w *weekly) turn(ctx context.Context) {
	first, last := w.journal.reports.known()
	due := dueWeeks(&w.cfg.Report, w.now(), first, last)
	if len(due) == 0 {
		return
	}
	end := due[0]
	said, at, err := w.write(ctx, end)
	switch {
	case ctx.Err() != nil || errors.Is(err, errNotDeciding):
		return
	case err != nil:
		if !w.failed.Equal(end) {
			w.failed, w.tries = end, 0
		}
		w.tries++
		w.next = w.now().Add(weeklyRetry)
		w.journal.reports.failed(at)
		w.log.Warn("the report of a week cannot be written", zap.Time("end", end), zap.Int("tries", w.tries), zap.Error(err))
		if w.tries < weeklyTries {
			return
		}
		said.Why = line.Prose(printable(err.Error()))
	default:
		w.log.Info("the report of a week is written", zap.Time("end", end), zap.String("where", string(said.Where)))
	}
	w.record(ctx, &said)
}

// record says in the journal that a report was written, or given up. If it cannot, the report is made anew after a while.
func (w *weekly) record(ctx context.Context, said *actuator.Reported) {
	e, err := actuator.NewReported(w.now(), *said)
	if err == nil {
		all := []actuator.Entry{e}
		if err = w.journal.Append(ctx, all); err == nil {
			w.journal.reports.saw(&all[0])
			return
		}
	}
	if ctx.Err() != nil || errors.Is(err, errNotDeciding) {
		return
	}
	w.next = w.now().Add(weeklyRetry)
	w.journal.reports.failed(telemetry.ReportJournal)
	w.log.Warn("the journal takes no record of a report", zap.Error(err))
}

// dueWeeks are the ends of the weeks that want a report, oldest first. Where none was ever written, the journal has to be older than
// the end of the newest one.
func dueWeeks(c *config.Report, now, first, last time.Time) []time.Time {
	zone := c.Zone.Location()
	newest := c.Weekly.Last(now.Add(-weeklySettle), zone)
	if last.IsZero() {
		if first.IsZero() || !first.Before(newest) {
			return nil
		}
		return []time.Time{newest}
	}
	var due []time.Time
	for end := newest; end.After(last) && now.Sub(end) < weeklyBack; end = c.Weekly.Before(end, zone) {
		due = append([]time.Time{end}, due...)
	}
	return due
}

// write makes the report of the week that ended then, and brings it to where it belongs. At is where that failed.
func (w *weekly) write(ctx context.Context, end time.Time) (said actuator.Reported, at telemetry.ReportFailure, err error) {
	c := &w.cfg.Report
	from := c.Weekly.Before(end, c.Zone.Location())
	said = actuator.Reported{From: line.Stamp(from), To: line.Stamp(end)}
	var page bytes.Buffer
	if err := w.page(ctx, &page, &said); err != nil {
		return said, telemetry.ReportMake, err
	}
	if w.journal.epoch.Load() == 0 {
		return said, telemetry.ReportMake, errNotDeciding // another took over while this one read
	}
	if c.Dir != "" {
		path, err := w.file(page.Bytes(), end)
		if err != nil {
			return said, telemetry.ReportDir, fmt.Errorf("report.dir: %w", err)
		}
		said.Where = line.Prose(path)
	}
	if len(c.Command) > 0 {
		return said, telemetry.ReportCommand, w.hand(ctx, page.Bytes(), from, end)
	}
	return said, 0, nil
}

// page makes the page of the time that is said, and says what stands in it.
func (w *weekly) page(ctx context.Context, page *bytes.Buffer, said *actuator.Reported) error {
	var fleets []*config.Fleet
	for i := range w.cfg.Fleets {
		fleets = append(fleets, &w.cfg.Fleets[i])
	}
	g, err := newGathering(w.cfg, fleets, time.Time(said.From), time.Time(said.To))
	if err != nil {
		return err
	}
	run, err := g.read(ctx, w.journal.ownLog, w.history)
	if err != nil {
		return err
	}
	text, hotspots := report.Headline(run)
	said.Text, said.Hotspots = line.Prose(text), hotspots
	return report.Render(page, run)
}

// file writes the page to the folder, whole or not at all.
func (w *weekly) file(page []byte, end time.Time) (path string, err error) {
	c := &w.cfg.Report
	path = filepath.Join(c.Dir, "firebreak-"+w.cfg.Group+"-"+end.In(c.Zone.Location()).Format(time.DateOnly)+".html")
	if err := os.MkdirAll(c.Dir, 0o755); err != nil { //nolint:gosec // G301: who reads reports is for the owner of the folder to say
		return "", err
	}
	return path, replaceFile(path, func(out io.Writer) error { _, err := out.Write(page); return err })
}

// hand gives the page to the command.
func (w *weekly) hand(ctx context.Context, page []byte, from, end time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	c := w.cfg.Report.Command
	cmd := exec.CommandContext(ctx, c[0], c[1:]...) //nolint:gosec // G204: the command of the configuration
	cmd.Stdin = bytes.NewReader(page)
	cmd.Env = append(os.Environ(), "FIREBREAK_FROM="+from.UTC().Format(time.RFC3339), "FIREBREAK_TO="+end.UTC().Format(time.RFC3339))
	cmd.WaitDelay = time.Second
	var out tail
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err == nil {
		return nil
	}
	w.log.Warn("the command of the report fails", zap.String("wrote", printable(strings.TrimSpace(string(out.kept)))), zap.Error(err))
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return fmt.Errorf("report.command: %w", err)
}

// tail keeps the end of what is written.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - commandShown; over > 0 {
		t.kept = append([]byte{}, t.kept[over:]...)
	}
	return len(p), nil
}
