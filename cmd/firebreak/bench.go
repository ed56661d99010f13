package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"firebreak/internal/quality"
)

// newBenchCommand builds `firebreak bench`: what can be measured of the program itself.
func newBenchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how often firebreak is right, and how fast it is",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBenchVerdictsCommand())
	cmd.AddCommand(newBenchDecodeCommand())
	cmd.AddCommand(newBenchSketchCommand())
	cmd.AddCommand(newBenchIngestCommand())
	return cmd
}

// benchFlags are the flags of bench verdicts.
type benchFlags struct {
	fleets, workers int
	delays          int
	seed, fleet     uint64
	out, format     string
	misses          bool
}

func newBenchVerdictsCommand() *cobra.Command {
	var flags benchFlags
	cmd := &cobra.Command{
		Use:   "verdicts",
		Short: "Draw fleets whose exact rates are known and score every verdict and plan on them",
		Long: `Draw fleets whose exact rates are known, log them as a sampled request log would show them, judge every pane, and
score causes, fixes and delays against the exact rates. The same seed gives the same table.`,
		Example: `  firebreak bench verdicts --fleets 500 --seed 1
  firebreak bench verdicts --fleets 500 --seed 1 --out answers --format csv
  firebreak bench verdicts --fleet 17`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBenchVerdicts(cmd.Context(), cmd, flags) },
	}
	f := cmd.Flags()
	f.IntVar(&flags.fleets, "fleets", 500, "fleets to draw")
	f.Uint64Var(&flags.seed, "seed", 1, "seed of the first fleet; the others follow")
	f.StringVar(&flags.out, "out", "", "folder to write fleets, shards and answers to")
	f.StringVar(&flags.format, "format", "csv", "format of --out: csv or json")
	f.IntVar(&flags.workers, "workers", runtime.NumCPU(), "fleets to run at the same time")
	f.IntVar(&flags.delays, "delays", 0, "measure the promised detection delays instead, with this many fleets each")
	f.BoolVar(&flags.misses, "misses", false, "list every event whose cause or fix is not right as well")
	f.Uint64Var(&flags.fleet, "fleet", 0, "print one fleet's truth, verdicts and plans instead; with --out its log too")
	return cmd
}

func runBenchVerdicts(ctx context.Context, cmd *cobra.Command, flags benchFlags) error {
	switch {
	case flags.fleets < 1:
		return wrong("fleets", fmt.Sprint(flags.fleets), "1 or more")
	case flags.workers < 1:
		return wrong("workers", fmt.Sprint(flags.workers), "1 or more")
	case flags.format != "csv" && flags.format != "json":
		return wrong("format", flags.format, "csv or json")
	case flags.delays < 0:
		return wrong("delays", fmt.Sprint(flags.delays), "1 or more")
	case flags.delays > 0:
		delays, err := quality.Delays(flags.seed, flags.delays)
		if err != nil {
			return err
		}
		return quality.WriteDelays(cmd.OutOrStdout(), delays)
	case flags.fleet > 0:
		return runBenchFleet(cmd, flags)
	}
	results, err := quality.Bench(ctx, flags.seed, flags.fleets, flags.workers, benchProgress(cmd.ErrOrStderr(), flags.fleets))
	if err != nil {
		return err
	}
	if flags.out != "" {
		if err := quality.Export(flags.out, flags.format, results); err != nil {
			return err
		}
	}
	if flags.misses {
		if err := quality.WriteMisses(cmd.OutOrStdout(), results); err != nil {
			return err
		}
	}
	if err := quality.WriteTable(cmd.OutOrStdout(), results); err != nil {
		return err
	}
	return quality.WriteGoals(cmd.OutOrStdout(), quality.Goals(results))
}

// runBenchFleet prints one fleet, and writes a log of it where --out says.
func runBenchFleet(cmd *cobra.Command, flags benchFlags) error {
	if flags.out != "" {
		name, err := quality.ExportRecords(flags.out, flags.fleet)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), "log written to", name); err != nil {
			return err
		}
	}
	return quality.Explain(cmd.OutOrStdout(), flags.fleet)
}

// benchProgress shows how far the bench is, on a terminal only.
func benchProgress(stderr io.Writer, n int) func(*quality.Result) {
	file, ok := stderr.(*os.File)
	if !ok {
		return nil
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	bar := progressbar.NewOptions(n, progressbar.OptionSetWriter(file), progressbar.OptionSetDescription("fleets"), progressbar.OptionClearOnFinish())
	return func(*quality.Result) {
		// A bar that cannot be drawn is no reason to stop.
		_ = bar.Add(1)
	}
}
