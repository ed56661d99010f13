package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"firebreak/bench/measure"
	"firebreak/bench/sketch"
)

// benchSketchFlags are the flags of bench sketch.
type benchSketchFlags struct {
	sketch.Config

	curves bool
}

func newBenchSketchCommand() *cobra.Command {
	flags := benchSketchFlags{Config: sketch.DefaultConfig()}
	cmd := &cobra.Command{
		Use:   "sketch",
		Short: "Measure the sliding window beside plain ways to count the same stream",
		Long: `Draw three streams (Zipf 1.1 over a million keys that drift, Zipf 1.5 over 100,000, and 90 of 100 keys that come only
once), let every contender count the same panes in turns, and judge what each lists against exact counts. A figure is
the median of the rounds, a ratio the median of the ratios within rounds. Then what a full window costs beside that.
--curves measures instead how costs go with distinct keys, records and instances. The libraries of others are measured
by bench/peers, a module of its own.`,
		Example: `  firebreak bench sketch
  firebreak bench sketch --rounds 101
  firebreak bench sketch --curves`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBenchSketch(cmd.OutOrStdout(), &flags) },
	}
	f := cmd.Flags()
	f.IntVar(&flags.Panes, "panes", flags.Panes, "panes of the window")
	f.IntVar(&flags.Updates, "updates", flags.Updates, "records of a pane")
	f.IntVar(&flags.Rounds, "rounds", flags.Rounds, "rounds")
	f.Uint64Var(&flags.Seed, "seed", flags.Seed, "seed of the streams")
	f.BoolVar(&flags.curves, "curves", false, "measure the curves instead")
	f.IntVar(&flags.Most, "most", flags.Most, "with --curves, the largest number of distinct keys")
	return cmd
}

func runBenchSketch(out io.Writer, flags *benchSketchFlags) error {
	switch {
	case flags.Panes < 1 || flags.Panes > sketch.MaxPanes:
		return wrong("panes", fmt.Sprint(flags.Panes), fmt.Sprintf("1 to %d", sketch.MaxPanes))
	case flags.Updates < 1 || flags.Updates > sketch.MaxRecords/flags.Panes:
		return wrong("updates", fmt.Sprint(flags.Updates), fmt.Sprintf("1 to %d with %d panes", sketch.MaxRecords/flags.Panes, flags.Panes))
	case flags.Rounds < measure.MinRounds:
		return wrong("rounds", fmt.Sprint(flags.Rounds), fmt.Sprintf("%d or more", measure.MinRounds))
	case flags.Most < 1 || flags.Most > sketch.MaxRecords:
		return wrong("most", fmt.Sprint(flags.Most), fmt.Sprintf("1 to %d", sketch.MaxRecords))
	case flags.curves:
		return runBenchCurves(out, flags.Config)
	}
	table, err := sketch.Run(flags.Config)
	if err != nil {
		return err
	}
	if err := table.Write(out); err != nil {
		return err
	}
	operations, err := sketch.RunOperations(flags.Config)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	return operations.Write(out)
}

// runBenchCurves prints the curves, a blank line behind each but the last.
func runBenchCurves(out io.Writer, cfg sketch.Config) error {
	curves, err := sketch.RunCurves(cfg)
	if err != nil {
		return err
	}
	for i := range curves {
		if i > 0 {
			if _, err := fmt.Fprintln(out); err != nil {
				return err
			}
		}
		if err := curves[i].Write(out); err != nil {
			return err
		}
	}
	return nil
}
