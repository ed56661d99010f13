package client

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/routing"
)

var errDown = errors.New("down")

// gathering is a story with a counter over four pieces.
func gathering(t *testing.T, change func(c *Config), tell func(t *testing.T, s *store, r *Router)) {
	both := func(c *Config) {
		counts(c)
		if change != nil {
			change(c)
		}
	}
	story(t, both, func(t *testing.T, s *store, r *Router) {
		s.put(next(s.doc, salted("count:hot", 4, 4)))
		until(t, 6*time.Second, "version 2", func() bool { return version(r) == 2 })
		tell(t, s, r)
	})
}

func TestGather(t *testing.T) {
	gathering(t, nil, func(t *testing.T, _ *store, r *Router) {
		values := map[string]Part[int]{
			"count:hot": {Value: 100, Folded: []uint32{5}}, "count:hot#3": {Value: 1}, "count:hot#5": {Value: 50}, "count:hot#8": {Absent: true},
		}
		down := map[string]bool{}
		read := func(_ context.Context, target Target) (Part[int], error) {
			if down[string(target.Key)] {
				return Part[int]{Value: 1000}, errDown
			}
			if target.Shard == "" || target.Version != 2 {
				t.Errorf("target %+v", target)
			}
			return values[string(target.Key)], nil
		}
		gather := func() (Answer[int], error) {
			return Gather(t.Context(), r, nil, []byte("count:hot"), Sum[int](), read)
		}
		got, err := gather()
		if diff := cmp.Diff(Answer[int]{Value: 101, Found: true, Answered: []int{0, 1, 2, 3}}, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
		down["count:hot#5"] = true
		if got, err := gather(); err != nil || got.Value != 101 {
			t.Errorf("%+v, %v: a folded piece is not missed", got, err)
		}
		down["count:hot#3"] = true
		got, err = gather()
		if diff := cmp.Diff(Answer[int]{Value: 100, Found: true, Answered: []int{0, 2, 3}, Missing: []int{1}}, got); diff != "" {
			t.Error(diff)
		}
		if !errors.Is(err, errDown) || !Usable(err) || err.Error() != "pieces [1] did not answer: down" {
			t.Error(err)
		}
		down = map[string]bool{"count:hot": true}
		if got, err := gather(); !Usable(err) || err == nil || !slices.Equal(got.Missing, []int{0}) {
			t.Errorf("%+v, %v: the bare piece is missing", got, err)
		}
		if w, p := counter(t, r.met.fanOuts, "whole"), counter(t, r.met.fanOuts, "partial"); w != 2 || p != 2 {
			t.Errorf("%v whole and %v partial, want 2 and 2", w, p)
		}
	})
}

// TestGatherDeadline: what does not answer in time is missing, also from a read that heeds no deadline; no more pieces are asked at once
// than may be.
func TestGatherDeadline(t *testing.T) {
	gathering(t, func(c *Config) { c.FanOut = 2 }, func(t *testing.T, _ *store, r *Router) {
		var now, most atomic.Int32
		began := time.Now()
		got, err := Gather(t.Context(), r, nil, []byte("count:hot"), Sum[int](), func(_ context.Context, target Target) (Part[int], error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(100 * time.Millisecond)
			if target.Piece.Index == 2 {
				time.Sleep(10 * time.Second)
			}
			return Part[int]{Value: 1}, nil
		})
		if took := time.Since(began); took != r.cfg.FanOutFor {
			t.Errorf("took %v, want %v", took, r.cfg.FanOutFor)
		}
		if !errors.Is(err, context.DeadlineExceeded) || got.Value != 3 || !slices.Equal(got.Missing, []int{2}) || most.Load() != 2 {
			t.Errorf("%+v, %v, %d at once", got, err, most.Load())
		}
		time.Sleep(10 * time.Second)
	})
}

// TestGatherRefuses: the wrong kind, an undeclared key, a stale Router, pieces that changed under way.
func TestGatherRefuses(t *testing.T) {
	gathering(t, nil, func(t *testing.T, s *store, r *Router) {
		one := func(context.Context, Target) (Part[int], error) { return Part[int]{Value: 1}, nil }
		if _, err := Gather(t.Context(), r, nil, []byte("count:hot"), Largest[int](), one); err == nil || Usable(err) {
			t.Errorf("%v for a counter read as a maximum", err)
		}
		if _, err := Gather(t.Context(), r, nil, []byte("other"), Sum[int](), one); err == nil {
			t.Error("no error for a key that is not declared")
		}
		var once sync.Once
		changed := func(ctx context.Context, _ Target) (Part[int], error) {
			once.Do(func() {
				s.put(next(s.doc, func(d *routing.Document) { d.Salts[0].Suffixes = []uint32{0, 3, 5, 9} }))
				wake(r.nudge)
			})
			return Part[int]{Value: 1}, r.newerThan(ctx, 2)
		}
		r.cfg.FanOutFor = time.Minute
		got, err := Gather(t.Context(), r, nil, []byte("count:hot"), Sum[int](), changed)
		if !errors.Is(err, ErrChanged) || Usable(err) || got.Found {
			t.Errorf("%+v, %v, want ErrChanged and no answer", got, err)
		}
		s.set(func(s *store) { s.err = errAway })
		time.Sleep(36 * time.Second)
		if got, err := Gather(t.Context(), r, nil, []byte("count:hot"), Sum[int](), one); !errors.Is(err, ErrStale) || !got.Stale {
			t.Errorf("%+v, %v, want ErrStale", got, err)
		}
	})
}

// TestMerges: a merge of parts is the value of the whole, however it is parted.
func TestMerges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.SliceOfN(rapid.IntRange(-50, 50), 1, 40).Draw(t, "whole")
		var parts [][]int
		for rest := whole; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			parts = append(parts, rest[:n:n])
			rest = rest[n:]
		}
		sum, most := 0, whole[0]
		var seen []int
		for _, v := range whole {
			sum, most = sum+v, max(most, v)
			if !slices.Contains(seen, v) {
				seen = append(seen, v)
			}
		}
		sums, mosts := make([]int, len(parts)), make([]int, len(parts))
		for i, p := range parts {
			for _, v := range p {
				sums[i] += v
			}
			mosts[i] = slices.Max(p)
		}
		if got := fold(Sum[int](), sums); got != sum {
			t.Errorf("sum %d, want %d", got, sum)
		}
		if got := fold(Largest[int](), mosts); got != most {
			t.Errorf("largest %d, want %d", got, most)
		}
		if got := fold(Concat[int](), parts); !slices.Equal(got, whole) {
			t.Errorf("concat %v, want %v", got, whole)
		}
		if got := fold(Union[int](), append([][]int{{whole[0]}}, parts...)); !slices.Equal(got, seen) {
			t.Errorf("union %v, want %v", got, seen)
		}
	})
}

func fold[T any](m Merge[T], parts []T) T {
	v := parts[0]
	for _, p := range parts[1:] {
		v = m.fold(v, p)
	}
	return v
}
