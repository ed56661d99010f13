package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"firebreak/bench/decode"
	"firebreak/bench/measure"
)

// benchDecodeFlags are the flags of bench decode.
type benchDecodeFlags struct {
	records, rounds int
	round           time.Duration
	seed            uint64
}

func newBenchDecodeCommand() *cobra.Command {
	var flags benchDecodeFlags
	cmd := &cobra.Command{
		Use:   "decode",
		Short: "Time the decoders beside the standard library on the same log",
		Long: `Write logs of every format, check that every decoder reads nine fields of each record as they were written, and time
them in one run: every round runs each decoder once, a figure is the median of the rounds, a ratio the median of the
ratios within rounds. The libraries of others are measured by bench/peers, a module of its own.`,
		Example: `  firebreak bench decode
  firebreak bench decode --rounds 301 --round 5ms`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBenchDecode(cmd, flags) },
	}
	f := cmd.Flags()
	f.IntVar(&flags.records, "records", 1000, "records of each log")
	f.IntVar(&flags.rounds, "rounds", 101, "rounds")
	f.DurationVar(&flags.round, "round", time.Millisecond, "time of one decoder in one round")
	f.Uint64Var(&flags.seed, "seed", 1, "seed of the logs")
	return cmd
}

func runBenchDecode(cmd *cobra.Command, flags benchDecodeFlags) error {
	switch {
	case flags.records < 1:
		return wrong("records", fmt.Sprint(flags.records), "1 or more")
	case flags.rounds < measure.MinRounds:
		return wrong("rounds", fmt.Sprint(flags.rounds), fmt.Sprintf("%d or more", measure.MinRounds))
	case flags.round <= 0:
		return wrong("round", fmt.Sprint(flags.round), "a duration above 0")
	}
	table, err := decode.Run(decode.Config{
		Config:  measure.Config{Rounds: flags.rounds, Round: flags.round},
		Records: flags.records,
		Seed:    flags.seed,
	})
	if err != nil {
		return err
	}
	return table.Write(cmd.OutOrStdout())
}
