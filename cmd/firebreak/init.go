package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"firebreak/internal/numerals"
	"firebreak/internal/survey"
)

// initFlags are the flags of init as typed.
type initFlags struct {
	fleet string
	lines int
}

// newInitCommand builds `firebreak init`: propose a configuration for a log about which nothing is known.
func newInitCommand() *cobra.Command {
	var flags initFlags
	cmd := &cobra.Command{
		Use:   "init [flags] [FILE...]",
		Short: "Propose a configuration for a request log",
		Long: `Propose a configuration for a request log, from its first lines: format, fields, op table, sampling and placement, each
with the numbers that speak for it. Each FILE (plain, gzip, zstd or xz) is one partition of the log; without one, or for -,
the log is standard input.

The configuration goes to standard output and is valid as it is. What no log can tell is one line, marked DECIDE; guesses are
marked CHECK. Standard error repeats both.`,
		Example: `  firebreak init < access.log > firebreak.yml
  firebreak init --fleet orders part-*.csv.zst > firebreak.yml`,
		RunE: func(cmd *cobra.Command, files []string) error { return runInit(cmd, &flags, files) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.fleet, "fleet", "default", "name of the fleet, 1 to 255 bytes")
	f.IntVar(&flags.lines, "lines", survey.DefaultLines, "how many lines to look at")
	return cmd
}

func runInit(cmd *cobra.Command, flags *initFlags, files []string) error {
	if flags.fleet == "" || len(flags.fleet) > 255 || strings.ToValidUTF8(flags.fleet, "") != flags.fleet || printable(flags.fleet) != flags.fleet {
		return wrong("fleet", flags.fleet, "1 to 255 bytes that print")
	}
	proposal, err := propose(cmd.InOrStdin(), files, flags)
	if err != nil {
		return err
	}
	if _, err := cmd.OutOrStdout().Write(proposal.YAML); err != nil {
		return err
	}
	return proposed(cmd.ErrOrStderr(), proposal, files)
}

// propose surveys the files, or standard input.
func propose(stdin io.Reader, files []string, flags *initFlags) (*survey.Proposal, error) {
	sample, err := sampleOf(stdin, files, survey.Limit{Lines: flags.lines})
	if err != nil {
		return nil, err
	}
	proposal, err := survey.Propose(sample, flags.fleet)
	if err != nil {
		return nil, oneLine(fmt.Errorf("%s: %w", strings.Join(inputs(files), ", "), err))
	}
	return proposal, nil
}

// inputs are the files, or standard input where there is none.
func inputs(files []string) []string {
	if len(files) == 0 {
		return []string{"-"}
	}
	return files
}

// sampleOf reads the first lines of the files.
func sampleOf(stdin io.Reader, files []string, limit survey.Limit) (*survey.Sample, error) {
	if limit.Lines < 1 {
		return nil, wrong("lines", fmt.Sprint(limit.Lines), "1 or more")
	}
	files = inputs(files)
	sample := survey.NewSample(limit, len(files))
	for _, path := range files {
		if err := addTo(sample, path, stdin); err != nil {
			return nil, oneLine(err)
		}
	}
	return sample, nil
}

// addTo adds one file to a sample.
func addTo(sample *survey.Sample, path string, stdin io.Reader) error {
	if path == "-" {
		return sample.Add("standard input", stdin)
	}
	file, err := os.Open(path) //nolint:gosec // G304: the file that the user names
	if err != nil {
		return err
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return errors.Join(fmt.Errorf("%s: is a directory: want a file, or - for standard input", path), file.Close())
	}
	return errors.Join(sample.Add(path, file), file.Close())
}

// proposed says on standard error what a person has to do with a proposal.
func proposed(w io.Writer, p *survey.Proposal, files []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "firebreak init: %s of %s; %s read as records\n", quantity(p.Lines, "line", "lines"), p.Format, whole(p.Read))
	if p.Fewer != "" {
		fmt.Fprintf(&b, "firebreak init: looked at %s\n", p.Fewer)
	}
	if d := p.Decide; d != nil {
		fmt.Fprintf(&b, "firebreak init: decide line %d, %s: %s\n", d.Line, d.Entry, d.Text)
	} else {
		b.WriteString("firebreak init: nothing to decide: the log tells all that is needed\n")
	}
	for _, c := range p.Checks {
		entry := ""
		if c.Entry != "" {
			entry = ", " + c.Entry
		}
		fmt.Fprintf(&b, "firebreak init: check line %d%s: %s\n", c.Line, entry, c.Text)
	}
	if p.Busy != "" {
		fmt.Fprintf(&b, "firebreak init: %s\n", p.Busy)
	}
	fmt.Fprintf(&b, "firebreak init: then: %s\n", printable(p.Command(strings.Join(inputs(files), " "))))
	_, err := io.WriteString(w, b.String())
	return err
}

// quantity writes a number with its noun.
func quantity(n int, one, many string) string { return numerals.Counted(n, one, many) }
