package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// fakeLog is a log that can fail, before or after it appended.
type fakeLog struct {
	mu     sync.Mutex
	values [][]byte
	fail   func(n int) (appended int, err error) // of n values; nil = all are appended
}

func (l *fakeLog) Append(_ context.Context, values ...[]byte) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := len(values), error(nil)
	if l.fail != nil {
		n, err = l.fail(n)
	}
	l.values = append(l.values, values[:n]...)
	return int64(len(l.values) - n), err
}

// minuteNo is the n-th minute of a fleet.
func minuteNo(n int) *Minute {
	return &Minute{Fleet: "f", Start: noon().Add(time.Duration(n) * time.Minute), Load: float64(n)}
}

// evidenceNo is evidence of the n-th pane.
func evidenceNo(e *Evidence, n int) *Evidence {
	s, out := *e.Snapshot, *e
	s.Panes = slices.Clone(s.Panes)
	for i := range s.Panes {
		s.Panes[i].Start = s.Panes[i].Start.Add(time.Duration(n) * s.Pane)
	}
	out.Snapshot = &s
	return &out
}

// loads reads a log: of minutes their loads, of evidence its second.
func loads(tb tester, log [][]byte) (out []string) {
	tb.Helper()
	r := newReader(tb)
	for _, v := range log {
		e, ok := r.Read(v)
		switch {
		case !ok:
		case e.Kind == KindMinute:
			m, err := e.Minute()
			if err != nil {
				tb.Fatal(err)
			}
			out = append(out, fmt.Sprint("m", m.Load))
		default:
			out = append(out, fmt.Sprint("e", e.At.Sub(noon()).Seconds()))
		}
	}
	if missing := r.Missing(); len(missing) > 0 {
		tb.Fatalf("torn: %v", missing[0])
	}
	return out
}

// failAfter lets some appends through.
func failAfter(appends int, fail func(n int) (int, error)) func(n int) (int, error) {
	return func(n int) (int, error) {
		if appends--; appends >= 0 {
			return n, nil
		}
		return fail(n)
	}
}

func headOf(t tester, value []byte) Head {
	f, err := decodeFrame(value)
	if err != nil {
		t.Fatal(err)
	}
	return f.Head
}

// TestWriterFailsOver: whatever fails and whoever takes over when, a reader has every entry once.
func TestWriterFailsOver(t *testing.T) {
	torn := [][][]byte{2: chunked(t, 2, 2), 5: chunked(t, 5, 2), 8: chunked(t, 8, 1)}
	rapid.Check(t, func(t *rapid.T) {
		log := &fakeLog{}
		writers := []*Writer{NewWriter(), NewWriter()}
		readers := []*Reader{newReader(t), newReader(t)}
		at := []int{0, 0}
		added := []int{0, 0}
		const said = 9
		add := func(who int) {
			n := added[who]
			if added[who]++; n%3 == 2 {
				writers[who].add(&item{head: headOf(t, torn[n][0]), values: torn[n], size: MaxEntry})
				return
			}
			if err := writers[who].AddMinute(minuteNo(n)); err != nil {
				t.Fatal(err)
			}
		}
		follow := func(who int) {
			for ; at[who] < len(log.values); at[who]++ {
				if e, ok := readers[who].Read(log.values[at[who]]); ok {
					writers[who].Saw(e.ID)
				}
			}
		}
		for range rapid.IntRange(5, 60).Draw(t, "steps") {
			who := rapid.IntRange(0, 1).Draw(t, "who")
			switch rapid.SampledFrom([]string{"add", "add", "follow", "flush", "lost", "cut short"}).Draw(t, "step") {
			case "add":
				if added[who] < said {
					add(who)
				}
			case "follow":
				follow(who)
			case "flush":
				log.fail = nil
				if err := writers[who].Flush(t.Context(), log); err != nil {
					t.Fatal(err)
				}
			case "lost":
				log.fail = failAfter(rapid.IntRange(0, 3).Draw(t, "appends"), func(n int) (int, error) { return n, errors.New("reply lost") })
				_ = writers[who].Flush(t.Context(), log)
			case "cut short":
				log.fail = failAfter(rapid.IntRange(0, 3).Draw(t, "appends"), func(n int) (int, error) { return n / 2, errors.New("broker lost") })
				_ = writers[who].Flush(t.Context(), log)
			}
		}
		log.fail = nil
		for who := range writers {
			follow(who)
			for added[who] < said {
				add(who)
			}
			if err := writers[who].Flush(t.Context(), log); err != nil {
				t.Fatal(err)
			}
			if s := writers[who].Stats(); s.Waiting != 0 || s.Bytes != 0 || s.Dropped != 0 || s.Refused != 0 {
				t.Fatalf("%+v", s)
			}
		}
		got := loads(t, log.values)
		slices.Sort(got)
		want := []string{"m0", "m1", "e2", "m3", "m4", "e5", "m6", "m7", "e8"}
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// TestWriterKeepsTheOrder: entries are appended oldest first, minutes together.
func TestWriterKeepsTheOrder(t *testing.T) {
	w, log := NewWriter(), &fakeLog{}
	base := small(t)
	for n := range 4 {
		if err := w.AddMinute(minuteNo(n)); err != nil {
			t.Fatal(err)
		}
	}
	w.AddEvidence(evidenceNo(base, 4))
	if err := w.AddMinute(minuteNo(5)); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	log.fail = func(n int) (int, error) {
		sizes = append(sizes, n)
		return n, nil
	}
	if err := w.Flush(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"m0", "m1", "m2", "m3", "e340", "m5"}, loads(t, log.values)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Equal(sizes, []int{4, 1, 1}) {
		t.Errorf("appended by %v", sizes)
	}
}

// TestWriterIsBounded: while the log is away the oldest are dropped and counted, minutes not for evidence.
func TestWriterIsBounded(t *testing.T) {
	w := NewWriter()
	for n := range maxWaiting + 5 {
		w.add(&item{head: minuteNo(n).head(), size: 100})
	}
	heavy := func(n int, size int64) {
		w.add(&item{head: Head{Kind: KindEvidence, ID: fmt.Sprint("e", n)}, size: size})
	}
	for n := range 10 {
		heavy(n, 20<<20)
	}
	if s := w.Stats(); s.Waiting != maxWaiting+4 || s.Dropped != 5+6 || s.Bytes != maxWaiting*100+4*20<<20 {
		t.Errorf("%+v", s)
	}
	heavy(10, 300<<20)
	if s := w.Stats(); s.Waiting != maxWaiting+1 || s.Bytes != maxWaiting*100+300<<20 {
		t.Errorf("with one that is larger than all may be: %+v", s)
	}
	if w.waiting[0].head.ID != minuteNo(5).head().ID {
		t.Error("it was not the oldest that was dropped")
	}
}

// TestWriterRefuses: what no log could take does not stop the rest.
func TestWriterRefuses(t *testing.T) {
	w, log := NewWriter(), &fakeLog{}
	e := evidenceNo(small(t), 1)
	for range maxHotspots + 1 {
		e.Hotspots = append(e.Hotspots, "h")
	}
	w.AddEvidence(e)
	if err := w.AddMinute(&Minute{Fleet: string(make([]byte, 300)), Start: noon()}); err == nil {
		t.Error("a fleet of 300 bytes is taken")
	}
	if err := w.AddMinute(minuteNo(1)); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(t.Context(), log); err == nil {
		t.Error("nothing was said of it")
	}
	if s := w.Stats(); s.Refused != 2 || s.Written != 1 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]string{"m1"}, loads(t, log.values)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWriterFlushesBesideJudging: one goroutine adds and hears of the log while another flushes.
func TestWriterFlushesBesideJudging(t *testing.T) {
	w, log := NewWriter(), &fakeLog{}
	base := small(t)
	var both sync.WaitGroup
	both.Go(func() {
		for n := range 60 {
			if n%5 == 4 {
				w.AddEvidence(evidenceNo(base, n))
				w.Saw(evidenceNo(base, n).head().ID)
			} else if err := w.AddMinute(minuteNo(n)); err != nil {
				t.Error(err)
			}
			w.Stats()
		}
	})
	both.Go(func() {
		for range 60 {
			if err := w.Flush(t.Context(), log); err != nil {
				t.Error(err)
			}
		}
	})
	both.Wait()
	if err := w.Flush(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	minutes := 0
	for _, l := range loads(t, log.values) {
		if l[0] == 'm' {
			minutes++
		}
	}
	if s := w.Stats(); minutes != 48 || s.Waiting != 0 || s.Bytes != 0 {
		t.Errorf("%d minutes, %+v", minutes, s)
	}
}
