package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"firebreak/routing/control"
)

// changeFlags are those of commands that change the routing of a fleet.
type changeFlags struct {
	routeFlags

	reason, by  string
	ifVersion   uint64
	yes, direct bool
}

func (f *changeFlags) define(cmd *cobra.Command) {
	f.routeFlags.define(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.reason, "reason", "", "why, for who reads the history")
	flags.StringVar(&f.by, "by", "", "who asks (default: $USER)")
	flags.BoolVar(&f.direct, "direct", false, "write to the store itself, where no instance lives that decides")
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
	at, err := f.open(cmd.Context())
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
	if err := tryOut(out, state, r); err != nil {
		return err
	}
	if !f.yes {
		_, err := fmt.Fprintln(out, "nothing was changed: --yes does it")
		return err
	}
	ask := at.ask
	if f.direct {
		ask = at.write
	}
	answer, err := ask(ctx, r)
	if err != nil {
		return err
	}
	if answer.Refused != "" {
		return fmt.Errorf("refused: %s", printable(answer.Refused))
	}
	_, err = fmt.Fprintf(out, "done: the routing of %s stands at version %d\n", printable(at.fleet), answer.Version)
	return err
}

// complete fills in who asks for what and why, and checks it.
func (f *changeFlags) complete(cmd *cobra.Command, r *control.Request) error {
	if strings.TrimSpace(f.reason) == "" {
		return errors.New("--reason: want why: the history says it")
	}
	if f.by == "" {
		f.by = os.Getenv("USER")
	}
	if f.by == "" {
		return errors.New("--by: want who asks ($USER is not set)")
	}
	if !cmd.Flags().Changed("if-version") {
		return errors.New("--if-version: want the version that the change is made for: firebreak route show says it")
	}
	r.ID, r.By, r.At, r.Reason, r.IfVersion = rand.Text(), f.by, time.Now(), f.reason, f.ifVersion
	if r.Do == control.DoImport && r.IfVersion == 0 {
		return nil // no state yet
	}
	return r.Validate()
}

// tryOut answers the request on a copy and says what it would change.
func tryOut(out io.Writer, s *control.State, r *control.Request) error {
	always := func(string) bool { return true }
	try := *r
	if r.Do == control.DoImport { // its epoch is seen to by who carries it out
		d := *r.Document
		d.Epoch = min(d.Epoch, s.At().Epoch)
		try.Document = &d
	}
	next := s.Pruned(always, always).Answer(&try, time.Now())
	if a, _ := next.Answered(r.ID); a.Refused != "" {
		return fmt.Errorf("refused: %s", printable(a.Refused))
	}
	return showChanges(out, s.Document, next.Document)
}

// begin makes the first state of a fleet out of a document.
func (f *changeFlags) begin(ctx context.Context, out io.Writer, at *routed, r *control.Request) error {
	if !f.direct {
		return usageError{errors.New("--if-version 0 is a fleet without a routing, which --direct begins")}
	}
	if at.first != nil {
		if err := at.first.Document.SameBase(r.Document); err != nil {
			return fmt.Errorf("the configuration says otherwise: %w", err)
		}
	}
	if r.Document.Fleet != at.fleet {
		return fmt.Errorf("the document is of the fleet %s", shownName(r.Document.Fleet))
	}
	if !f.yes {
		_, err := fmt.Fprintf(out, "the routing of %s would begin at version %d; nothing was changed: --yes does it\n", printable(at.fleet), r.Document.Version)
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, routeWait)
	defer cancel()
	if _, err := at.store.Write(ctx, control.At{}, control.First(r.Document)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "done: the routing of %s begins at version %d\n", printable(at.fleet), r.Document.Version)
	return err
}

const (
	// answerLook is how often a command looks for its answer.
	answerLook = 500 * time.Millisecond
	// answerAfter is how long it waits for one before it takes its request back.
	answerAfter = 20 * time.Second
)

// ask puts the request and waits for the answer of who decides. A request that nobody answers is taken back: it must not take effect
// hours later.
func (r *routed) ask(ctx context.Context, q *control.Request) (control.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerAfter+routeWait)
	defer cancel()
	if err := r.store.Put(ctx, q); err != nil {
		return control.Answer{}, err
	}
	for end := time.Now().Add(answerAfter); time.Now().Before(end) && ctx.Err() == nil; pause(ctx, answerLook) {
		if s, err := r.store.Load(ctx); err == nil {
			if a, ok := s.Answered(q.ID); ok {
				return a, nil
			}
		}
	}
	taking := context.WithoutCancel(ctx)
	taking, stop := context.WithTimeout(taking, routeWait)
	defer stop()
	if err := r.store.Drop(taking, q.ID); err != nil {
		return control.Answer{}, fmt.Errorf("nobody answered, and the request %s could not be taken back: %w", q.ID, err)
	}
	s, err := r.store.Load(taking)
	if err != nil {
		return control.Answer{}, err
	}
	if a, ok := s.Answered(q.ID); ok { // it came just then
		return a, nil
	}
	return control.Answer{}, fmt.Errorf("nobody answered within %v, and the request was taken back: is an instance running that decides? Where none is, --direct writes to the store itself", answerAfter)
}

// write carries the request out itself, under a tenure of its own. Who decided until then claims the fleet anew; what is told of it stands
// in the outbox until then.
func (r *routed) write(ctx context.Context, q *control.Request) (control.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, routeWait)
	defer cancel()
	state, err := r.store.Load(ctx)
	if err != nil {
		return control.Answer{}, err
	}
	var least uint64
	if q.Do == control.DoImport {
		least = q.Document.Epoch + 1
	}
	mine, err := state.Claim(least, rand.Text())
	if err != nil {
		return control.Answer{}, err
	}
	if _, err := r.store.Write(ctx, state.At(), mine); err != nil {
		return control.Answer{}, err
	}
	moved := *q
	if q.IfVersion == state.At().Version {
		moved.IfVersion = mine.At().Version
	}
	next := mine.Answer(&moved, time.Now())
	if next == nil {
		return control.Answer{}, errors.New("too many changes wait for the journal: an instance that decides must run first")
	}
	if _, err := r.store.Write(ctx, mine.At(), next); err != nil {
		return control.Answer{}, err
	}
	a, _ := next.Answered(q.ID)
	return a, nil
}
