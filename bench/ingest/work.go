package ingest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
)

// role is what a process is there for.
type role string

const (
	roleBroker   role = "broker"
	roleStage    role = "stage"
	roleMember   role = "member"
	roleFollower role = "follower"
)

// task is what a process is told.
type task struct {
	Role  role
	Load  Load
	Feed  bool   // broker: write at the load's rate until the end, instead of all at once before
	Stage Stage  // stage
	Addr  string // of the broker
	Group string // member, follower
}

// served is what a broker says when it can be read.
type served struct {
	Addr   string
	Weight float64 // of the records that it holds
}

// Status is how a member or a follower stands; all but UpTo and Resident count since it began.
type Status struct {
	CPU      time.Duration
	Counted  uint64 // records, by this process
	UpTo     int64  // offsets that the group has counted
	Deltas   int    // published by this process
	Bytes    int64  // of these
	Followed int64  // bytes of all entries of the log of deltas
	Rejected int    // deltas of the group
	Judged   int
	Resident int64
}

// Work does the task that a text names and speaks to who started it, until it is done or in ends.
func Work(ctx context.Context, text string, in io.Reader, out io.Writer) error {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return fmt.Errorf("bench ingest: task: %w", err)
	}
	say := json.NewEncoder(out)
	switch t.Role {
	case roleBroker:
		return serve(ctx, &t, in, say)
	case roleStage:
		r, err := Read(ctx, t.Stage, t.Addr, t.Load)
		if err != nil {
			return err
		}
		return say.Encode(r)
	case roleMember:
		return member(ctx, &t, in, say)
	case roleFollower:
		return follower(ctx, &t, in, say)
	}
	return fmt.Errorf("bench ingest: task: no role %q", t.Role)
}

// serve is a broker's task.
func serve(ctx context.Context, t *task, in io.Reader, say *json.Encoder) error {
	b, err := NewBroker(t.Load)
	if err != nil {
		return err
	}
	defer b.Close()
	weight := 0.0
	if !t.Feed {
		if weight, err = b.Fill(ctx); err != nil {
			return err
		}
	}
	if err := say.Encode(served{b.Addr(), weight}); err != nil {
		return err
	}
	feeding, stop := context.WithCancel(ctx)
	defer stop()
	fed := make(chan error, 1)
	go func() {
		if t.Feed {
			fed <- b.Feed(feeding)
			return
		}
		<-feeding.Done()
		fed <- nil
	}()
	_, err = io.Copy(io.Discard, in)
	stop()
	return errors.Join(err, <-fed)
}

// member is the task of an instance.
func member(ctx context.Context, t *task, in io.Reader, say *json.Encoder) error {
	w := &watcher{}
	m, err := newMember(ctx, t.Addr, t.Group, &t.Load, 0, w)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- m.Run(running) }()
	err = answer(in, say, func(s *Status) { w.status(s); s.UpTo = upTo(m) })
	stop()
	return errors.Join(err, <-ended)
}

// follower follows the log of deltas as a member does: it applies each entry, judges what closes, and makes a view.
func follower(ctx context.Context, t *task, in io.Reader, say *json.Encoder) error {
	opts, err := options(t.Addr)
	if err != nil {
		return err
	}
	fleet, err := t.Load.Fleet()
	if err != nil {
		return err
	}
	w := &watcher{}
	live, err := pipeline.NewLive([]pipeline.LiveFleet{fleet}, w)
	if err != nil {
		return err
	}
	log, err := kafka.OpenLog(opts, kafka.PanesTopic(t.Group), 0)
	if err != nil {
		return err
	}
	defer log.Close()
	following, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- log.Follow(following, kafka.Oldest(), func(e kafka.Entry) error {
			outcome, err := live.Apply(e.Offset, e.Time, e.Value)
			if err != nil {
				return err
			}
			live.View()
			w.Entry(&outcome, len(e.Value))
			return nil
		})
	}()
	err = answer(in, say, w.status)
	stop()
	if followed := <-ended; !errors.Is(followed, context.Canceled) {
		err = errors.Join(err, followed)
	}
	return err
}

// answer says how things stand, for each line of in, until that ends.
func answer(in io.Reader, say *json.Encoder, status func(*Status)) error {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var s Status
		var err error
		if s.CPU, err = cpuTime(); err != nil {
			return err
		}
		s.Resident = resident()
		status(&s)
		if err := say.Encode(s); err != nil {
			return err
		}
	}
	return nil
}

// status adds what the watcher saw.
func (w *watcher) status(s *Status) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.Counted, s.Deltas, s.Bytes, s.Followed, s.Rejected, s.Judged = w.counted, w.deltas, w.bytes, w.followed, w.rejected, w.judged
}
