package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing"
	"firebreak/routing/client"
)

// TestIncrementOnce: what DynamoDB says of an increment decides whether it is sent again, and what the caller learns is what happened.
func TestIncrementOnce(t *testing.T) {
	for name, c := range map[string]struct {
		fault   fake.Fault
		counted int64
		failed  bool
		unknown bool
	}{
		"throttled":     {fault: fake.Fault{Times: 5, Say: fake.Throttled}, counted: 1},
		"reply lost":    {fault: fake.Fault{Lose: fake.LoseReply}, counted: 1, failed: true, unknown: true},
		"call lost":     {fault: fake.Fault{Lose: fake.LoseCall}, failed: true, unknown: true},
		"broken":        {fault: fake.Fault{Say: fake.Internal}, failed: true, unknown: true},
		"no rights":     {fault: fake.Fault{Say: fake.AccessDenied}, failed: true},
		"always denied": {fault: fake.Fault{Times: -1, Say: fake.Denied}, failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				own, a := process(t, newServer(t))
				c.fault.Op = "UpdateItem"
				own.Break(c.fault)
				err := a.increment(t.Context(), "k", 1)
				if (err != nil) != c.failed || errors.Is(err, ErrUnknown) != c.unknown {
					t.Errorf("%v", err)
				}
				if got, err := a.read(t.Context(), "k"); err != nil || got != c.counted {
					t.Errorf("%d, %v; want %d", got, err, c.counted)
				}
			})
		})
	}
}

// TestPartial: a read of 150 pieces takes two calls; where the second is refused, the pieces of the first are summed up and the others named.
func TestPartial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		own, a := process(t, s)
		d := newDecider(t, s)
		if err := d.up(t.Context(), hot, 150); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		for i := range 150 {
			name := []byte(hot)
			if i > 0 {
				name = a.router.Table().AppendPieceKey(nil, name, uint32(i))
			}
			if err := s.Write(table, fmt.Sprintf(`{"pk":{"S":%q},"sk":{"S":"counter"},"value":{"N":"1"}}`, partition(name))); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := a.read(t.Context(), hot); err != nil || got != 150 {
			t.Errorf("%d, %v", got, err)
		}
		own.Break(fake.Fault{Op: "BatchGetItem"}, fake.Fault{Op: "BatchGetItem", Say: fake.AccessDenied})
		got, err := a.read(t.Context(), hot)
		var partial *client.Partial
		if !errors.As(err, &partial) || got != 100 || len(partial.Missing) != 50 || partial.Missing[0] != 100 {
			t.Errorf("%d, %v", got, err)
		}
		own.Break(fake.Fault{Op: "BatchGetItem", Times: -1, Say: fake.Throttled})
		began := time.Now()
		if got, err := a.read(t.Context(), hot); !errors.As(err, &partial) || got != 0 || len(partial.Missing) != 150 || time.Since(began) > 2*readFor {
			t.Errorf("%d, %v after %v", got, err, time.Since(began))
		}
	})
}

// TestUnprocessed: keys that DynamoDB did not get to are asked for again.
func TestUnprocessed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		own, a := process(t, s)
		if err := errors.Join(a.increment(t.Context(), "busy", 3), a.increment(t.Context(), "quiet", 4)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
		s.Limit(1, 0)
		keys := []string{partition([]byte("busy")), partition([]byte("quiet"))}
		if _, err := api(s).GetItem(t.Context(), getItem(keys[0]), once); err != nil {
			t.Fatal(err)
		}
		before := len(own.Calls())
		items, err := a.batch(t.Context(), keys)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int64{3, 4} {
			if n, err := value(items[keys[i]]); err != nil || n != want {
				t.Errorf("%s: %d, %v", keys[i], n, err)
			}
		}
		if asked := len(own.Calls()) - before; asked < 2 {
			t.Errorf("asked %d times", asked)
		}
	})
}

// TestSum: a piece counts unless the bare key names it, and is missed only where it would count.
func TestSum(t *testing.T) {
	pieces, keys := []routing.Piece{{}, {Index: 1, Suffix: 7}, {Index: 2, Suffix: 9}}, []string{"k", "k#7", "k#9"}
	bare := item{attributeValue: number(10), attributeFolded: folded("7")}
	for name, c := range map[string]struct {
		items   map[string]item
		want    int64
		missing []int
	}{
		"folded":            {map[string]item{"k": bare, "k#7": {attributeValue: number(5)}, "k#9": {attributeValue: number(1)}}, 11, nil},
		"not folded":        {map[string]item{"k": {}, "k#7": {attributeValue: number(5)}, "k#9": {}}, 5, nil},
		"folded is missing": {map[string]item{"k": bare, "k#9": {}}, 10, nil},
		"a piece is":        {map[string]item{"k": bare, "k#7": {}}, 10, []int{2}},
		"the bare one is":   {map[string]item{"k#7": {attributeValue: number(5)}, "k#9": {}}, 5, []int{0}},
	} {
		got, err := sum(pieces, keys, c.items, errors.New("away"))
		var partial *client.Partial
		if errors.As(err, &partial); got != c.want || (err != nil) != (c.missing != nil) || err != nil && !cmp.Equal(partial.Missing, c.missing) {
			t.Errorf("%s: %d, %v", name, got, err)
		}
	}
}

func TestKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a := process(t, newServer(t))
		for _, key := range []string{"", "a#1", "\xff", strings.Repeat("k", 1001)} {
			if a.increment(t.Context(), key, 1) == nil || a.fold(t.Context(), key) == nil {
				t.Errorf("%q is taken", key)
			}
			if _, err := a.read(t.Context(), key); err == nil {
				t.Errorf("%q is read", key)
			}
		}
	})
}

// TestRefusedWritesBare: a client whose document still has the pieces that are frozen by now counts all the same.
func TestRefusedWritesBare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		_, a := process(t, s)
		l := &ledger{}
		if err := newDecider(t, s).up(t.Context(), hot, 4); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		for suffix := uint32(1); suffix < 4; suffix++ {
			if _, err := a.freeze(t.Context(), a.router.Table().AppendPieceKey(nil, []byte(hot), suffix)); err != nil {
				t.Fatal(err)
			}
		}
		for range 40 {
			if err := l.count(t.Context(), t, a, hot, 1); err != nil {
				t.Fatal(err)
			}
		}
		l.exact(t, a, hot)
	})
}

// TestReadAgain: an answer that arrives when the key has more pieces than were asked is not used.
func TestReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		own, a := process(t, s)
		d := newDecider(t, s)
		if err := a.increment(t.Context(), hot, 7); err != nil {
			t.Fatal(err)
		}
		own.Break(fake.Fault{Op: "BatchGetItem", Instead: func() {
			if err := d.write(t.Context(), hot, func(salt *routing.Salt) { salt.Suffixes, salt.Read = []uint32{0, 1}, 2 }); err != nil {
				t.Error(err)
			}
			for a.router.Status().Version < d.state.Document.Version {
				time.Sleep(time.Second)
			}
		}})
		if got, err := a.read(t.Context(), hot); err != nil || got != 7 {
			t.Errorf("%d, %v", got, err)
		}
		asked := 0
		for _, c := range own.Calls() {
			if c.Op == "BatchGetItem" {
				asked++
			}
		}
		if asked != 2 {
			t.Errorf("asked %d times", asked)
		}
	})
}
