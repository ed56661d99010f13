package steward

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/internal/rarely"
	"firebreak/internal/words"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/store"
)

const (
	// Every is how often requests are looked for: who asks waits for it.
	Every = 2 * time.Second
	// soonAgain is the same while nobody serves what an operation moves.
	soonAgain = 500 * time.Millisecond
	// hearWait bounds what is waited for the journal and for requests meanwhile.
	hearWait = 2 * time.Second
	// stepWait bounds one round of one fleet, so that a store that is away holds up no other fleet for long.
	stepWait = 20 * time.Second
	// countEvery is how often the clients are counted.
	countEvery = 10 * time.Second
	// pruneAt is how many notes or answers make a write of their own worth while. Others go with the next change.
	pruneAt = control.MaxOutbox / 2
)

// Config is what a Steward works with. What is not said to be optional is needed.
type Config struct {
	Fleet string
	First *control.State // of a fleet that has none yet
	Store store.Store
	// Redact hides names in the journal; nil = none is hidden.
	Redact actuator.Redact
	// Append writes to the journal; Epoch is that of this process there, 0 = it does not decide.
	Append func(ctx context.Context, entries []actuator.Entry) error
	Epoch  func() int64
	Known  func() uint64 // the highest version that the journal knows of
	// Judge makes a document what every instance judges the fleet by, if it is not that already.
	Judge func(ctx context.Context, doc *routing.Document) error
	Log   *zap.Logger
	// Policy is what the fleet is configured with: whose word counts, and what may be cached or salted.
	Policy policy.Config
	// Mover does what operations ask for outside the document; nil = nobody does, and nothing is moved.
	Mover Mover
	Clock func() time.Time // by which rounds, clients and operations go; nil = the process's own
}

// Steward looks after the routing of one fleet while this process decides: it claims the state, answers what people ask for, and sees
// to it that the journal has what stands in the outbox. New makes one. Run, or Round, belongs to one goroutine; its other methods may be
// called by any.
type Steward struct {
	cfg Config

	acting acting
	shown  shown

	life   context.Context //nolint:containedctx // of Run: what movers do lasts longer than a round
	soon   bool            // nobody serves what an operation moves: look again at once
	listed bool            // the requests that stand are known

	state    *control.State  // as it was read or written last; nil = to be read
	tenure   string          // of our last claim
	told     map[string]bool // notes of the outbox that the journal has
	readBack map[string]bool // notes whose write was found by reading
	roll     control.Roll
	counted  time.Time
	live     int
	taken    []time.Time // when others had claimed the fleet while we held it: the last few
	foreign  bool        // its base map is another one than the configuration's: nobody here can judge by it
	judged   control.At  // what the fleet is judged by, as far as we said so, ...
	saidAt   time.Time   // ... then

	failing, other, rivaled, uncounted, unjudged, stuck rarely.Trouble // what is said of it
}

// New makes a steward that has read nothing yet.
func New(cfg *Config) *Steward { return &Steward{cfg: *cfg} }

// Fleet is the name of its fleet.
func (s *Steward) Fleet() string { return s.cfg.Fleet }

// Store is where its fleet's state is kept.
func (s *Steward) Store() store.Store { return s.cfg.Store }

// Run serves until the context ends.
func (s *Steward) Run(ctx context.Context) {
	s.life = ctx
	if s.cfg.Mover != nil {
		defer s.cfg.Mover.Close()
	}
	for ctx.Err() == nil {
		looked, err := s.turn(ctx)
		if looked && ctx.Err() == nil {
			s.shown.note(s.now(), s.state, cmp.Or(err, s.rival()))
			if s.rival() != nil && s.rivaled.Say() {
				s.cfg.Log.Warn("the routing of a fleet is not looked after by this process alone", s.named(), zap.Error(errRival))
			}
		}
		if err != nil && ctx.Err() == nil {
			s.state = nil // read it anew
			if s.failing.Say() {
				s.cfg.Log.Warn("the routing of a fleet cannot be looked after", s.named(), zap.Error(words.OneLine(err)))
			}
		}
		again := Every
		if s.soon {
			again = soonAgain
		}
		wait(ctx, again)
	}
}

// turn does what there is to do while this process decides; else it only reads now and then what it shows. looked says that the store was
// asked.
func (s *Steward) turn(ctx context.Context) (looked bool, err error) {
	if s.cfg.Epoch() != 0 {
		return true, s.round(ctx)
	}
	s.tenure, s.soon = "", false
	if s.cfg.Mover != nil {
		s.cfg.Mover.For(nil)
	}
	if time.Since(s.counted) < countEvery {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	s.counted = time.Now()
	state, err := s.cfg.Store.Load(ctx)
	if errors.Is(err, control.ErrNone) {
		err = nil // who decides makes it
	}
	s.state = state
	if err != nil || state == nil {
		s.acting.saw(nil, nil, time.Time{}, nil)
		return true, err
	}
	listed, err := s.cfg.Store.Confirmations(ctx) // the page of every instance says the same
	if err == nil {
		s.roll.Observe(s.counted, listed)
		s.acting.saw(state, &s.roll, s.counted, nil)
	}
	return true, err
}

func (s *Steward) now() time.Time {
	if s.cfg.Clock != nil {
		return s.cfg.Clock()
	}
	return time.Now()
}

// Round does what there is to do while this process decides, and gives the state after it, which Standing has too.
func (s *Steward) Round(ctx context.Context) (*control.State, error) {
	err := s.round(ctx)
	s.shown.note(s.now(), s.state, err)
	if err != nil {
		return nil, err
	}
	return s.state, nil
}

func (s *Steward) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	now := s.now()
	look := now.Sub(s.counted) >= countEvery || s.soon
	if s.state == nil || s.tenure == "" || look { // somebody may have written without us
		if err := s.hold(ctx, uint64(s.cfg.Epoch())); err != nil {
			return err
		}
	}
	if !s.hurried() {
		s.judgeBy(ctx)
	}
	if look || s.hurried() {
		s.counted = now
		if err := s.count(ctx, now); err != nil && ctx.Err() == nil && s.uncounted.Say() {
			s.cfg.Log.Warn("the clients of a fleet cannot be counted", s.named(), zap.Error(words.OneLine(err)))
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
func (s *Steward) hurried() bool { return s.soon || len(s.state.Document.Fenced) > 0 }

// hear hands the journal what it does not have, and answers what people ask for. It gives the requests that stand.
func (s *Steward) hear(ctx context.Context) ([]*control.Request, error) {
	if s.hurried() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, hearWait)
		defer cancel()
	}
	if err := s.tell(ctx); err != nil {
		return nil, err
	}
	open, err := s.cfg.Store.Requests(ctx)
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

// named is the fleet in a line of the log.
func (s *Steward) named() zap.Field {
	return zap.String("fleet", words.Show(s.cfg.Fleet, words.MaxName))
}
