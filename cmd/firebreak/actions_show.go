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

// newActionsShowCommand builds `firebreak actions show`.
func newActionsShowCommand() *cobra.Command {
	var flags routeFlags
	cmd := &cobra.Command{
		Use: "show PLAN|OPERATION --config FILE", Short: "Show what a plan would write, or how an operation stands and what a roll-back would do now",
		Example: "  firebreak actions show 12 --config firebreak.yml", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.reading(cmd, func(ctx context.Context, at *routed, s *control.State) error {
				if n, err := strconv.ParseUint(args[0], 10, 32); err == nil && s.Operation(n) != nil {
					beside, err := at.beside(ctx, time.Now())
					if err != nil {
						return err
					}
					return showOperation(cmd.OutOrStdout(), s, s.Operation(n), beside)
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

func showOperation(out io.Writer, s *control.State, o *control.Operation, beside *operation.Around) error {
	var w strings.Builder
	fmt.Fprintf(&w, "operation\t%d\nfix\t%s\nshard\t%s\nhotspot\t%s\nplan\t%s\napproved by\t%s\nstands in\t%s, since %s\nhow\t%s\n",
		o.Number, fixWord(o.Fix), orDash(o.Shard), orDash(o.Hotspot), orDash(o.Plan), orDash(o.By), o.Phase, wording.Clock(o.Since), printable(standsHow(o)))
	for _, a := range waitsOf(s, o, beside) {
		fmt.Fprintf(&w, "%s\t%s\n", a.label, printable(a.text))
	}
	var behind []string
	if beside.Roll != nil {
		for _, c := range beside.Roll.Behind(beside.Now, o.Version) {
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
	lines, err := p.lines(s, &judge, f.Mover.Open(nil))
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
