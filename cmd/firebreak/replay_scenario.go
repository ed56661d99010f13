package main

import (
	"os"

	"github.com/spf13/cobra"

	"firebreak/internal/scenario"
)

// addScenario gives replay the flag --scenario: play a story instead of a log.
func addScenario(cmd *cobra.Command) {
	var file string
	cmd.Flags().StringVar(&file, "scenario", "", "play a story (testdata/scenarios has some) instead of reading a log; alone, without any FILE")
	args, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, files []string) error {
		if file != "" {
			return cobra.NoArgs(cmd, files)
		}
		return args(cmd, files)
	}
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		if file == "" {
			return run(cmd, files)
		}
		text, err := os.ReadFile(file) //nolint:gosec // G304: the file that the user names
		if err != nil {
			return usageError{err}
		}
		if err := scenario.Play(cmd.OutOrStdout(), file, string(text)); err != nil {
			return oneLine(err)
		}
		return nil
	}
}
