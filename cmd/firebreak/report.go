package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // report.zone must be known where the system has no zones, as in the image

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kerr"

	"firebreak/dashboards/draw"
	"firebreak/dashboards/report"
	"firebreak/internal/config"
	"firebreak/internal/strictyaml"
)

// reportFlags are the flags of report.
type reportFlags struct {
	config, fleet, from, to, output, file string
}

// newReportCommand builds `firebreak report`: the report of a period out of what the instances wrote.
func newReportCommand() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report --config FILE",
		Short: "Write the report of a week, or of another time",
		Long: `Write the report of a time out of the journal and the history of a group: what was hot, when and why, what would help and what it
costs, how well it was watched, and how that compares with the time before. Both logs are only read.

Without --from and --to it is of the week that ended last by report.weekly and report.zone of the configuration (Monday 00:00 UTC if
they say nothing); with --from alone it ends now. The same logs and times give the same bytes.`,
		Example: `  firebreak report --config firebreak.yml > week.html
  firebreak report --config firebreak.yml --from 2026-03-02 --to 2026-03-09 -o md
  firebreak report --config firebreak.yml --fleet orders -o json --file week.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.run(cmd, time.Now()) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.config, "config", "", "configuration file (YAML)")
	f.StringVar(&flags.fleet, "fleet", "", "one fleet (default: all)")
	f.StringVar(&flags.from, "from", "", "begin: RFC 3339, or a day (2026-03-02) in report.zone (default: a week before --to)")
	f.StringVar(&flags.to, "to", "", "end, not included: the same (default: now with --from, else the end of the last week)")
	f.StringVarP(&flags.output, "output", "o", "html", "html, md or json")
	f.StringVar(&flags.file, "file", "", "write to a file, whole or not at all (default: standard output)")
	return cmd
}

// forms are what a report can be written as.
func forms() map[string]func(io.Writer, *report.Run) error {
	return map[string]func(io.Writer, *report.Run) error{"html": report.Render, "md": report.Markdown, "json": report.JSON}
}

func (r *reportFlags) run(cmd *cobra.Command, now time.Time) error {
	write := forms()[r.output]
	if write == nil {
		return usageError{fmt.Errorf("--output %s: want html, md or json", shownName(r.output))}
	}
	cfg, err := commandConfig(r.config, "which file says where the journal and the history are")
	if err != nil {
		return err
	}
	from, to, err := r.period(&cfg.Report, now)
	if err != nil {
		return usageError{err}
	}
	fleets, err := r.fleets(cfg)
	if err != nil {
		return err
	}
	if r.file != "" {
		if err := writable("file", r.file); err != nil {
			return err
		}
	}
	logs, err := openLogs(cfg)
	if err != nil {
		return err
	}
	defer logs.Close()
	g, err := newGathering(cfg, fleets, from, to)
	if err != nil {
		return usageError{err}
	}
	run, err := g.read(cmd.Context(), logs.journal, logs.history)
	if err != nil {
		return r.unread(cfg, err)
	}
	if r.file == "" {
		return write(cmd.OutOrStdout(), run)
	}
	return replaceFile(filepath.Clean(r.file), func(w io.Writer) error { return write(w, run) })
}

// fleets are those that the report is of.
func (r *reportFlags) fleets(cfg *config.Config) ([]*config.Fleet, error) {
	var all []*config.Fleet
	var names []string
	for i := range cfg.Fleets {
		f := &cfg.Fleets[i]
		if r.fleet == "" || r.fleet == f.Name {
			all = append(all, f)
		}
		names = append(names, f.Name)
	}
	if len(all) > 0 {
		return all, nil
	}
	text := fmt.Sprintf("--fleet: %s has no fleet %s", r.config, shownName(r.fleet))
	if near := strictyaml.Nearest(r.fleet, names); near != "" {
		return nil, usageError{fmt.Errorf("%s; did you mean %s?", text, shownName(near))}
	}
	return nil, usageError{fmt.Errorf("%s; it has %s", text, printable(strings.Join(slices.Sorted(slices.Values(names)), ", ")))}
}

// period is the time that the report is of.
func (r *reportFlags) period(c *config.Report, now time.Time) (from, to time.Time, err error) {
	zone := c.Zone.Location()
	to = c.Weekly.Last(now, zone)
	if r.to != "" {
		if to, err = whenever("to", r.to, zone); err != nil {
			return from, to, err
		}
	}
	if r.from != "" && r.to == "" {
		to = now.Truncate(time.Minute)
	}
	if from = c.Weekly.Before(to, zone); r.to != "" {
		from = to.In(zone).AddDate(0, 0, -7)
	}
	if r.from != "" {
		if from, err = whenever("from", r.from, zone); err != nil {
			return from, to, err
		}
	}
	switch {
	case !from.Before(to):
		err = fmt.Errorf("--from %s: want a time before --to, which is %s", draw.Clock(from), draw.Clock(to))
	case to.After(now):
		err = fmt.Errorf("--to %s: want a time that has passed; it is %s", draw.Clock(to), draw.Clock(now))
	}
	return from, to, err
}

// unread says of logs that cannot be read what it may be.
func (r *reportFlags) unread(cfg *config.Config, err error) error {
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return fmt.Errorf("group %s has written nothing to this cluster: no run of it ever started here; look at group and kafka.brokers of %s (%w)", shownName(cfg.Group), r.config, oneLine(err))
	}
	return fmt.Errorf("%w; firebreak doctor --config %s says what is wrong with the brokers", oneLine(err), r.config)
}

// whenever reads a time, or a day in a zone.
func whenever(flag, text string, zone *time.Location) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	if at, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return at, nil
	}
	return time.Time{}, fmt.Errorf("--%s %s: want RFC 3339, such as 2026-03-02T08:00:00Z, or a day, such as 2026-03-02", flag, shownName(text))
}
