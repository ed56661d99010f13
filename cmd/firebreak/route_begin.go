package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"firebreak/actuator"
	"firebreak/pipeline/kafka"
	"firebreak/routing/control"
)

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
	first, err := at.beginning(ctx, out, r)
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

// beginning is the first state out of a backup: further on than what the journal knows of, so that clients that have seen that take it. A journal that is
// not there is told of on out.
func (r *routed) beginning(ctx context.Context, out io.Writer, q *control.Request) (*control.State, error) {
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
	if errors.Is(err, kerr.UnknownTopicOrPartition) { // it was lost too, and a run makes it
		_, err = fmt.Fprintf(out, "there is no %s, which would know of later versions: it goes by the document's\n", printable(kafka.JournalTopic(r.cfg.Group)))
	}
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
