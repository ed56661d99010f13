package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"firebreak/routing"
)

// Part is what one piece answered.
type Part[T any] struct {
	Value T
	// Absent says that the store has nothing under the piece's key. It is an answer.
	Absent bool
	// Folded are the suffixes that the bare piece names as added to it. The pieces of these are left out, whatever they answered: their
	// values are in the bare one. Other pieces have none.
	Folded []uint32
}

// Answer is what the pieces of a key say together.
type Answer[T any] struct {
	// Value is of the pieces that answered. Found says that one of them has something; Value is the zero one otherwise.
	Value T
	Found bool
	// Answered are the indexes of the pieces in Value, those that are folded among them; Missing of those that did not answer.
	Answered, Missing []int
	// Stale says that a later document may have been in force: a write may be missing.
	Stale bool
}

// Partial is an answer that some pieces are missing from.
type Partial struct {
	Missing []int // their indexes
	Err     error // what the first of them failed with
}

// Error names the pieces by their indexes.
func (p *Partial) Error() string {
	return fmt.Sprintf("pieces %v did not answer: %v", p.Missing, p.Err)
}

// Unwrap gives what the first missing piece failed with.
func (p *Partial) Unwrap() error { return p.Err }

// Gather reads a key from all its pieces and merges what they answer; a key that is not salted is one piece. It asks Config.FanOut of them
// at the same time and waits Config.FanOutFor. read asks one shard, and says by *Moved, ErrFenced or
// ErrNotReady that it was not taken.
//
// Where pieces are missing the error is *Partial, and the answer has what the others say: who can use that may. ErrStale and ErrChanged
// give no answer. The key's space must declare the kind of the merge.
func Gather[T any](ctx context.Context, r *Router, tenant, key []byte, merge Merge[T], read func(ctx context.Context, t Target) (Part[T], error)) (Answer[T], error) {
	var none Answer[T]
	if s := spaceOf(r.cfg.Spaces, tenant, key); s == nil || s.Kind != merge.kind {
		return none, fmt.Errorf("gather: no space declares the key as %s", merge.kind)
	}
	d := r.Decide(Read, tenant, key)
	if d.refused() == nil && d.Limited {
		if err := r.Admit(ctx, tenant); err != nil {
			return none, err
		}
		d = r.Decide(Read, tenant, key)
	}
	if none.Stale = d.Stale; d.refused() != nil {
		return none, d.Err
	}
	pieces, parts, errs := ask(ctx, r, &d, d.AppendPieces(nil), read)
	a, err := combine(pieces, parts, errs, merge)
	stale, unusable := r.check(&d, pieces)
	if unusable != nil {
		return Answer[T]{Stale: stale}, unusable
	}
	a.Stale = stale
	if err != nil {
		r.met.fanOuts.WithLabelValues("partial").Inc()
		return a, err
	}
	r.met.fanOuts.WithLabelValues("whole").Inc()
	return a, nil
}

// ask reads all pieces and says where they were asked for. parts[i] counts where errs[i] is nil. It is back by the deadline, also from a read that does not heed it.
func ask[T any](ctx context.Context, r *Router, d *Decision, pieces []routing.Piece, read func(context.Context, Target) (Part[T], error)) (where []routing.Piece, parts []Part[T], errs []error) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.FanOutFor)
	defer cancel()
	type answer struct {
		i     int
		piece routing.Piece
		part  Part[T]
		err   error
	}
	next, answers := make(chan int, len(pieces)), make(chan answer, len(pieces))
	for i := range pieces {
		next <- i
	}
	close(next)
	for range min(r.cfg.FanOut, len(pieces)) {
		go func() {
			for i := range next {
				a := answer{i: i, piece: pieces[i]}
				if a.err = ctx.Err(); a.err == nil {
					var at sent
					at, a.err = r.send(ctx, d, a.piece, func(ctx context.Context, t Target) (err error) {
						a.part, err = read(ctx, t)
						return err
					})
					a.piece = at.piece
				}
				answers <- a
			}
		}()
	}
	parts, errs = make([]Part[T], len(pieces)), make([]error, len(pieces))
	for i := range errs {
		errs[i] = context.DeadlineExceeded
	}
	where = slices.Clone(pieces)
	for range pieces {
		select {
		case a := <-answers:
			where[a.i], parts[a.i], errs[a.i] = a.piece, a.part, a.err
		case <-ctx.Done():
			return where, parts, errs
		}
	}
	return where, parts, errs
}

// combine merges what answered, without what is folded into the bare piece. Where that one is missing it is not known what it has, and the
// answer is partial in any case.
func combine[T any](pieces []routing.Piece, parts []Part[T], errs []error, merge Merge[T]) (Answer[T], error) {
	var a Answer[T]
	var first error
	var folded []uint32
	if errs[0] == nil {
		folded = parts[0].Folded
	}
	for i, p := range pieces {
		if i > 0 && slices.Contains(folded, p.Suffix) {
			a.Answered = append(a.Answered, p.Index)
			continue
		}
		if errs[i] != nil {
			a.Missing = append(a.Missing, p.Index)
			if first == nil {
				first = errs[i]
			}
			continue
		}
		a.Answered = append(a.Answered, p.Index)
		switch {
		case parts[i].Absent:
		case a.Found:
			a.Value = merge.fold(a.Value, parts[i].Value)
		default:
			a.Value, a.Found = parts[i].Value, true
		}
	}
	if first != nil {
		return a, &Partial{Missing: a.Missing, Err: first}
	}
	return a, nil
}

// Usable says whether an answer of Gather may be used by who takes partial ones: err is nil or *Partial.
func Usable(err error) bool {
	var p *Partial
	return err == nil || errors.As(err, &p)
}
