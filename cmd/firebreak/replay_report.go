package main

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"firebreak/actuator/notify"
	"firebreak/dashboards/report"
	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/profiles"
)

// reporting is what a replay keeps for --report. A nil one keeps nothing.
type reporting struct {
	path   string
	owners notify.Owners
	fleets []report.Fleet // as their summaries come
}

// addReport gives replay the flag --report. A story has no report.
func addReport(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "report", "", "also write what was found as one self-contained HTML file")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("report") && cmd.Flags().Changed("scenario") {
			return usageError{errors.New("--report is of a log; leave it out with --scenario")}
		}
		return nil
	}
}

// newReporting is nil without --report. What could not be written, or would overwrite a log, is found before any log is
// read.
func newReporting(path string, logs []string, owners notify.Owners) (*reporting, error) {
	if path == "" {
		return nil, nil
	}
	if path == "-" {
		return nil, wrong("report", path, "the name of a file: standard output is for --output")
	}
	if err := writable("report", path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil {
		for _, log := range logs {
			if read, err := os.Stat(log); err == nil && os.SameFile(read, info) {
				return nil, wrong("report", path, "the name of a file that is not the log")
			}
		}
	}
	return &reporting{path: path, owners: owners}, nil
}

// writable refuses a path of a flag at which replaceFile could write no file: a folder, or one that lies in none.
func writable(flag, path string) error {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return wrong(flag, path, "the name of a file in a folder that is there")
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return wrong(flag, path, "the name of a file")
	}
	return nil
}

// recorder gives a fleet its recorder; store has its words for the steps of plans.
func (r *reporting) recorder(store *profiles.Store) *report.Recorder {
	if r == nil {
		return nil
	}
	return &report.Recorder{Store: store}
}

// record feeds a fleet's recorder with one tick.
func (f *replayedFleet) record(cfg *policy.Config, d *policy.Decision) {
	if f.recorder != nil {
		f.recorder.Tick(f.window, cfg, d)
	}
}

// add takes in the summary of a fleet that is over. methods says that its ops are methods of HTTP.
func (r *reporting) add(f *replayedFleet, s *line.Summary, methods bool) {
	if r == nil {
		return
	}
	summary := reportSummary(f, s)
	summary.Methods, summary.Owner = methods, ownerOf(r.owners, f.cfg.Name, nil)
	r.fleets = append(r.fleets, report.Fleet{Recorder: f.recorder, Summary: summary})
}

// write writes the report. broken is why reading ended early.
func (r *reporting) write(inputs []*input, broken error) error {
	if r == nil {
		return nil
	}
	run := report.Run{Fleets: r.fleets}
	for _, in := range inputs {
		name := filepath.Base(in.path)
		if in.path == "-" {
			name = "standard input"
		}
		run.Files = append(run.Files, name)
	}
	if broken != nil {
		run.Broken = oneLine(broken).Error()
	}
	return replaceFile(r.path, func(w io.Writer) error { return report.Render(w, &run) })
}

// replaceFile writes a file whole or not at all: whoever opens it sees the old one or the new one.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return oneLine(err)
	}
	return os.Rename(f.Name(), path)
}

// reportSummary is a summary as the report wants it.
func reportSummary(f *replayedFleet, s *line.Summary) report.Summary {
	out := report.Summary{
		Fleet: string(s.Fleet), From: time.Time(s.From), To: time.Time(s.To), Lines: s.Lines, Records: s.Records, Counted: s.Counted,
		Requests: float64(s.Requests), Distinct: report.Distinct{Keys: f.distinct.Keys, Tenants: f.distinct.Tenants, Load: f.distinct.Load},
	}
	if f.pipeline.Cost != 0 {
		out.Cost = f.pipeline.Cost.String()
	}
	for _, reason := range slices.Sorted(maps.Keys(s.Refused)) {
		out.Refused = append(out.Refused, report.Tally{N: s.Refused[reason], What: reason})
	}
	for _, other := range []report.Tally{
		{N: s.Late, What: "late"},
		{N: s.Future, What: "from the future"},
		{N: s.Untimed, What: "without a time, counted with their neighbours"},
		{N: s.Unplaced, What: "on no shard, they lack what the placement hashes"},
		{N: s.Unrated, What: "without a rate, counted with the default"},
		{N: s.OutsideCut, What: "outside --from and --to"},
	} {
		if other.N > 0 {
			out.Other = append(out.Other, other)
		}
	}
	if d := s.DetectionDelay; d != nil {
		out.Delay = report.Delay{P50: float64(d.P50), P95: float64(d.P95), Max: float64(d.Max)}
	}
	if d := s.Detectable; d != nil {
		out.Detectable = report.Detectable{Line: float64(d.Line), Samples: float64(d.Samples), OneMinute: given(d.OneMinute), FiveMinutes: given(d.FiveMinutes)}
	}
	for _, m := range s.Missing {
		out.Missing = append(out.Missing, string(m))
	}
	for _, n := range s.Findings {
		out.Findings = append(out.Findings, report.Finding{Shard: string(n.Shard), Reason: string(n.Reason)})
	}
	return out
}

// given is a number that may not be there; 0 then.
func given(n *line.Number) float64 {
	if n == nil {
		return 0
	}
	return float64(*n)
}
