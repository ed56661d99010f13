package steward

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"firebreak/routing"
	"firebreak/routing/control"
)

const (
	// rivalClaims within rivalWithin, while this process decides, are more than people who write directly and a change of the decider make.
	rivalClaims = 5
	rivalWithin = 2 * time.Minute
)

// errRival says that two who decide claim a fleet from one another. The store keeps it whole, but nothing gets done.
var errRival = errors.New("another process claims the fleet again and again while this one decides: is the same table or topic given to a second group?")

// rival says whether there is one.
func (s *Steward) rival() error {
	if len(s.taken) < rivalClaims || s.now().Sub(s.taken[len(s.taken)-rivalClaims]) > rivalWithin {
		return nil
	}
	return errRival
}

// hold reads the state, and claims the fleet where the last claim is not ours. The first state is made where there is none.
func (s *Steward) hold(ctx context.Context, atLeast uint64) error {
	state, err := s.cfg.Store.Load(ctx)
	if errors.Is(err, control.ErrNone) {
		if v := s.cfg.Known(); v > 0 { // clients route by it, and would never go back to a first one
			return fmt.Errorf("the store has nothing of the fleet, and the journal knows version %d: begin with a backup, by firebreak route import --if-version 0 --direct", v)
		}
		state = s.cfg.First
		_, err = s.cfg.Store.Write(ctx, control.At{}, state)
	}
	if err != nil {
		return err
	}
	err = state.Document.SameBase(s.cfg.First.Document)
	if s.foreign = err != nil; s.foreign && s.other.Say() {
		s.cfg.Log.Warn("the configuration says another base map than the one that clients route by, which stays; verdicts go by the configuration's", s.named(), zap.Error(err))
	}
	if s.tenure != "" && state.Document.Tenure == s.tenure {
		s.state = state
		return nil
	}
	if s.tenure != "" {
		s.taken = append(s.taken, s.now())
		s.taken = s.taken[max(0, len(s.taken)-rivalClaims):]
	}
	return s.claim(ctx, state, atLeast)
}

// claim takes the fleet, with an epoch at least as high as told.
func (s *Steward) claim(ctx context.Context, state *control.State, atLeast uint64) error {
	tenure := rand.Text()
	next, err := state.Claim(atLeast, tenure)
	if err != nil {
		return err
	}
	if _, err := s.cfg.Store.Write(ctx, state.At(), next); err != nil {
		return err
	}
	s.state, s.tenure, s.told, s.readBack = next, tenure, map[string]bool{}, map[string]bool{}
	s.live = -1 // say it
	if apart := shardsApart(s.cfg.First.Document, next.Document); len(apart) > 0 && !s.foreign {
		s.cfg.Log.Warn("the configuration says other roles or capacities of shards than the routing that is stored, by which the fleet is judged; firebreak route set changes them",
			s.named(), zap.Int("shards", len(apart)), zap.String("first", apart[0]))
	}
	s.cfg.Log.Info("this process looks after the routing of a fleet", s.named(), zap.Stringer("at", next.At()))
	return nil
}

// above takes the fleet anew where a document of a higher epoch is to be imported: who has seen it goes by a higher one only. The request
// is then for the version of that claim, if it was for the one before.
func (s *Steward) above(ctx context.Context, r *control.Request) (*control.Request, error) {
	was := s.state.At()
	if r.Do != control.DoImport || r.Document.Epoch <= was.Epoch {
		return r, nil
	}
	if _, err := Outcome(s.state, r, s.now()); err != nil {
		return r, nil //nolint:nilerr // it is refused, and nothing is claimed for it
	}
	if err := s.claim(ctx, s.state, r.Document.Epoch+1); err != nil {
		return nil, err
	}
	moved := *r
	if r.IfVersion == was.Version {
		moved.IfVersion = s.state.At().Version
	}
	return &moved, nil
}

// Outcome is the state that a request would make, whatever the epoch of what it imports: who carries it out sees to that first. The error is
// why it is refused.
func Outcome(s *control.State, r *control.Request, now time.Time) (*control.State, error) {
	try := *r
	if r.Do == control.DoImport && r.Document.Epoch <= control.MaxCount {
		try.Document = r.Document.Clone()
		try.Document.Epoch = min(try.Document.Epoch, s.At().Epoch)
	}
	always := func(string) bool { return true }
	next := s.Pruned(always, always).Answer(&try, now)
	if a, _ := next.Answered(r.ID); a.Refused != "" {
		return nil, errors.New(a.Refused)
	}
	return next, nil
}

// shardsApart are the shards of a configuration, as entries, that a stored document lacks or of which it says something else.
func shardsApart(configured, stored *routing.Document) []string {
	var apart []string
	for i, s := range configured.Shards {
		if i >= len(stored.Shards) || stored.Shards[i] != s {
			apart = append(apart, routing.ShardEntry(s.Name).String())
		}
	}
	return apart
}
