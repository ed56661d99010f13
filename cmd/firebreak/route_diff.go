package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"firebreak/routing"
	"firebreak/routing/control"
)

// newRouteDiffCommand builds `firebreak route diff`.
func newRouteDiffCommand() *cobra.Command {
	var flags routeFlags
	cmd := &cobra.Command{
		Use:   "diff DOCUMENT --config FILE",
		Short: "Say how a document differs from what clients route by",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			other, err := readDocument(cmd, args[0])
			if err != nil {
				return err
			}
			return flags.reading(cmd, func(_ context.Context, _ *routed, s *control.State) error {
				if err := s.Document.SameBase(other); err != nil {
					return err
				}
				return showChanges(cmd.OutOrStdout(), s.Document, other)
			})
		},
	}
	flags.define(cmd)
	return cmd
}

// showChanges prints what changes from one document to another, and how many keys that moves.
func showChanges(out io.Writer, was, is *routing.Document) error {
	var w strings.Builder
	changes := routing.Diff(was, is)
	for _, c := range changes {
		fmt.Fprintf(&w, "%s\t%s\t->\t%s\n", printable(c.Entry.String()), valueText(c.Was), valueText(c.Is))
	}
	if err := aligned(out, w.String()); err != nil {
		return err
	}
	moved, all, err := movedShare(was, is)
	switch {
	case err != nil:
		return err
	case len(changes) == 0:
		_, err = fmt.Fprintln(out, "nothing differs")
	case moved > 0:
		_, err = fmt.Fprintf(out, "%d of %d virtual shards go to another shard (%.2g %% of the keys)\n", moved, all, 100*float64(moved)/float64(all))
	}
	return err
}

func valueText(v string) string {
	if v == "" {
		return "(none)"
	}
	return printable(v)
}

// movedShare counts the virtual shards whose owner differs.
func movedShare(was, is *routing.Document) (moved, all int, err error) {
	before, err := routing.NewTable(was)
	if err != nil {
		return 0, 0, err
	}
	after, err := before.With(is)
	if err != nil {
		return 0, 0, err
	}
	for v := range before.VShards() {
		if before.Owner(routing.VShard(v)) != after.Owner(routing.VShard(v)) {
			moved++
		}
	}
	return moved, before.VShards(), nil
}
