package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	"pgregory.net/rapid"

	"firebreak/pipeline/record"
)

// rig is an Asker that runs, in virtual time, of a registry that answers as the test says.
type rig struct {
	*Asker

	mu     sync.Mutex
	answer func(id uint32) (Schema, error)
	asked  []uint32
	now    int // requests that are being answered
	most   int
	slow   time.Duration // to answer
	logs   *observer.ObservedLogs
	closed bool
}

func (r *rig) Schema(ctx context.Context, id uint32) (Schema, error) {
	r.mu.Lock()
	r.asked = append(r.asked, id)
	r.now++
	r.most = max(r.most, r.now)
	answer := r.answer
	r.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(r.slow):
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now--
	return answer(id)
}

func (r *rig) Close() { r.closed = true }

// says changes what the registry answers.
func (r *rig) says(answer func(id uint32) (Schema, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// requests is how often the registry was asked so far.
func (r *rig) requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.asked)
}

// want asks for a schema as who counts does, and gives what a record would be: counted, pending, unasked or refused.
func (r *rig) want(t *testing.T, id uint32) string {
	t.Helper()
	began := time.Now()
	kind, _, err := r.Asker.Schema(t.Context(), id)
	if !time.Now().Equal(began) {
		t.Error("who counts had to wait")
	}
	switch {
	case err == nil:
		return kind
	case errors.Is(err, record.ErrPending):
		return "pending"
	case errors.Is(err, record.ErrUnasked):
		return "unasked"
	case Answers(err):
		return "refused"
	}
	t.Errorf("%v is no answer", err)
	return ""
}

func down(uint32) (Schema, error) { return Schema{}, errors.New("connection refused") }
func none(uint32) (Schema, error) { return Schema{}, ErrNone }
func avro(uint32) (Schema, error) { return Schema{"AVRO", "{}"}, nil }

func asking(t *testing.T, run func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zapcore.DebugLevel)
		r := &rig{answer: avro, logs: logs}
		r.Asker = NewAsker(r, 0, zap.New(core))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		run(t, r)
		stop()
		if err := <-done; err != nil || !r.closed || r.most > 1 {
			t.Errorf("it ended with %v; connections are closed: %v; %d requests at once", err, r.closed, r.most)
		}
	})
}

// TestAskerLearns: a record waits until the registry has answered, and nobody asks twice.
func TestAskerLearns(t *testing.T) {
	asking(t, func(t *testing.T, r *rig) {
		r.slow = 3 * time.Second
		for range 100 {
			if got := r.want(t, 7); got != "pending" {
				t.Fatalf("%s, want pending", got)
			}
		}
		time.Sleep(4 * time.Second)
		for range 100 {
			if got := r.want(t, 7); got != "AVRO" {
				t.Fatalf("%s, want AVRO", got)
			}
		}
		if n := r.requests(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

// TestAskerOfOneThatIsDown: a record waits for 30 s, once for all ids; the registry is asked rarely, and what it says when it is
// back is taken at once.
func TestAskerOfOneThatIsDown(t *testing.T) {
	asking(t, func(t *testing.T, r *rig) {
		r.says(down)
		began := time.Now()
		for time.Since(began) < DefaultWait {
			if got := r.want(t, 7); got != "pending" {
				t.Fatalf("%s after %v, want pending", got, time.Since(began))
			}
			time.Sleep(500 * time.Millisecond)
		}
		for id := range uint32(10) {
			if got := r.want(t, id); got != "unasked" {
				t.Errorf("schema %d: %s, want unasked: the outage has held us up for long enough", id, got)
			}
		}
		for range 120 {
			time.Sleep(30 * time.Second)
			r.want(t, 7)
		}
		if n := r.requests(); n > 400 || n < 100 {
			t.Errorf("asked %d times in an hour", n)
		}
		if n := r.logs.FilterMessageSnippet("cannot be asked").Len(); n < 10 || n > 130 {
			t.Errorf("%d log lines in an hour", n)
		}
		r.says(avro)
		time.Sleep(mostBackoff + slowly)
		if got, again := r.want(t, 7), r.logs.FilterMessageSnippet("answers again").Len(); got != "AVRO" || again != 1 {
			t.Errorf("%s once it is back, said %d times", got, again)
		}
		time.Sleep(time.Hour)
		r.says(down)
		if got := r.want(t, 8); got != "pending" {
			t.Errorf("%s, want pending: the outage of before is over", got)
		}
	})
}

// TestAskerForgetsAnOutage: what was not asked for any more says nothing about the registry of now.
func TestAskerForgetsAnOutage(t *testing.T) {
	asking(t, func(t *testing.T, r *rig) {
		r.says(down)
		r.want(t, 7)
		time.Sleep(10 * time.Minute)
		before := r.requests()
		time.Sleep(time.Hour)
		if got := r.requests(); got != before {
			t.Errorf("asked %d times for what nobody wants", got-before)
		}
		r.says(avro)
		if got := r.want(t, 8); got != "pending" {
			t.Errorf("%s, want pending", got)
		}
	})
}

// TestAskerOfOneThatIsMissing: an id is not there if the registry says so twice: a follower may be behind. It is asked for again
// after a minute, while its records are refused and nobody waits.
func TestAskerOfOneThatIsMissing(t *testing.T) {
	asking(t, func(t *testing.T, r *rig) {
		r.says(none)
		if r.want(t, 7); r.want(t, 7) != "pending" {
			t.Error("not asked for")
		}
		time.Sleep(500 * time.Millisecond)
		if got := r.want(t, 7); got != "pending" {
			t.Errorf("%s after the first word, want pending", got)
		}
		time.Sleep(time.Second)
		for range 50 {
			if got := r.want(t, 7); got != "refused" {
				t.Errorf("%s after the second word, want refused", got)
			}
			time.Sleep(time.Second)
		}
		if n := r.requests(); n != 2 {
			t.Errorf("asked %d times", n)
		}
		r.says(avro)
		time.Sleep(noneKept)
		if got := r.want(t, 7); got != "refused" {
			t.Errorf("%s, want refused: nobody waits for what is asked again", got)
		}
		time.Sleep(slowly)
		if got := r.want(t, 7); got != "AVRO" {
			t.Errorf("%s, want AVRO", got)
		}
		r.says(func(id uint32) (Schema, error) { // of a follower
			if len(r.asked) < 5 { // under the lock
				return none(id)
			}
			return avro(id)
		})
		r.want(t, 8)
		time.Sleep(2 * noneTwice)
		if got := r.want(t, 8); got != "AVRO" {
			t.Errorf("%s of a follower that was behind, want AVRO", got)
		}
	})
}

// TestAskerOfPoison: 40 random ids a second neither hammer the registry nor fill memory, hold nobody up for long, and keep no
// real id from being learned.
func TestAskerOfPoison(t *testing.T) {
	asking(t, func(t *testing.T, r *rig) {
		r.says(func(id uint32) (Schema, error) {
			if id == 7 {
				return avro(id)
			}
			return none(id)
		})
		id, held := uint32(1<<16), 0
		poison := func() {
			for range 40 {
				id += 2_654_435
				for r.want(t, id) == "pending" && held < 10_000 { // as a partition that is parked
					time.Sleep(100 * time.Millisecond)
					held++
				}
			}
			time.Sleep(time.Second)
		}
		for range 60 {
			poison()
		}
		if waited := time.Duration(held) * 100 * time.Millisecond; waited > 30*time.Second {
			t.Errorf("%v of a minute were waited", waited)
		}
		before := r.requests()
		for range 600 {
			poison()
		}
		if n := r.requests() - before; n > 700 {
			t.Errorf("asked %d times in ten minutes", n)
		}
		r.Asker.mu.Lock()
		n, m := len(r.wanted), len(r.known.of)
		r.Asker.mu.Unlock()
		if n > maxWanted || m > maxKnown {
			t.Errorf("%d ids are wanted, %d known", n, m)
		}
		learned := false
		for range 10 {
			for range 5 {
				learned = learned || r.want(t, 7) == "AVRO"
			}
			poison()
		}
		if !learned {
			t.Error("a real id was not learned among the others")
		}
		if n := r.logs.FilterMessageSnippet("are refused").Len(); n > 30 {
			t.Errorf("%d log lines in eleven minutes", n)
		}
		if got := r.want(t, 1<<31); got != "refused" {
			t.Errorf("%s of an id that no registry can give, want refused", got)
		}
	})
}

// TestAskerOfOneSchema: one that the registry cannot give, or that cannot be used, is no trouble of the others.
func TestAskerOfOneSchema(t *testing.T) {
	asking(t, func(t *testing.T, r *rig) {
		r.says(func(id uint32) (Schema, error) {
			switch id {
			case 7:
				return Schema{}, &Status{Code: 500}
			case 8:
				return Schema{}, fmt.Errorf("%w: it refers to others", ErrUnusable)
			}
			return avro(id)
		})
		for range 50 { // what cannot be used is asked for again after a minute
			r.want(t, 7)
			r.want(t, 8)
			time.Sleep(time.Second)
		}
		if a, b := r.want(t, 7), r.want(t, 8); a != "unasked" || b != "refused" {
			t.Errorf("%s and %s, want unasked and refused", a, b)
		}
		for id := range uint32(5) {
			if got := r.want(t, 100+id); got != "pending" && id > 0 { // before the first nobody knows that it is not the registry
				t.Errorf("schema %d: %s, want pending", id, got)
			}
			time.Sleep(slowly)
			if got := r.want(t, 100+id); got != "AVRO" {
				t.Errorf("schema %d: %s, want AVRO", id, got)
			}
		}
		if n := r.logs.FilterMessageSnippet("are refused").Len(); n != 1 || !strings.Contains(fmt.Sprint(r.logs.All()), "refers to others") {
			t.Errorf("said %d times, want once, with the reason: %v", n, r.logs.All())
		}
	})
}

// TestShelfIsBounded: whatever is put, no more is kept than there is room for, the newest always, and the sum is right.
func TestShelfIsBounded(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	rapid.Check(t, func(t *rapid.T) {
		var s shelf
		now := time.Unix(0, 0)
		sizes := rapid.SampledFrom([]int{0, 100, 1 << 20})
		for range rapid.IntRange(1, 60).Draw(t, "puts") {
			now = now.Add(time.Second)
			id := uint32(rapid.IntRange(0, 20).Draw(t, "id"))
			s.put(id, known{Schema: Schema{Text: text[:sizes.Draw(t, "size")]}, used: now})
			used := uint32(rapid.IntRange(0, 20).Draw(t, "used"))
			s.find(used, now)
			sum := 0
			for _, k := range s.of {
				sum += len(k.Text)
			}
			if sum != s.bytes || sum > maxText || s.find(id, now) == nil {
				t.Fatalf("%d bytes of %d, at most %d; the newest is there: %v", sum, s.bytes, maxText, s.find(id, now) != nil)
			}
		}
	})
	var s shelf
	for i := range uint32(3 * maxKnown) {
		now := time.Unix(int64(i), 0)
		s.put(i, known{used: now})
		s.find(0, now)
	}
	if len(s.of) != maxKnown || s.of[0] == nil {
		t.Errorf("%d are kept, the one in use: %v", len(s.of), s.of[0] != nil)
	}
}
