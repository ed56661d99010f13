package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"firebreak/internal/config"
	"firebreak/internal/survey"
)

// inspectFlags are the flags of inspect as typed.
type inspectFlags struct {
	config string
	lines  int
}

// inspectLines is how many lines inspect reads unless it is told otherwise: enough for the clumps of rare keys.
const inspectLines = 100_000

// inspectBytes bounds what inspect keeps of a log, whatever --lines says: what does not fit is said.
const inspectBytes = 64 << 20

// newInspectCommand builds `firebreak inspect`: what a configuration makes of a log.
func newInspectCommand() *cobra.Command {
	var flags inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect [flags] [FILE...]",
		Short: "Show what is read of a request log, and what it can tell",
		Long: `Show what is read of a request log, and what it can and cannot tell: the first records, why lines are refused, their order and
delay, how requests come in clumps, sampling, and how much there is to count. Each FILE (plain, gzip, zstd or xz) is one
partition of the log; without one, or for -, the log is standard input. Without --config it is read as init proposes.`,
		Example: `  firebreak inspect --config firebreak.yml < access.log
  firebreak inspect access.log.gz`,
		RunE: func(cmd *cobra.Command, files []string) error { return runInspect(cmd, &flags, files) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.config, "config", "", "configuration file (YAML)")
	f.IntVar(&flags.lines, "lines", inspectLines, "how many lines to read")
	return cmd
}

func runInspect(cmd *cobra.Command, flags *inspectFlags, files []string) error {
	var fleets []config.Fleet
	if flags.config != "" {
		data, err := os.ReadFile(flags.config)
		if err != nil {
			return usageError{err}
		}
		c, err := config.Parse(flags.config, data)
		if err != nil {
			return usageError{oneLine(err)}
		}
		fleets = c.Fleets
	}
	sample, err := sampleOf(cmd.InOrStdin(), files, survey.Limit{Lines: flags.lines, Bytes: inspectBytes})
	if err != nil {
		return err
	}
	proposal, err := survey.Propose(sample, "default")
	if err != nil && flags.config == "" {
		return oneLine(fmt.Errorf("%s: %w", strings.Join(inputs(files), ", "), err))
	}
	if flags.config == "" {
		fleets = []config.Fleet{proposal.Fleet}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Looked at %s.\n\n", sample.Extent())
	for i := range fleets {
		if err := inspectFleet(&b, sample, &fleets[i], proposal); err != nil {
			return oneLine(fmt.Errorf("%s: %w", strings.Join(inputs(files), ", "), err))
		}
	}
	if flags.config == "" {
		b.WriteString("\nRead as firebreak init proposes; it writes the configuration for you to change.\n")
	}
	_, err = io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

// inspectFleet adds one fleet's part of the text. proposal may be nil: then nothing is known of a second time.
func inspectFleet(b *strings.Builder, sample *survey.Sample, f *config.Fleet, proposal *survey.Proposal) error {
	if f.DetectsFormat() {
		var lines [][]byte
		for _, l := range sample.Head(sampleLines) {
			if len(bytes.TrimSpace(l)) > 0 {
				lines = append(lines, l)
			}
		}
		found, err := detect(f.Record, lines)
		if err != nil {
			return err
		}
		f.Record = found
	}
	p := f.Pipeline()
	var arrival *survey.Arrival
	if proposal != nil {
		arrival = proposal.Arrival()
	}
	in, err := survey.Inspect(sample, f, p.Disorder, arrival)
	if err != nil {
		return err
	}
	t := inspectText{in: in, fleet: f, disorder: p.Disorder}
	t.write(b)
	return nil
}
