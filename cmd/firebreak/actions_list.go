package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"firebreak/actuator/operation"
	wording "firebreak/internal/words"
	"firebreak/routing/control"
)

// newActionsListCommand builds `firebreak actions list`.
func newActionsListCommand() *cobra.Command {
	var flags routeFlags
	cmd := &cobra.Command{
		Use: "list --config FILE", Short: "List the plans that stand and the operations that are open, with what they wait for", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.reading(cmd, func(ctx context.Context, at *routed, s *control.State) error {
				plans, err := at.plans(ctx, time.Now())
				if err != nil {
					return err
				}
				beside, err := at.beside(ctx, time.Now())
				if err != nil {
					return err
				}
				return showActions(cmd.OutOrStdout(), s, plans, beside)
			})
		},
	}
	flags.define(cmd)
	return cmd
}

func showActions(out io.Writer, s *control.State, plans *shownPlans, beside *operation.Around) error {
	var w, more strings.Builder
	if s.Document.Stop {
		if _, err := fmt.Fprintf(out, "acting is stopped, %s\n\n", stoppedBy(s)); err != nil {
			return err
		}
	}
	if len(plans.all) == 0 {
		fmt.Fprintln(&w, "no plan stands")
	} else {
		fmt.Fprintln(&w, "PLAN\tFIX\tSHARD\tHOTSPOT\tSINCE\tWAITS FOR")
	}
	for _, p := range plans.all {
		waits := strings.Join(p.holds, "; ")
		if waits == "" {
			waits = "nothing: it may be carried out"
		}
		fmt.Fprintf(&w, "%s\t%s\t%s\t%s\t%s\t%s\n", printable(string(p.ID)), fixWord(p.fix), orDash(p.shard), orDash(string(p.Hotspot)), wording.Clock(p.since), printable(waits))
	}
	fmt.Fprintln(&w)
	if len(s.Operations) == 0 {
		fmt.Fprintln(&w, "no operation is open, or was of late")
	} else {
		fmt.Fprintln(&w, "OPERATION\tFIX\tSHARD\tPHASE\tSINCE\tBY\tHOW IT STANDS")
	}
	for i := range s.Operations {
		o := &s.Operations[i]
		fmt.Fprintf(&w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", o.Number, fixWord(o.Fix), orDash(o.Shard), o.Phase, wording.Clock(o.Since), orDash(o.By), printable(standsAndWaits(s, o, beside)))
	}
	for _, h := range s.Holds {
		fmt.Fprintf(&more, "\nhotspot %s is held by %s since %s: %s\n", printable(h.Hotspot), printable(h.By), wording.Clock(h.At), printable(h.Reason))
	}
	if err := aligned(out, w.String()); err != nil {
		return err
	}
	_, err := io.WriteString(out, more.String())
	return err
}

func fixWord(fix string) string { return orDash(strings.ReplaceAll(fix, "_", " ")) }

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return printable(s)
}

// standsHow is what there is to say of an operation beside its phase.
func standsHow(o *control.Operation) string {
	var parts []string
	if o.Outcome != "" {
		parts = append(parts, strings.ReplaceAll(o.Outcome, "_", " "))
	}
	if o.Back {
		parts = append(parts, "on its way back: "+o.Why)
	}
	if o.Held != "" {
		parts = append(parts, "held by "+o.Held)
	}
	if len(parts) == 0 {
		return "open"
	}
	return strings.Join(parts, "; ")
}
