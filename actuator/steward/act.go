package steward

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator/operation"
	"firebreak/internal/words"
	"firebreak/policy"
	"firebreak/routing/control"
)

// maxWrites bounds the writes of one round of one fleet: what is left has its turn in the next one.
const maxWrites = 8

// acting is what a steward does of the plans of its fleet: it takes operations forward, and says what policy is to know of them. The zero
// value has seen nothing. The watcher writes what was judged, the steward reads it; all else is the steward's.
type acting struct {
	exec operation.Executor

	mu      sync.Mutex
	numbers operation.Numbers
	world   policy.World // as it was when the steward looked last
	knows   bool
	waits   map[uint64][]operation.Wait
	holds   map[string]error // of plans that are ready, by id
	clients []control.Listed // as world
}

// Mover does what operations ask for outside the document: a mover.Runner.
type Mover interface {
	Can(a operation.Ask) bool
	Moving() operation.Moving
	// For ends what a state does not ask for any more, and gives what became of the rest; nil = this process does not decide.
	For(s *control.State) func(number uint64, phase string) operation.Result
	// Start begins what is not begun yet. What takes long goes on until ctx ends.
	Start(ctx context.Context, tasks []operation.Task)
	Close()
}

// Judged takes the last judgement of the fleet.
func (s *Steward) Judged(n *operation.Numbers) {
	s.acting.mu.Lock()
	defer s.acting.mu.Unlock()
	s.acting.numbers = *n
}

// Fill fills what firebreak itself does into what stands beside the log of the fleet.
func (s *Steward) Fill(w *policy.World) {
	a := &s.acting
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.knows {
		health, demand := w.Health, w.Demand
		*w = a.world
		w.Health, w.Demand = health, demand
	}
}

// saw keeps what there is to know of a state; nil = this process does not decide.
func (a *acting) saw(s *control.State, roll *control.Roll, now time.Time, r *operation.Round) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.knows = s != nil; !a.knows {
		a.world, a.waits, a.holds, a.clients = policy.World{}, nil, nil, nil
		return
	}
	a.world, a.clients = operation.World(s, roll, now), roll.List(now)
	a.waits, a.holds = nil, nil // a round says them
	if r != nil {
		a.waits, a.holds = maps.Clone(r.Waits), maps.Clone(r.Holds)
	}
}

// around are what is known beside a state, for who shows it. Nothing of it may be changed.
func (a *acting) around() (waits map[uint64][]operation.Wait, holds map[string]error, clients []control.Listed) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.waits, a.holds, a.clients
}

func (a *acting) latest() operation.Numbers {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.numbers
}

// around is what is known at a moment of who does what operations ask for.
func (s *Steward) around(now time.Time) operation.Around {
	a := operation.Around{Now: now}
	if s.cfg.Mover != nil {
		a.Can, a.Moving = s.cfg.Mover.Can, s.cfg.Mover.Moving()
	}
	return a
}

// act takes the operations of the fleet forward, one write after the other.
func (s *Steward) act(ctx context.Context, open []*control.Request) error {
	for range maxWrites {
		now := s.now()
		s.acting.exec.Observe(s.state, now)
		around := s.around(now)
		around.Roll, around.Numbers = &s.roll, s.acting.latest()
		if s.cfg.Mover != nil {
			around.Result = s.cfg.Mover.For(s.state)
		}
		base := s.pruned(open)
		round := s.acting.exec.Round(base, &around)
		s.acting.saw(s.state, &s.roll, now, &round)
		for _, err := range round.Faults {
			if s.stuck.Say() {
				s.cfg.Log.Warn("an operation cannot be taken on", s.named(), zap.Error(words.OneLine(err)))
			}
		}
		s.soon = round.Soon
		if round.Write == nil {
			if s.cfg.Mover != nil {
				s.cfg.Mover.Start(s.life, round.Tasks) //nolint:contextcheck // they last longer than the round
			}
			return nil
		}
		note := ""
		if n := len(base.Outbox); len(round.Write.Outbox) > n { // the step's own; a call of a person may follow
			note = round.Write.Outbox[n].ID
		}
		if err := s.write(ctx, round.Write, note); err != nil {
			return err
		}
		if s.soon {
			continue // what lifts a fence waits for no log
		}
		s.judgeBy(ctx)
		if err := s.tell(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Lines are the writes that a plan would make now, each with what it waits for.
func (s *Steward) Lines(plan string) ([]operation.Line, error) {
	state := s.Standing().State
	if state == nil {
		return nil, errors.New("the routing of the fleet was not read yet")
	}
	n, around := s.acting.latest(), s.around(time.Now())
	return n.Lines(state, plan, &around)
}
