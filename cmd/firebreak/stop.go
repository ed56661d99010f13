package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"firebreak/routing/control"
)

// newStopCommand builds `firebreak stop`: nothing may act on a fleet any more.
func newStopCommand() *cobra.Command {
	return newSwitch(control.DoStop, &cobra.Command{
		Short: "Stop acting on a fleet",
		Long: `Say in the routing of a fleet that nothing may act on it: operations stay at their next safe phase, and none begins. Watching, judging and
telling go on, and clients route as they do. It asks the instance that decides, whichever that is, and waits for its answer; where none lives,
--direct writes to the store itself. firebreak resume takes it back. Where acting is stopped already, nothing is changed.`,
		Example: `  firebreak stop --fleet orders --reason "the store is being upgraded" --config firebreak.yml`,
	})
}

// newResumeCommand builds `firebreak resume`: it takes stop back.
func newResumeCommand() *cobra.Command {
	return newSwitch(control.DoResume, &cobra.Command{
		Short:   "Act on a fleet again, after firebreak stop",
		Long:    `Take back firebreak stop. Where acting is not stopped, nothing is changed.`,
		Example: `  firebreak resume --fleet orders --reason "the upgrade is over" --config firebreak.yml`,
	})
}

// newSwitch completes a command that asks for one of two things, with no more to say.
func newSwitch(do control.Do, cmd *cobra.Command) *cobra.Command {
	var flags askFlags
	cmd.Use = do.String() + " --fleet FLEET --reason TEXT [--direct] --config FILE"
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r := &control.Request{Do: do}
		if err := flags.sign(r); err != nil {
			return usageError{err}
		}
		if err := r.Validate(); err != nil {
			return usageError{err}
		}
		return flags.reading(cmd, func(ctx context.Context, at *routed, s *control.State) error {
			return flags.turn(ctx, cmd.OutOrStdout(), at, s, r)
		})
	}
	flags.define(cmd)
	return cmd
}

// turn asks for what r asks for, unless it is so already.
func (f *askFlags) turn(ctx context.Context, out io.Writer, at *routed, s *control.State, r *control.Request) error {
	if s.Document.Stop == (r.Do == control.DoStop) {
		is := "is not stopped"
		if s.Document.Stop {
			is = "is stopped already, " + stoppedBy(s)
		}
		_, err := fmt.Fprintf(out, "nothing was changed: acting on %s %s\n", printable(at.fleet), is)
		return err
	}
	version, err := f.send(ctx, at, r)
	if err != nil {
		return err
	}
	now := "is stopped"
	if r.Do == control.DoResume {
		now = "goes on"
	}
	_, err = fmt.Fprintf(out, "done: acting on %s %s, at version %d\n", printable(at.fleet), now, version)
	return err
}
