package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"firebreak/actuator/operation"
	"firebreak/actuator/steward"
	"firebreak/routing"
	"firebreak/routing/control"
)

// changeFlags are those of commands that change the routing of a fleet.
type changeFlags struct {
	askFlags

	ifVersion uint64
	yes       bool
}

func (f *changeFlags) define(cmd *cobra.Command) {
	f.askFlags.define(cmd)
	flags := cmd.Flags()
	flags.Uint64Var(&f.ifVersion, "if-version", 0, "the version that the change is made for (firebreak route show says it); at any other it is refused")
	flags.BoolVar(&f.yes, "yes", false, "change it; without, only what would change is said")
}

// newRouteSetCommand builds `firebreak route set`.
func newRouteSetCommand() *cobra.Command {
	var flags changeFlags
	cmd := &cobra.Command{
		Use:   "set ENTRY=VALUE... --if-version N --reason TEXT [--yes] [--direct] --config FILE",
		Short: "Change single entries of the routing",
		Long: `Change single entries of the routing of a fleet. It says what would change; with --yes it asks the instance that decides, and waits for
its answer. Where none lives, --direct writes to the store itself. Data is not moved: a shard that refuses what it does not own, or
whose data is elsewhere, is yours to see to.

` + entryHelp,
		Example: `  firebreak route set vshard/17=shard-3 --if-version 12 --reason "shard-0 is full" --config firebreak.yml
  firebreak route set quota/acme=500 --if-version 12 --reason "the import of acme" --yes --config firebreak.yml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			edits, err := parseEdits(args)
			if err != nil {
				return usageError{err}
			}
			return flags.change(cmd, &control.Request{Do: control.DoSet, Edits: edits})
		},
	}
	flags.define(cmd)
	return cmd
}

// newRouteImportCommand builds `firebreak route import`.
func newRouteImportCommand() *cobra.Command {
	var flags changeFlags
	cmd := &cobra.Command{
		Use:   "import DOCUMENT --if-version N --reason TEXT [--yes] [--direct] --config FILE",
		Short: "Take over the exceptions of a document, as export writes it",
		Long: `Take over what a document says, but for its base map, which must be that of the fleet: keys lie by it. The higher epoch and version are
kept, so that no client that has seen either goes back. A fleet without a routing begins with it, by --direct and --if-version 0.`,
		Example: `  firebreak route import orders.json --if-version 12 --reason "back to Friday" --yes --config firebreak.yml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := readDocument(cmd, args[0])
			if err != nil {
				return err
			}
			return flags.change(cmd, &control.Request{Do: control.DoImport, Document: d})
		},
	}
	flags.define(cmd)
	return cmd
}

// change makes a request complete, says what it would do, and with --yes has it done.
func (f *changeFlags) change(cmd *cobra.Command, r *control.Request) error {
	if err := f.complete(cmd, r); err != nil {
		return usageError{err}
	}
	at, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer at.Close()
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	if r.Do == control.DoImport && r.IfVersion == 0 {
		return f.begin(ctx, out, at, r)
	}
	state, err := at.load(ctx)
	if err != nil {
		return err
	}
	if err := at.tryOut(out, state, r); err != nil {
		return err
	}
	if !f.yes {
		_, err := fmt.Fprintln(out, "nothing was changed: --yes does it")
		return err
	}
	version, err := f.send(ctx, at, r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "done: the routing of %s stands at version %d\n", printable(at.fleet), version)
	return err
}

// complete fills in who asks for what and why, and checks it.
func (f *changeFlags) complete(cmd *cobra.Command, r *control.Request) error {
	if err := f.sign(r); err != nil {
		return err
	}
	if !cmd.Flags().Changed("if-version") {
		return errors.New("--if-version: want the version that the change is made for: firebreak route show says it")
	}
	if r.IfVersion = f.ifVersion; r.Do == control.DoImport && r.IfVersion == 0 {
		return nil // no state yet
	}
	return r.Validate()
}

// tryOut says what a request would change.
func (r *routed) tryOut(out io.Writer, s *control.State, q *control.Request) error {
	f, err := fleetNamed(r.cfg, r.fleet)
	if err != nil {
		return err
	}
	next, err := steward.Outcome(s, q, time.Now())
	if err == nil {
		err = r.permit(s, q)
	}
	if err != nil {
		return fmt.Errorf("refused: %s", printable(err.Error()))
	}
	if err := showChanges(out, s.Document, next.Document); err != nil {
		return err
	}
	if said := notMoved(s.Document, next.Document, f.Mover.Open(nil).Moving()); said != "" {
		_, err = fmt.Fprintln(out, printable(said))
	}
	return err
}

// notMoved says that clients go elsewhere and data does not, where it would have to be carried; empty = there is nothing to say.
func notMoved(was, is *routing.Document, moving operation.Moving) string {
	to := map[string]bool{}
	for _, c := range routing.Diff(was, is) {
		if c.Entry.Kind == routing.EntryVShard || c.Entry.Kind == routing.EntryTenant {
			to[c.Is] = true
		}
	}
	if len(to) == 0 || moving == operation.MovingRouting {
		return ""
	}
	where := "where the table sends them"
	if len(to) == 1 && !to[""] {
		for shard := range to {
			where = "to " + shard
		}
	}
	return "no data is moved by this: clients go " + where + " at once"
}
