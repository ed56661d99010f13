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
	"github.com/twmb/franz-go/pkg/kerr"

	"firebreak/actuator"
	"firebreak/pipeline/kafka"
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

// tryOut says what a request would change.
func tryOut(out io.Writer, s *control.State, r *control.Request) error {
	next, err := outcome(s, r, time.Now())
	if err != nil {
		return fmt.Errorf("refused: %s", printable(err.Error()))
	}
	return showChanges(out, s.Document, next.Document)
}

// begin makes the first state of a fleet out of a document, above every version that the journal knows of.
func (f *changeFlags) begin(ctx context.Context, out io.Writer, at *routed, r *control.Request) error {
	if !f.direct {
		return usageError{errors.New("--if-version 0 is a fleet without a routing, which --direct begins")}
	}
	ctx, cancel := context.WithTimeout(ctx, routeWait)
	defer cancel()
	switch s, err := at.store.Load(ctx); {
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return fmt.Errorf("the topics of the routing are not there yet: firebreak doctor prints the commands that make them: %w", err)
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

const (
	// answerLook is how often a command looks for its answer.
	answerLook = 500 * time.Millisecond
	// answerAfter is how long it waits for one before it takes its request back.
	answerAfter = 20 * time.Second
	// answerLate is how long it looks on after that: an instance may have read the request before.
	answerLate = 5 * time.Second
)

// ask puts the request and waits for the answer of who decides. A request that nobody answers is taken back: it must not take effect
// hours later.
func (r *routed) ask(ctx context.Context, q *control.Request) (control.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerAfter+routeWait)
	defer cancel()
	failed := r.store.Put(ctx, q)
	if failed == nil {
		if a, ok := r.await(ctx, q.ID, answerAfter); ok {
			return a, nil
		}
		failed = fmt.Errorf("nobody answered within %v: is an instance running that decides? Where none is, --direct writes to the store itself", answerAfter)
	}
	taking, stop := context.WithTimeout(context.WithoutCancel(ctx), routeWait)
	defer stop()
	if err := r.store.Drop(taking, q.ID); err != nil {
		return control.Answer{}, fmt.Errorf("%w; and the request %s could not be taken back: %w", failed, q.ID, err)
	}
	if a, ok := r.await(taking, q.ID, answerLate); ok { // who had read it before it was taken back
		return a, nil
	}
	return control.Answer{}, fmt.Errorf("%w; the request was taken back: if an instance had read it just before that, firebreak route history tells", failed)
}

// await looks for the answer to a request.
func (r *routed) await(ctx context.Context, id string, patience time.Duration) (control.Answer, bool) {
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; pause(ctx, answerLook) {
		if s, err := r.store.Load(ctx); err == nil {
			if a, ok := s.Answered(id); ok {
				return a, true
			}
		}
	}
	return control.Answer{}, false
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
