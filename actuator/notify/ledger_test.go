package notify

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"firebreak/actuator"
)

// slowJournal takes an append only when it is let, as a broker that is frozen does.
type slowJournal struct {
	journal

	let chan struct{}
}

func (j *slowJournal) Append(ctx context.Context, entries []actuator.Entry) error {
	select {
	case <-j.let:
	case <-ctx.Done():
		return ctx.Err()
	}
	return j.journal.Append(ctx, entries)
}

// TestToldWithoutTheJournal: while the journal refuses records, or does not answer, what waits is told all the same, up to a bound; when
// it takes them again it gets each once, and nothing is told twice.
func TestToldWithoutTheJournal(t *testing.T) {
	for _, how := range []string{"refuses", "does not answer"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := &slowJournal{let: make(chan struct{})}
				s := &taker{}
				r := NewRunner(NewQueue([]Rule{{Name: "hook"}}, quick), map[string]Sender{"hook": s}, j, zap.NewNop())
				j.followers = append(j.followers, func(e *actuator.Entry) { r.Apply(e, time.Now()) })
				back := func() { close(j.let) }
				if how == "refuses" {
					close(j.let)
					j.set(true)
					back = func() { j.set(false) }
				}
				for n := range maxOwed + 20 {
					r.Apply(fired(fmt.Sprint(n)), time.Now())
				}
				if err := r.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(appendWait + 3*time.Second)
				if n := s.told(); n < 3 {
					t.Errorf("%d told", n)
				}
				time.Sleep(10 * time.Minute)
				if n := s.told(); n != maxOwed {
					t.Errorf("%d told that no record is of, want %d", n, maxOwed)
				}
				back()
				time.Sleep(5 * time.Minute)
				if err := r.Stop(t.Context()); err != nil {
					t.Error(err)
				}
				told, recorded := map[string]int{}, map[string]int{}
				for _, n := range s.got {
					told[n.Key]++
				}
				for _, b := range j.log {
					e, err := actuator.Decode(b)
					if err != nil {
						t.Fatal(err)
					}
					if d, err := actuator.Read[actuator.Delivered](&e); err == nil && d.Outcome == actuator.OutcomeSent {
						recorded[d.Entries[0]]++
					}
				}
				for n := range maxOwed + 20 {
					if id := fired(fmt.Sprint(n)).ID; told[id] != 1 || recorded[id] != 1 {
						t.Fatalf("%d: told %d times, recorded %d times", n, told[id], recorded[id])
					}
				}
			})
		})
	}
}

// TestOwedIsLogged: while the journal takes nothing a receiver logs that once a minute and no more often, with how much is owed and since
// when, and once that it is over.
func TestOwedIsLogged(t *testing.T) {
	for _, how := range []string{"refuses", "does not answer"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				core, logged := observer.New(zap.InfoLevel)
				j := &slowJournal{let: make(chan struct{})}
				back := func() { close(j.let) }
				if how == "refuses" {
					close(j.let)
					j.set(true)
					back = func() { j.set(false) }
				}
				r := NewRunner(NewQueue([]Rule{{Name: "hook"}}, quick), map[string]Sender{"hook": &taker{}}, j, zap.New(core))
				for n := range maxOwed + 20 {
					r.Apply(fired(fmt.Sprint(n)), time.Now())
				}
				if err := r.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				const minutes = 10
				time.Sleep(minutes * time.Minute)
				warned := logged.FilterLevelExact(zap.WarnLevel).All()
				if len(warned) < minutes-1 || len(warned) > minutes+1 {
					t.Fatalf("%d warnings in %d minutes", len(warned), minutes)
				}
				last := warned[len(warned)-1].ContextMap()
				if last["owed"] != int64(maxOwed) || last["receiver"] != "hook" || last["for"].(time.Duration) < (minutes-2)*time.Minute || last["error"] == "" {
					t.Errorf("%v", last)
				}
				back()
				time.Sleep(time.Minute)
				if over := logged.FilterLevelExact(zap.InfoLevel).Len(); over != 1 {
					t.Errorf("%d times it is said that it is over", over)
				}
				if err := r.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
