package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kerr"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/actuator/steward"
	"firebreak/pipeline/kafka"
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

// begin makes the first state of a fleet out of a document, above every version that the journal knows of.
func (f *changeFlags) begin(ctx context.Context, out io.Writer, at *routed, r *control.Request) error {
	if !f.direct {
		return usageError{errors.New("--if-version 0 is a fleet without a routing, which --direct begins")}
	}
	ctx, cancel := context.WithTimeout(ctx, routeWait)
	defer cancel()
	switch s, err := at.store.Load(ctx); {
	case errors.Is(err, kerr.UnknownTopicOrPartition) && !f.yes:
		_, err := fmt.Fprintf(out, "the topics of the routing of %s are not there; nothing was changed: --yes makes them, and begins with the document\n", printable(at.fleet))
		return err
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		if err := at.makeTopics(ctx); err != nil {
			return fmt.Errorf("the topics of the routing are not there, and cannot be made (firebreak doctor says more): %w", err)
		}
	case err == nil:
		return fmt.Errorf("the fleet has a routing, at %s: want --if-version %d", s.At(), s.At().Version)
	case !errors.Is(err, control.ErrNone):
		return err
	}
	first, err := at.beginning(ctx, r)
	if err != nil {
		return err
	}
	if !f.yes {
		_, err := fmt.Fprintf(out, "the routing of %s would begin at version %d; nothing was changed: --yes does it\n", printable(at.fleet), first.At().Version)
		return err
	}
	if _, err := at.store.Write(ctx, control.At{}, first); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "done: the routing of %s begins at version %d\n", printable(at.fleet), first.At().Version)
	return err
}

// makeTopics makes the topics of ours that are missing, as a run does at its start.
func (r *routed) makeTopics(ctx context.Context) error {
	opts, err := ourCluster(r.cfg)
	if err != nil {
		return err
	}
	return ensureTopics(ctx, r.cfg, opts, kafka.Topics(r.cfg.Group, r.cfg.LongestWindow()))
}

// beginning is the first state out of a backup: further on than what the journal knows of, so that clients that have seen that take it.
func (r *routed) beginning(ctx context.Context, q *control.Request) (*control.State, error) {
	d := q.Document.Clone()
	switch {
	case d.Fleet != r.fleet:
		return nil, fmt.Errorf("the document is of the fleet %s", shownName(d.Fleet))
	case d.Epoch > control.MaxCount || d.Version >= control.MaxCount:
		return nil, fmt.Errorf("epoch %d, version %d: no fleet gets above %d", d.Epoch, d.Version, uint64(control.MaxCount))
	}
	if r.first != nil {
		if err := r.first.Document.SameBase(d); err != nil {
			return nil, fmt.Errorf("the configuration says otherwise: %w", err)
		}
	}
	logs, err := openLogs(r.cfg)
	if err != nil {
		return nil, err
	}
	defer logs.Close()
	known, reader := &changes{}, actuator.NewReader()
	err = readLog(ctx, logs.journal, time.Now().Add(-spokenBack), func(v *kafka.Entry) {
		if e, ok := reader.Read(v.Value); ok {
			known.saw(&e)
		}
	})
	if err != nil {
		return nil, err
	}
	d.Version = max(d.Version, known.of(r.fleet)+1)
	s := control.First(d)
	if d.Stop {
		s.Stopped = &control.Stop{By: q.By, Reason: q.Reason, At: q.At.UTC().Truncate(time.Millisecond)}
	}
	s.Outbox = []control.Note{{
		ID: q.ID, At: q.At.UTC().Truncate(time.Millisecond), Do: control.DoImport, By: q.By, Reason: q.Reason, Epoch: d.Epoch, Version: d.Version,
	}}
	return s, nil
}
