package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"firebreak/bench/ingest"
)

// benchIngestFlags are the flags of bench ingest.
type benchIngestFlags struct {
	ingest.Load

	rounds int
	scale  ingest.ScaleConfig
	scaled bool
	task   string // what a process of the bench is told; empty = this is the one that measures
}

func newBenchIngestCommand() *cobra.Command {
	flags := benchIngestFlags{Load: ingest.DefaultLoad(), scale: ingest.DefaultScale()}
	cmd := &cobra.Command{
		Use:   "ingest",
		Short: "Measure what a record costs on its way from Kafka, beside a plain consumer",
		Long: `Fill a broker with a drawn log and read it again and again, every stage in turns and in a process of its own: fetch only,
decode, count, all that an instance does, and a plain consumer with encoding/json and an exact map. Figures are CPU
time; the broker's is not among them. A figure is the median of the rounds, a ratio the median of the ratios within
rounds. --scale measures instead instances that count one growing log together: their CPU time over the number of
partitions, the traffic of their deltas and what it takes to follow these.`,
		Example: `  firebreak bench ingest
  firebreak bench ingest --batch 15 --rounds 3
  firebreak bench ingest --scale`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBenchIngest(cmd, &flags, nil) },
	}
	f := cmd.Flags()
	f.IntVar(&flags.Records, "records", flags.Records, "records that the broker holds")
	f.IntVar(&flags.Partitions, "partitions", flags.Partitions, "partitions of the topic")
	f.IntVar(&flags.Batch, "batch", flags.Batch, "records of a batch")
	f.IntVar(&flags.Rate, "rate", flags.Rate, "records in a second of event time; with --scale of real time, 100,000 by default")
	f.IntVar(&flags.rounds, "rounds", 5, "rounds")
	f.Uint64Var(&flags.Seed, "seed", flags.Seed, "seed of the log")
	f.BoolVar(&flags.scaled, "scale", false, "measure instances that count one log together instead")
	f.IntVar(&flags.scale.Instances, "instances", flags.scale.Instances, "with --scale, how many")
	f.IntSliceVar(&flags.scale.Partitions, "over", flags.scale.Partitions, "with --scale, the numbers of partitions")
	f.DurationVar(&flags.scale.Length, "length", flags.scale.Length, "with --scale, how long each is measured")
	const hidden = "task"
	f.StringVar(&flags.task, hidden, "", "what a process of the bench is told")
	_ = f.MarkHidden(hidden) // the flag is there
	return cmd
}

// runBenchIngest measures, or does one process's part of it. launch starts these processes; nil = as this program.
func runBenchIngest(cmd *cobra.Command, flags *benchIngestFlags, launch ingest.Launch) error {
	ctx := cmd.Context()
	if flags.task != "" {
		return ingest.Work(ctx, flags.task, cmd.InOrStdin(), cmd.OutOrStdout())
	}
	if err := flags.check(); err != nil {
		return err
	}
	if launch == nil {
		program, err := os.Executable()
		if err != nil {
			return fmt.Errorf("bench ingest: %w", err)
		}
		launch = ingest.Exec(program, "bench", "ingest", "--task")
	}
	if flags.scaled {
		return flags.runScale(ctx, cmd, launch)
	}
	table, err := ingest.Run(ctx, ingest.Config{Load: flags.Load, Rounds: flags.rounds, Launch: launch})
	if err != nil {
		return err
	}
	return table.Write(cmd.OutOrStdout())
}

func (f *benchIngestFlags) runScale(ctx context.Context, cmd *cobra.Command, launch ingest.Launch) error {
	cfg := f.scale
	rate := cfg.Load.Rate
	cfg.Load, cfg.Launch = f.Load, launch
	if !cmd.Flags().Changed("rate") {
		cfg.Load.Rate = rate
	}
	table, err := ingest.Scale(ctx, cfg)
	if err != nil {
		return err
	}
	return table.Write(cmd.OutOrStdout())
}

// check finds what cannot be measured.
func (f *benchIngestFlags) check() error {
	for _, n := range append([]int{f.Partitions}, f.scale.Partitions...) {
		if n < 1 || n > ingest.MaxPartitions {
			return wrong("partitions", fmt.Sprint(n), fmt.Sprintf("1 to %d", ingest.MaxPartitions))
		}
	}
	switch {
	case f.Records < 1:
		return wrong("records", fmt.Sprint(f.Records), "1 or more")
	case f.Batch < 1 || f.Batch > ingest.MaxBatch:
		return wrong("batch", fmt.Sprint(f.Batch), fmt.Sprintf("1 to %d", ingest.MaxBatch))
	case f.Rate < 1:
		return wrong("rate", fmt.Sprint(f.Rate), "1 or more")
	case f.rounds < 1:
		return wrong("rounds", fmt.Sprint(f.rounds), "1 or more")
	case f.scale.Instances < 1:
		return wrong("instances", fmt.Sprint(f.scale.Instances), "1 or more")
	case f.scale.Length <= 0:
		return wrong("length", fmt.Sprint(f.scale.Length), "a duration above 0")
	}
	return nil
}
