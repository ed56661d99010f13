package health

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"firebreak/policy"
)

func nop() *zap.Logger { return zap.NewNop() }

func half() float64 { return 0.5 }

// scripted is a source that answers as it is told.
type scripted struct {
	mu    sync.Mutex
	asked []time.Time
	takes time.Duration
	says  []Result
}

func (s *scripted) ask(ctx context.Context) []Result {
	s.mu.Lock()
	s.asked = append(s.asked, time.Now())
	says, takes := s.says, s.takes
	s.mu.Unlock()
	timer := time.NewTimer(takes)
	defer timer.Stop()
	select {
	case <-timer.C:
		return says
	case <-ctx.Done():
		return []Result{{Metric: policy.MetricStorage, Err: ctx.Err()}}
	}
}

func (s *scripted) say(results ...Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.says = results
}

func (s *scripted) at() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// storage is an answer with readings of shards a, b, ...
func storage(values ...float64) Result {
	r := Result{Metric: policy.MetricStorage}
	for i, v := range values {
		r.Readings = append(r.Readings, policy.Reading{Shard: string(rune('a' + i)), Metric: policy.MetricStorage, Value: v})
	}
	return r
}

func failed(m policy.Metric) Result { return Result{Metric: m, Err: errors.New("refused")} }

// fleetOf is a fleet of scripted sources, which runs until the test ends. log may be nil.
func fleetOf(t *testing.T, shards []string, metrics []policy.Metric, log *zap.Logger, sources ...*scripted) *Fleet {
	t.Helper()
	if log == nil {
		log = nop()
	}
	f := &Fleet{shards: shards, metrics: metrics}
	for i, s := range sources {
		f.sources = append(f.sources, &source{name: fmt.Sprintf("s%d", i), asker: s, every: time.Minute, timeout: 10 * time.Second, log: log})
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		f.Run(ctx, half)
		close(ended)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return f
}

func (f *Fleet) look(t *testing.T, what string, values string, unread ...policy.Unread) {
	t.Helper()
	readings, missing := f.Readings(time.Now())
	got := ""
	for _, r := range readings {
		got += fmt.Sprintf("%s %s %v; ", r.Shard, r.Metric, r.Value)
	}
	if got != values {
		t.Errorf("%s: readings %q, want %q", what, got, values)
	}
	if diff := cmp.Diff(unread, missing); diff != "" {
		t.Errorf("%s: unread (-want +got):\n%s", what, diff)
	}
}

// TestReadings: what a source gave counts for three minutes after it; then, and before it gave anything, it is unread, which is said of
// a shard or of the metric as a whole.
func TestReadings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{says: []Result{storage(0.5, 0.6)}}
		f := fleetOf(t, []string{"a", "b", "c"}, []policy.Metric{policy.MetricStorage}, nil, s)
		all, c := policy.Unread{Metric: policy.MetricStorage}, policy.Unread{Shard: "c", Metric: policy.MetricStorage}
		f.look(t, "before the first answer", "", all)
		time.Sleep(soon)
		f.look(t, "after it", "a storage 0.5; b storage 0.6; ", c)
		s.say(storage(0.7))
		time.Sleep(time.Minute)
		f.look(t, "b is not said any more, and its last one counts", "a storage 0.7; b storage 0.6; ", c)
		time.Sleep(2 * time.Minute)
		f.look(t, "b is too old", "a storage 0.7; ", policy.Unread{Shard: "b", Metric: policy.MetricStorage}, c)
		s.say(failed(policy.MetricStorage))
		time.Sleep(2 * time.Minute)
		f.look(t, "the source fails for a while", "a storage 0.7; ", policy.Unread{Shard: "b", Metric: policy.MetricStorage}, c)
		time.Sleep(2 * time.Minute)
		f.look(t, "and for long", "", all)
		s.say(storage(0.1, 0.2, 0.3))
		time.Sleep(90 * time.Second)
		f.look(t, "it is back", "a storage 0.1; b storage 0.2; c storage 0.3; ")
		for moment, known := range map[time.Duration]int{-2 * time.Minute: 0, 10 * time.Minute: 0, 0: 3} {
			if readings, missing := f.Readings(time.Now().Add(moment)); len(readings) != known || (len(missing) == 0) != (known > 0) {
				t.Errorf("judged %v from now: %v, %v: a moment long ago or ahead has other readings than ours", moment, readings, missing)
			}
		}
	})
}

// TestLogNamesShards: where the fleet's shards are not known those are missed that were read before.
func TestLogNamesShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{says: []Result{storage(0.5, 0.6)}}
		f := fleetOf(t, nil, []policy.Metric{policy.MetricStorage}, nil, s)
		time.Sleep(soon)
		f.look(t, "both", "a storage 0.5; b storage 0.6; ")
		s.say(storage(0.5))
		time.Sleep(5 * time.Minute)
		f.look(t, "one is gone", "a storage 0.5; ", policy.Unread{Shard: "b", Metric: policy.MetricStorage})
		time.Sleep(forget)
		f.look(t, "for long", "a storage 0.5; ")
	})
}

// TestHighestCounts: of several readings of one thing, in one source or in two; a lower one of later replaces its own source's.
func TestHighestCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		twice := storage(0.5)
		twice.Readings = append(twice.Readings, policy.Reading{Shard: "a", Metric: policy.MetricStorage, Value: 0.4})
		one, two := &scripted{says: []Result{twice}}, &scripted{says: []Result{storage(0.3)}}
		f := fleetOf(t, []string{"a"}, []policy.Metric{policy.MetricStorage}, nil, one, two)
		time.Sleep(soon)
		f.look(t, "within one", "a storage 0.5; ")
		two.say(storage(0.9))
		time.Sleep(time.Minute)
		f.look(t, "of two", "a storage 0.9; ")
		two.say(storage(0.1))
		time.Sleep(time.Minute)
		f.look(t, "it fell", "a storage 0.5; ")
	})
}

// TestPartial: a query that fails takes nothing from the others, and the reading counts as failed.
func TestPartial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{says: []Result{storage(0.5), failed(policy.MetricPool)}}
		f := fleetOf(t, []string{"a"}, []policy.Metric{policy.MetricPool, policy.MetricStorage}, nil, s)
		time.Sleep(soon)
		f.look(t, "one of two", "a storage 0.5; ", policy.Unread{Metric: policy.MetricPool})
		if st := f.Stats(time.Now())[0]; st.Failed != 1 || st.Answered != 0 || st.Known != 1 || !st.Whole.IsZero() || st.Source != "s0" {
			t.Errorf("stats %+v", st)
		}
		s.say(storage(0.5))
		time.Sleep(time.Minute)
		if st := f.Stats(time.Now())[0]; st.Answered < 1 || st.Whole.IsZero() || st.Unread != 0 {
			t.Errorf("stats %+v", st)
		}
	})
}

// TestPace: once a minute while it answers; after failures sooner, and less and less, never more often than every 4 s; the log says so
// at the first, every ten minutes, and once it is over.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zapcore.InfoLevel)
		s := &scripted{says: []Result{storage(0.5)}}
		f := fleetOf(t, nil, nil, zap.New(core), s)
		time.Sleep(10 * time.Minute)
		if n := len(s.at()); n < 9 || n > 11 {
			t.Errorf("%d readings in ten minutes", n)
		}
		s.say(failed(policy.MetricStorage), failed(policy.MetricStorage))
		from := len(s.at())
		time.Sleep(25 * time.Minute)
		at := s.at()[from:]
		var gaps []time.Duration
		for i := range at[1:] {
			gaps = append(gaps, at[i+1].Sub(at[i]).Round(time.Second))
		}
		want := []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute, time.Minute}
		if diff := cmp.Diff(want, gaps[:len(want)]); diff != "" {
			t.Errorf("gaps (-want +got):\n%s", diff)
		}
		s.say(storage(0.5))
		time.Sleep(3 * time.Minute)
		if n := logs.FilterMessageSnippet("cannot be read").Len(); n != 3 {
			t.Errorf("said %d times in 25 minutes", n)
		}
		if n := logs.FilterMessageSnippet("read again").Len(); n != 1 {
			t.Errorf("said %d times that it is over", n)
		}
		if st := f.Stats(time.Now())[0]; st.Failed < 20 || st.Known != 1 {
			t.Errorf("stats %+v", st)
		}
	})
}

// TestSpread: waits differ by chance, by a tenth at most.
func TestSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{says: []Result{storage(0.5)}}
		one := &source{asker: s, every: time.Minute, timeout: time.Second, log: nop()}
		ctx, stop := context.WithCancel(t.Context())
		n := 0.0
		go one.run(ctx, func() float64 { n += 0.381; return n - float64(int(n)) })
		time.Sleep(time.Hour)
		stop()
		synctest.Wait()
		gaps := map[time.Duration]bool{}
		at := s.at()
		for i := range at[1:] {
			gap := at[i+1].Sub(at[i])
			if gaps[gap] = true; gap < 54*time.Second || gap > 66*time.Second {
				t.Errorf("a gap of %v", gap)
			}
		}
		if len(gaps) < 10 {
			t.Errorf("%d different gaps of %d", len(gaps), len(at))
		}
	})
}

// TestSlowSource: a source that does not answer is given up after its time, and holds up neither another one nor who asks what is known.
func TestSlowSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := &scripted{takes: time.Hour}, &scripted{says: []Result{storage(0.5)}}
		f := fleetOf(t, nil, []policy.Metric{policy.MetricStorage}, nil, slow, quick)
		time.Sleep(soon)
		before := time.Now()
		f.look(t, "beside a slow one", "a storage 0.5; ")
		if took := time.Since(before); took > 0 {
			t.Errorf("who asks waits %v", took)
		}
		time.Sleep(10 * time.Second)
		if st := f.Stats(time.Now())[0]; st.Failed != 1 {
			t.Errorf("the slow one: %+v", st)
		}
	})
}
