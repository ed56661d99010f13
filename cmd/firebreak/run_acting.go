package main

import (
	"context"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator/operation"
	"firebreak/pipeline"
	"firebreak/policy"
	"firebreak/routing/control"
)

// maxWrites bounds the writes of one round of one fleet: what is left has its turn in the next one.
const maxWrites = 8

// acting is what a steward does of the plans of its fleet: it takes operations forward, and says what policy is to know of them. The zero
// value has seen nothing. The watcher writes what was judged, the steward reads it; all else is the steward's.
type acting struct {
	exec operation.Executor
	does outsideWork // what phases ask for outside the document; nil = nobody does

	mu      sync.Mutex
	numbers operation.Numbers
	world   policy.World // as it was when the steward looked last
	knows   bool
	waits   map[uint64][]operation.Wait
	holds   map[string]error // of plans that are ready, by id
}

// outsideWork does what a phase asks for, by its operation and phase: it may be asked again, and answers at once.
type outsideWork interface {
	Do(t *operation.Task)
	Result(number uint64, phase string) operation.Result
}

// judged takes the last judgement of the fleet.
func (a *acting) judged(j *pipeline.Judgement, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.numbers = operation.Numbers{At: now, Snapshot: j.Snapshot, Config: j.Config, Decision: j.Decision}
}

// fill is a besideLog for its fleet.
func (a *acting) fill(w *policy.World) {
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
		a.world, a.waits, a.holds = policy.World{}, nil, nil
		return
	}
	a.world = operation.World(s, roll, now)
	if r != nil {
		a.waits, a.holds = maps.Clone(r.Waits), maps.Clone(r.Holds)
	}
}

func (a *acting) latest() operation.Numbers {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.numbers
}

// act takes the operations of the fleet forward, one write after the other.
func (s *steward) act(ctx context.Context, open []*control.Request) error {
	for range maxWrites {
		now := s.now()
		s.acting.exec.Observe(s.state, now)
		around := &operation.Around{Now: now, Roll: &s.roll, Numbers: s.acting.latest()}
		if s.acting.does != nil {
			around.Result = s.acting.does.Result
		}
		round := s.acting.exec.Round(s.pruned(open), around)
		s.acting.saw(s.state, &s.roll, now, &round)
		for _, err := range round.Faults {
			if s.stuck.now() {
				s.log.Warn("an operation cannot be taken on", zap.String("fleet", printable(s.fleet)), zap.Error(oneLine(err)))
			}
		}
		if round.Write == nil {
			if s.acting.does != nil {
				for i := range round.Tasks {
					s.acting.does.Do(&round.Tasks[i])
				}
			}
			return nil
		}
		note := ""
		if n := len(round.Write.Outbox); n > 0 {
			note = round.Write.Outbox[n-1].ID
		}
		if err := s.write(ctx, round.Write, note); err != nil {
			return err
		}
		s.judgeBy(ctx)
		if err := s.tell(ctx); err != nil {
			return err
		}
	}
	return nil
}

// answerTo is the state in which a request has its answer; nil where there is no room for one.
func (s *steward) answerTo(r *control.Request, open []*control.Request) *control.State {
	n, now := s.acting.latest(), s.now()
	if err := operation.Permit(s.state, r, &n, s.approvers); err != nil {
		return s.pruned(open).Refuse(r, err, now)
	}
	return s.pruned(open).Answer(r, now)
}
