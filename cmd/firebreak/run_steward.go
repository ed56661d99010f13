package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/routing"
	"firebreak/routing/control"
)

const (
	// stewardEvery is how often requests are looked for: who asks waits for it.
	stewardEvery = 2 * time.Second
	// stewardSoon is the same while nobody serves what an operation moves.
	stewardSoon = 500 * time.Millisecond
	// hearWait bounds what is waited for the journal and for requests meanwhile.
	hearWait = 2 * time.Second
	// stepWait bounds one round of one fleet, so that a store that is away holds up no other fleet for long.
	stepWait = 20 * time.Second
	// countEvery is how often the clients are counted.
	countEvery = 10 * time.Second
	// pruneAt is how many notes or answers make a write of their own worth while. Others go with the next change.
	pruneAt = control.MaxOutbox / 2
)

// steward looks after the routing of one fleet while this process decides: it claims the state, answers what people ask for, and sees
// to it that the journal has what stands in the outbox.
type steward struct {
	fleet  string
	first  *control.State // of a fleet that has none yet
	store  stateStore
	redact actuator.Redact
	// append writes to the journal; epoch is that of this process there, 0 = it does not decide.
	append func(ctx context.Context, entries []actuator.Entry) error
	epoch  func() int64
	known  func() uint64 // the highest version that the journal knows of
	// judge makes a document what every instance judges the fleet by, if it is not that already.
	judge func(ctx context.Context, doc *routing.Document) error
	log   *zap.Logger
	// approvers are the people whose word counts.
	approvers []string
	// mover does what operations ask for outside the document; nil = nobody does, and nothing is moved.
	mover  worker
	acting acting
	life   context.Context  //nolint:containedctx // of run: what movers do lasts longer than a round
	soon   bool             // nobody serves what an operation moves: look again at once
	listed bool             // the requests that stand are known
	clock  func() time.Time // by which rounds, clients and operations go; nil = the process's own

	state    *control.State  // as it was read or written last; nil = to be read
	tenure   string          // of our last claim
	told     map[string]bool // notes of the outbox that the journal has
	readBack map[string]bool // notes whose write was found by reading
	roll     control.Roll
	counted  time.Time
	live     int
	foreign  bool       // its base map is another one than the configuration's: nobody here can judge by it
	judged   control.At // what the fleet is judged by, as far as we said so, ...
	saidAt   time.Time  // ... then

	failing, other, uncounted, unjudged, stuck rarely // what is said of it

	shown
}

// run serves until the context ends.
func (s *steward) run(ctx context.Context) {
	s.life = ctx
	if s.mover != nil {
		defer s.mover.Close()
	}
	for ctx.Err() == nil {
		looked, err := s.turn(ctx)
		if looked && ctx.Err() == nil {
			s.note(time.Now(), s.state, err)
		}
		if err != nil && ctx.Err() == nil {
			s.state = nil // read it anew
			if s.failing.now() {
				s.log.Warn("the routing of a fleet cannot be looked after", zap.String("fleet", printable(s.fleet)), zap.Error(oneLine(err)))
			}
		}
		if s.soon {
			pause(ctx, stewardSoon)
		} else {
			pause(ctx, stewardEvery)
		}
	}
}

// turn does what there is to do while this process decides; else it only reads now and then what it shows. looked says that the store was
// asked.
func (s *steward) turn(ctx context.Context) (looked bool, err error) {
	if s.epoch() != 0 {
		return true, s.round(ctx)
	}
	s.tenure, s.soon = "", false
	if s.mover != nil {
		s.mover.For(nil)
	}
	if time.Since(s.counted) < countEvery {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	s.counted = time.Now()
	state, err := s.store.Load(ctx)
	if errors.Is(err, control.ErrNone) {
		err = nil // who decides makes it
	}
	s.state = state
	if err != nil || state == nil {
		s.acting.saw(nil, nil, time.Time{}, nil)
		return true, err
	}
	listed, err := s.store.Confirmations(ctx) // the page of every instance says the same
	if err == nil {
		s.roll.Observe(s.counted, listed)
		s.acting.saw(state, &s.roll, s.counted, nil)
	}
	return true, err
}

func (s *steward) now() time.Time {
	if s.clock != nil {
		return s.clock()
	}
	return time.Now()
}

// round does what there is to do.
func (s *steward) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	now := s.now()
	look := now.Sub(s.counted) >= countEvery || s.soon
	if s.state == nil || s.tenure == "" || look { // somebody may have written without us
		if err := s.hold(ctx, uint64(s.epoch())); err != nil {
			return err
		}
	}
	if !s.hurried() {
		s.judgeBy(ctx)
	}
	if look || s.hurried() {
		s.counted = now
		if err := s.count(ctx, now); err != nil && ctx.Err() == nil && s.uncounted.now() {
			s.log.Warn("the clients of a fleet cannot be counted", zap.String("fleet", printable(s.fleet)), zap.Error(oneLine(err)))
		}
	}
	if s.hurried() { // neither people nor the journal are waited for
		s.listed = false
		if err := s.act(ctx, nil); err != nil {
			return err
		}
	}
	open, err := s.hear(ctx)
	if err != nil {
		return err
	}
	return s.act(ctx, open)
}

// hurried says that nobody serves what an operation moves, whoever began it.
func (s *steward) hurried() bool { return s.soon || len(s.state.Document.Fenced) > 0 }

// hear hands the journal what it does not have, and answers what people ask for. It gives the requests that stand.
func (s *steward) hear(ctx context.Context) ([]*control.Request, error) {
	if s.hurried() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, hearWait)
		defer cancel()
	}
	if err := s.tell(ctx); err != nil {
		return nil, err
	}
	open, err := s.store.Requests(ctx)
	if err != nil {
		return nil, err
	}
	s.listed = true
	for _, r := range open {
		if err := s.answer(ctx, r, open); err != nil {
			return nil, err
		}
	}
	if len(s.state.Outbox) >= pruneAt || len(s.state.Answers) >= pruneAt {
		if err := s.write(ctx, s.pruned(open).Next(), ""); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// hold reads the state, and claims the fleet where the last claim is not ours. The first state is made where there is none.
func (s *steward) hold(ctx context.Context, atLeast uint64) error {
	state, err := s.store.Load(ctx)
	if errors.Is(err, control.ErrNone) {
		if v := s.known(); v > 0 { // clients route by it, and would never go back to a first one
			return fmt.Errorf("the store has nothing of the fleet, and the journal knows version %d: begin with a backup, by firebreak route import --if-version 0 --direct", v)
		}
		state = s.first
		_, err = s.store.Write(ctx, control.At{}, state)
	}
	if err != nil {
		return err
	}
	err = state.Document.SameBase(s.first.Document)
	if s.foreign = err != nil; s.foreign && s.other.now() {
		s.log.Warn("the configuration says another base map than the one that clients route by, which stays; verdicts go by the configuration's", zap.String("fleet", printable(s.fleet)), zap.Error(err))
	}
	if s.tenure != "" && state.Document.Tenure == s.tenure {
		s.state = state
		return nil
	}
	return s.claim(ctx, state, atLeast)
}

// claim takes the fleet, with an epoch at least as high as told.
func (s *steward) claim(ctx context.Context, state *control.State, atLeast uint64) error {
	tenure := rand.Text()
	next, err := state.Claim(atLeast, tenure)
	if err != nil {
		return err
	}
	if _, err := s.store.Write(ctx, state.At(), next); err != nil {
		return err
	}
	s.state, s.tenure, s.told, s.readBack = next, tenure, map[string]bool{}, map[string]bool{}
	s.live = -1 // say it
	if apart := shardsApart(s.first.Document, next.Document); len(apart) > 0 && !s.foreign {
		s.log.Warn("the configuration says other roles or capacities of shards than the routing that is stored, by which the fleet is judged; firebreak route set changes them",
			zap.String("fleet", printable(s.fleet)), zap.Int("shards", len(apart)), zap.String("first", apart[0]))
	}
	s.log.Info("this process looks after the routing of a fleet", zap.String("fleet", printable(s.fleet)), zap.Stringer("at", next.At()))
	return nil
}

// write replaces the state; note is the id of what it tells people, empty = nothing.
func (s *steward) write(ctx context.Context, next *control.State, note string) error {
	w, err := s.store.Write(ctx, s.state.At(), next)
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
func (s *steward) tell(ctx context.Context) error {
	var entries []actuator.Entry
	for i := range s.state.Outbox {
		n := &s.state.Outbox[i]
		if s.told[n.ID] {
			continue
		}
		e, err := actuator.NewRouted(s.fleet, n, s.readBack[n.ID], s.redact)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return nil
	}
	if err := s.append(ctx, entries); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	for _, n := range s.state.Outbox {
		s.told[n.ID] = true
	}
	return nil
}

// answer carries one request out, or finds that it was, and takes it away when the journal knows of it.
func (s *steward) answer(ctx context.Context, r *control.Request, open []*control.Request) error {
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
	return s.store.Drop(ctx, r.ID)
}

// above takes the fleet anew where a document of a higher epoch is to be imported: who has seen it goes by a higher one only. The request
// is then for the version of that claim, if it was for the one before.
func (s *steward) above(ctx context.Context, r *control.Request) (*control.Request, error) {
	was := s.state.At()
	if r.Do != control.DoImport || r.Document.Epoch <= was.Epoch {
		return r, nil
	}
	if _, err := outcome(s.state, r, s.now()); err != nil {
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

// outcome is the state that a request would make, whatever the epoch of what it imports: who carries it out sees to that first. The error is
// why it is refused.
func outcome(s *control.State, r *control.Request, now time.Time) (*control.State, error) {
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

// pruned is the state without the notes that the journal has, and, where they are many, the answers whose requests are gone: who asked
// looks for the answer for a while.
func (s *steward) pruned(open []*control.Request) *control.State {
	still := map[string]bool{}
	for _, r := range open {
		still[r.ID] = true
	}
	many := s.listed && len(s.state.Answers) >= pruneAt
	return s.state.Pruned(func(id string) bool { return s.told[id] }, func(id string) bool { return many && !still[id] })
}

// count counts the clients.
func (s *steward) count(ctx context.Context, now time.Time) error {
	listed, err := s.store.Confirmations(ctx)
	if err != nil {
		return err
	}
	s.roll.Observe(now, listed)
	for _, client := range s.roll.Forgotten(now) {
		if err := s.store.Forget(ctx, client); err != nil {
			return err
		}
	}
	if live := s.roll.Live(now); live != s.live {
		if err := s.store.Count(ctx, live); err != nil {
			return err
		}
		s.live = live
	}
	return nil
}
