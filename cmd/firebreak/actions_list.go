package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
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
				return showActions(cmd.OutOrStdout(), s, plans)
			})
		},
	}
	flags.define(cmd)
	return cmd
}

func showActions(out io.Writer, s *control.State, plans *shownPlans) error {
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
		fmt.Fprintf(&w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", o.Number, fixWord(o.Fix), orDash(o.Shard), o.Phase, wording.Clock(o.Since), orDash(o.By), printable(standsHow(o)))
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

// newActionsShowCommand builds `firebreak actions show`.
func newActionsShowCommand() *cobra.Command {
	var flags routeFlags
	cmd := &cobra.Command{
		Use: "show PLAN|OPERATION --config FILE", Short: "Show what a plan would write, or how an operation stands and what a roll-back would do now",
		Example: "  firebreak actions show 12 --config firebreak.yml", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.reading(cmd, func(ctx context.Context, at *routed, s *control.State) error {
				if n, err := strconv.ParseUint(args[0], 10, 32); err == nil && s.Operation(n) != nil {
					clients, err := at.store.Confirmations(ctx)
					if err != nil {
						return err
					}
					return showOperation(cmd.OutOrStdout(), s, s.Operation(n), clients)
				}
				plans, err := at.plans(ctx, time.Now())
				if err != nil {
					return err
				}
				p, err := plans.named(args[0])
				if err != nil {
					return err
				}
				return at.showPlan(cmd.OutOrStdout(), s, p)
			})
		},
	}
	flags.define(cmd)
	return cmd
}

func showOperation(out io.Writer, s *control.State, o *control.Operation, clients []control.Confirmation) error {
	var w strings.Builder
	fmt.Fprintf(&w, "operation\t%d\nfix\t%s\nshard\t%s\nhotspot\t%s\nplan\t%s\napproved by\t%s\nstands in\t%s, since %s\nhow\t%s\n",
		o.Number, fixWord(o.Fix), orDash(o.Shard), orDash(o.Hotspot), orDash(o.Plan), orDash(o.By), o.Phase, wording.Clock(o.Since), printable(standsHow(o)))
	var behind []string
	for _, c := range clients {
		if c.Version < o.Version {
			behind = append(behind, printable(c.Client))
		}
	}
	if len(behind) > 0 && o.Outcome == "" {
		fmt.Fprintf(&w, "hold an older document\t%s\n", strings.Join(behind, ", "))
	}
	for i, e := range o.Do {
		fmt.Fprintf(&w, "changes\t%s: %s -> %s\n", printable(e.Entry.String()), valueText(o.Was[i].Value), valueText(e.Value))
	}
	if err := aligned(out, w.String()); err != nil {
		return err
	}
	lines, err := operation.Back(s, o.Number)
	if err != nil {
		_, err := fmt.Fprintf(out, "\na roll-back would do nothing now: %s\n", printable(err.Error()))
		return err
	}
	return showLines(out, "a roll-back would do now", lines)
}

func (r *routed) showPlan(out io.Writer, s *control.State, p *shownPlan) error {
	f, err := fleetNamed(r.cfg, r.fleet)
	if err != nil {
		return err
	}
	var w strings.Builder
	fmt.Fprintf(&w, "plan\t%s\nfix\t%s\nshard\t%s\nhotspot\t%s\nstands since\t%s, expires %s\n",
		printable(string(p.ID)), fixWord(p.fix), orDash(p.shard), orDash(string(p.Hotspot)), wording.Clock(p.since), wording.Clock(time.Time(p.Expires)))
	for i := range p.Steps {
		fmt.Fprintf(&w, "step %d\t%s\n", i+1, printable(string(p.Steps[i].Text)))
	}
	for _, h := range p.holds {
		fmt.Fprintf(&w, "waits for\t%s\n", printable(h))
	}
	if why := string(p.Projection.Why); why != "" {
		fmt.Fprintf(&w, "proof\t%s\n", printable(why))
	}
	if err := aligned(out, w.String()); err != nil {
		return err
	}
	judge := f.Judge()
	lines, err := p.lines(s.Document, &judge, f.Mover.Open(nil))
	if err != nil {
		_, err := fmt.Fprintf(out, "\nfirebreak cannot carry it out: %s\n", printable(err.Error()))
		return err
	}
	return showLines(out, "it would write, each step when the conditions of the one before hold", lines)
}

// maxLineChanges bounds the changes of a line that are shown.
const maxLineChanges = 20

func showLines(out io.Writer, title string, lines []operation.Line) error {
	if _, err := fmt.Fprintf(out, "\n%s:\n", title); err != nil {
		return err
	}
	for i := range lines {
		l := lines[i]
		more := max(0, len(l.Changes)-maxLineChanges)
		l.Changes = l.Changes[:len(l.Changes)-more]
		text := "  " + strings.ReplaceAll(l.String(), "\n", "\n  ")
		if more > 0 {
			text += fmt.Sprintf("\n    and %d more", more)
		}
		if _, err := fmt.Fprintln(out, printableLines(text)); err != nil {
			return err
		}
	}
	return nil
}

// printableLines is printable, line by line.
func printableLines(text string) string {
	parts := strings.Split(text, "\n")
	for i := range parts {
		parts[i] = printable(parts[i])
	}
	return strings.Join(parts, "\n")
}
