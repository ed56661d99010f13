package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"firebreak/routing/control"
)

// newActionsCommand builds `firebreak actions`: what firebreak does, or would do, of the fixes of a fleet.
func newActionsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "actions", Short: "Look at plans and operations of a fleet, and have a word on them", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return usageError{errors.New("want: firebreak actions list|show|approve|reject|hold|rollback --config FILE")}
	}}
	cmd.AddCommand(newActionsListCommand(), newActionsShowCommand(),
		newWord(control.DoApprove, "PLAN|OPERATION", "Have a plan carried out, or an operation that is held go on",
			"A plan is approved by one of the fleet's approvers, for 30 minutes, and once: the operations that it begins use the word up. What holds a hotspot is lifted by approving its plan."),
		newWord(control.DoReject, "PLAN", "Have a plan not carried out", "Neither it nor another plan for its hotspot is begun for a day, unless one is approved."),
		newWord(control.DoHold, "HOTSPOT|OPERATION", "Have nothing begun for a hotspot, or an operation stay where it is",
			"Anybody may. For a hotspot it lasts a day, or until a plan of it is approved; an operation stays in its phase until it is approved or taken back."),
		newWord(control.DoRollback, "OPERATION", "Take an operation back",
			"By the way that its phase has: firebreak actions show OPERATION says what that would do now. Where there is none, it says why."))
	return cmd
}

// newWord builds a command by which a person says something of a plan, a hotspot or an operation.
func newWord(do control.Do, subject, short, long string) *cobra.Command {
	var flags askFlags
	cmd := &cobra.Command{
		Use: do.String() + " " + subject + " --reason TEXT [--direct] --config FILE", Short: short,
		Long: short + ". " + long + "\nIt asks the instance that decides, and waits for its answer; where none lives, --direct writes to the store itself.",
		Example: fmt.Sprintf("  firebreak actions %s %s --reason \"seen with the team\" --config firebreak.yml",
			do, map[control.Do]string{control.DoApprove: "7c1f0a4be2d95a36", control.DoReject: "7c1f0a4be2d95a36", control.DoHold: "12", control.DoRollback: "12"}[do]),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := &control.Request{Do: do}
			if err := flags.sign(r); err != nil {
				return usageError{err}
			}
			return flags.reading(cmd, func(ctx context.Context, at *routed, s *control.State) error {
				return flags.say(ctx, cmd.OutOrStdout(), at, s, r, args[0])
			})
		},
	}
	flags.define(cmd)
	return cmd
}

// say has a word carried out.
func (f *askFlags) say(ctx context.Context, out io.Writer, at *routed, s *control.State, r *control.Request, subject string) error {
	if err := at.about(ctx, s, r, subject); err != nil {
		return err
	}
	if err := r.Validate(); err != nil {
		return usageError{err}
	}
	if f.direct { // who carries it out asks whether it counts, and here that is nobody else
		if err := at.permit(s, r); err != nil {
			return fmt.Errorf("refused: %s", printable(err.Error()))
		}
	}
	version, err := f.send(ctx, at, r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "done: %s %s, at version %d\n", r.Do, printable(subject), version)
	return err
}

// about finds what a request is about: an operation by its number, else a plan or a hotspot by its id or the beginning of it.
func (r *routed) about(ctx context.Context, s *control.State, q *control.Request, subject string) error {
	if n, err := strconv.ParseUint(subject, 10, 32); err == nil && s.Operation(n) != nil {
		q.Operation = n
		return nil
	}
	if q.Do == control.DoRollback {
		return fmt.Errorf("there is no operation %s, or its way back is over: firebreak actions list", shownName(subject))
	}
	plans, err := r.plans(ctx, time.Now())
	if err != nil {
		return err
	}
	if q.Do == control.DoHold {
		hotspot, err := plans.hotspot(subject)
		q.Hotspot = hotspot
		return err
	}
	p, err := plans.named(subject)
	if err != nil {
		return err
	}
	q.Plan, q.Hotspot = string(p.ID), string(p.Hotspot)
	return nil
}
