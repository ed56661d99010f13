package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"firebreak/bench/ingest"
)

// benchIngestFlags are the flags of bench ingest.
type benchIngestFlags struct {
	ingest.Load

	rounds int
	task   string // what a process of the bench is told; empty = this is the one that measures
}

func newBenchIngestCommand() *cobra.Command {
	flags := benchIngestFlags{Load: ingest.DefaultLoad()}
	cmd := &cobra.Command{
		Use:   "ingest",
		Short: "Measure what a record costs on its way from Kafka, beside a plain consumer",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBenchIngest(cmd, &flags) },
	}
	f := cmd.Flags()
	f.IntVar(&flags.Records, "records", flags.Records, "records that the broker holds")
	f.IntVar(&flags.Partitions, "partitions", flags.Partitions, "partitions of the topic")
	f.IntVar(&flags.Batch, "batch", flags.Batch, "records of a batch")
	f.IntVar(&flags.Rate, "rate", flags.Rate, "records in a second of event time")
	f.IntVar(&flags.rounds, "rounds", 5, "rounds")
	f.Uint64Var(&flags.Seed, "seed", flags.Seed, "seed of the log")
	const hidden = "task"
	f.StringVar(&flags.task, hidden, "", "what a process of the bench is told")
	_ = f.MarkHidden(hidden) // the flag is there
	return cmd
}

func runBenchIngest(cmd *cobra.Command, flags *benchIngestFlags) error {
	ctx := cmd.Context()
	if flags.task != "" {
		return ingest.Work(ctx, flags.task, cmd.InOrStdin(), cmd.OutOrStdout())
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("bench ingest: %w", err)
	}
	table, err := ingest.Run(ctx, ingest.Config{Load: flags.Load, Rounds: flags.rounds, Launch: ingest.Exec(program, "bench", "ingest", "--task")})
	if err != nil {
		return err
	}
	return table.Write(cmd.OutOrStdout())
}
