package steward

import (
	"context"
	"errors"
	"fmt"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/routing/control"
)

// write replaces the state; note is the id of what it tells people, empty = nothing.
func (s *Steward) write(ctx context.Context, next *control.State, note string) error {
	w, err := s.cfg.Store.Write(ctx, s.state.At(), next)
	if err != nil {
		return err
	}
	s.state = next
	if note != "" && w.ReadBack {
		s.readBack[note] = true
	}
	return nil
}

// tell hands the journal the notes that it does not have. A note that it had already is the same entry once more, which readers drop.
func (s *Steward) tell(ctx context.Context) error {
	var entries []actuator.Entry
	for i := range s.state.Outbox {
		n := &s.state.Outbox[i]
		if s.told[n.ID] {
			continue
		}
		e, err := actuator.NewRouted(s.cfg.Fleet, n, s.readBack[n.ID], s.cfg.Redact)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return nil
	}
	if err := s.cfg.Append(ctx, entries); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	for _, n := range s.state.Outbox {
		s.told[n.ID] = true
	}
	return nil
}

// answer carries one request out, or finds that it was, and takes it away when the journal knows of it.
func (s *Steward) answer(ctx context.Context, r *control.Request, open []*control.Request) error {
	if _, done := s.state.Answered(r.ID); !done {
		r, err := s.above(ctx, r)
		if err != nil {
			return err
		}
		next := s.answerTo(r, open)
		if next == nil {
			return errors.New("too many changes are not in the journal yet")
		}
		if err := s.write(ctx, next, r.ID); err != nil {
			return err
		}
		s.judgeBy(ctx)
		if err := s.tell(ctx); err != nil {
			return err
		}
	}
	return s.cfg.Store.Drop(ctx, r.ID)
}

// pruned is the state without the notes that the journal has, and, where they are many, the answers whose requests are gone: who asked
// looks for the answer for a while.
func (s *Steward) pruned(open []*control.Request) *control.State {
	still := map[string]bool{}
	for _, r := range open {
		still[r.ID] = true
	}
	many := s.listed && len(s.state.Answers) >= pruneAt
	return s.state.Pruned(func(id string) bool { return s.told[id] }, func(id string) bool { return many && !still[id] })
}

// count counts the clients.
func (s *Steward) count(ctx context.Context, now time.Time) error {
	listed, err := s.cfg.Store.Confirmations(ctx)
	if err != nil {
		return err
	}
	s.roll.Observe(now, listed)
	for _, client := range s.roll.Forgotten(now) {
		if err := s.cfg.Store.Forget(ctx, client); err != nil {
			return err
		}
	}
	if live := s.roll.Live(now); live != s.live {
		if err := s.cfg.Store.Count(ctx, live); err != nil {
			return err
		}
		s.live = live
	}
	return nil
}

// answerTo is the state in which a request has its answer; nil where there is no room for one.
func (s *Steward) answerTo(r *control.Request, open []*control.Request) *control.State {
	n, now := s.acting.latest(), s.now()
	if err := operation.Permit(s.state, r, &n, &s.cfg.Policy); err != nil {
		return s.pruned(open).Refuse(r, err, now)
	}
	return s.pruned(open).Answer(r, now)
}
