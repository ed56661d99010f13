package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	wording "firebreak/internal/words"
	"firebreak/pipeline/kafka"
)

// newRouteHistoryCommand builds `firebreak route history`.
func newRouteHistoryCommand() *cobra.Command {
	var flags routeFlags
	var since time.Duration
	cmd := &cobra.Command{
		Use:   "history --config FILE",
		Short: "List who asked for which change, and what became of it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer at.Close()
			logs, err := openLogs(at.cfg)
			if err != nil {
				return err
			}
			defer logs.Close()
			text, err := routeHistory(cmd.Context(), logs.journal, at.fleet, time.Now().Add(-since))
			if err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
	flags.define(cmd)
	cmd.Flags().DurationVar(&since, "since", 35*24*time.Hour, "how far back")
	return cmd
}

// routeHistory says the changes of a fleet's routing, oldest first.
func routeHistory(ctx context.Context, journal ownLog, fleet string, from time.Time) (string, error) {
	reader := actuator.NewReader()
	var out strings.Builder
	var failed error
	err := readLog(ctx, journal, from, func(v *kafka.Entry) {
		e, ok := reader.Read(v.Value)
		if !ok || e.Fleet != fleet || e.Kind != actuator.KindRouted && e.Kind != actuator.KindActed {
			return
		}
		if e.Kind == actuator.KindActed {
			failed = errors.Join(failed, showActed(&out, &e))
			return
		}
		r, err := actuator.Read[actuator.Routed](&e)
		if err != nil {
			failed = err
			return
		}
		showRouted(&out, &e, &r)
	})
	return out.String(), errors.Join(err, failed)
}

func showRouted(out *strings.Builder, e *actuator.Entry, r *actuator.Routed) {
	what := fmt.Sprintf("version %d", r.Version)
	if r.Refused != "" {
		what = "refused: " + printable(string(r.Refused))
	}
	fmt.Fprintf(out, "%s  %s by %s: %s (%s)%s\n", wording.Clock(e.At), r.Do, printable(string(r.By)), what, printable(string(r.Reason)), readBack(r.ReadBack))
	showChanged(out, r.Changes, r.More)
}

// showActed says a step of an operation, or a person's word.
func showActed(out *strings.Builder, e *actuator.Entry) error {
	a, err := actuator.Read[actuator.Acted](e)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s  %s%s\n", wording.Clock(e.At), new(notify.Guide).Sentence(&notify.Notice{Entry: e}), readBack(a.ReadBack))
	showChanged(out, a.Changes, a.More)
	return nil
}

// readBack says that nobody answered a write, and that it was found in the store.
func readBack(was bool) string {
	if !was {
		return ""
	}
	return "; the store's reply was lost, and the change was found in it"
}

func showChanged(out *strings.Builder, changes []actuator.Change, more int) {
	for _, c := range changes {
		fmt.Fprintf(out, "    %s: %s -> %s\n", printable(c.Entry), valueText(c.Was), valueText(c.Is))
	}
	if more > 0 {
		fmt.Fprintf(out, "    and %d more\n", more)
	}
}
