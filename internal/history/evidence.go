package history

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"

	"firebreak/actuator"
	"firebreak/policy"
	"firebreak/routing"
)

// ErrDiffers says that judging again gave another decision.
var ErrDiffers = errors.New("judged again it says something else")

// Evidence is everything that one evaluation was given, and a digest of what it returned. It holds names as they are.
// NewEvidence makes it.
type Evidence struct {
	Snapshot *policy.Snapshot
	Config   policy.Config
	Before   policy.State
	Now      time.Time
	Hotspots []string // ids of those that fired, changed or resolved
	Digest   []byte   // SHA-256 of the decision and the state that were returned
	Build    string   // version of the firebreak that judged
}

// evidenceWire is Evidence in columns. The document stands for its table: as it is, not in canonical order, since the order
// of what it lists may decide the last bit of a sum.
type evidenceWire struct {
	Snapshot policy.Snapshot
	Document routing.Document
	Config   policy.Config
	Before   policy.State
	Now      time.Time
	Hotspots []string
	Digest   []byte
	Build    string
}

// NewEvidence keeps the inputs of a tick. It refuses one that was not judged: without a table or a pane.
func NewEvidence(t *Tick, build string) (*Evidence, error) {
	if t.Snapshot.Table == nil || len(t.Snapshot.Panes) == 0 {
		return nil, errors.New("history: evidence of nothing")
	}
	digest, err := digestOutcome(t.Decision, t.After)
	if err != nil {
		return nil, err
	}
	e := &Evidence{Snapshot: t.Snapshot, Config: *t.Config, Before: *t.Before, Now: t.Now, Digest: digest, Build: build}
	for i := range t.Decision.Verdicts {
		e.Hotspots = append(e.Hotspots, t.Decision.Verdicts[i].Hotspot)
	}
	return e, nil
}

// digestOutcome is the same for the same answer, in any zone and on any machine.
func digestOutcome(d *policy.Decision, st *policy.State) ([]byte, error) {
	raw, err := marshal(&struct {
		Decision policy.Decision
		State    policy.State
	}{*d, *st})
	if err != nil {
		return nil, fmt.Errorf("history: digest: %w", err)
	}
	sum := sha256.Sum256(raw)
	return sum[:], nil
}

// head of the evidence. A pane is judged for the first time once, and only then do hotspots change: so its id is of the
// fleet and the newest pane.
func (e *Evidence) head() Head {
	s := e.Snapshot
	at := s.Panes[len(s.Panes)-1].Start.Add(s.Pane).UTC().Truncate(time.Millisecond)
	return Head{
		Kind: KindEvidence, ID: actuator.NewID("evidence", s.Fleet, strconv.FormatInt(at.UnixMilli(), 10)), Fleet: s.Fleet, At: at, Hotspots: e.Hotspots,
	}
}

// encode writes the evidence as values of the log.
func (e *Evidence) encode() ([][]byte, error) {
	raw, err := marshal(&evidenceWire{
		*e.Snapshot, *e.Snapshot.Table.Document(), e.Config, e.Before, e.Now, e.Hotspots, e.Digest, e.Build,
	})
	if err != nil {
		return nil, fmt.Errorf("history: evidence: %w", err)
	}
	h := e.head()
	return pack(&h, raw)
}

// size estimates the memory that the evidence keeps from being freed, in bytes.
func (e *Evidence) size() int64 {
	const vshard, sums, name = 56, 48, 200
	n := int64(1 << 12)
	for i := range e.Snapshot.Panes {
		n += int64(len(e.Snapshot.Panes[i].VShards)) * vshard
	}
	for _, list := range [][]policy.Contributor{e.Snapshot.Keys, e.Snapshot.Tenants} {
		for i := range list {
			n += name + int64(len(list[i].Panes))*sums
		}
	}
	for i := range e.Snapshot.Pairs {
		n += name + int64(len(e.Snapshot.Pairs[i].Panes))*sums
	}
	return n
}

// decodeEvidence reads what encode packed, and compiles its table.
func decodeEvidence(raw []byte) (*Evidence, error) {
	var w evidenceWire
	if err := unmarshal(raw, &w, true); err != nil {
		return nil, fmt.Errorf("history: evidence: %w", err)
	}
	table, err := routing.NewTable(&w.Document)
	if err != nil {
		return nil, fmt.Errorf("history: evidence: document: %w", err)
	}
	w.Snapshot.Table = table
	e := &Evidence{&w.Snapshot, w.Config, w.Before, w.Now, w.Hotspots, w.Digest, w.Build}
	return e, e.check()
}

// check refuses inputs that policy was never given: it may count on them.
func (e *Evidence) check() error {
	s := e.Snapshot
	if s == nil || s.Table == nil || s.Pane <= 0 || len(s.Panes) == 0 {
		return errors.New("history: evidence of nothing")
	}
	if err := e.Config.Validate(); err != nil {
		return fmt.Errorf("history: evidence: config: %w", err)
	}
	long := func(panes []policy.Sums) bool { return len(panes) > len(s.Panes) }
	for _, list := range [][]policy.Contributor{s.Keys, s.Tenants} {
		for i := range list {
			if long(list[i].Panes) {
				return errors.New("history: evidence: a name with more panes than there are")
			}
		}
	}
	for i := range s.Pairs {
		if long(s.Pairs[i].Panes) {
			return errors.New("history: evidence: a pair with more panes than there are")
		}
	}
	return nil
}

// Replay judges again. The error wraps ErrDiffers where the answer is not the one that was given then: the decision is
// what this firebreak says, and Build is the one that said otherwise. Inputs on which the judge breaks are an error.
func Replay(e *Evidence) (d policy.Decision, err error) {
	if err := e.check(); err != nil {
		return d, err
	}
	defer func() {
		if broken := recover(); broken != nil {
			d, err = policy.Decision{}, fmt.Errorf("history: evidence cannot be judged: %v", broken)
		}
	}()
	d, after := policy.Evaluate(e.Snapshot, &e.Config, e.Before, e.Now)
	digest, err := digestOutcome(&d, &after)
	if err == nil && !bytes.Equal(digest, e.Digest) {
		err = fmt.Errorf("history: %w (judged by firebreak %q then)", ErrDiffers, e.Build)
	}
	return d, err
}
