package closedloop_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"firebreak/internal/closedloop"
)

var (
	seeds = flag.Int("seeds", 100, "fleets of the closed loop")
	from  = flag.Uint64("from", 1, "the first seed")
	day   = flag.Bool("day", false, "watch every fleet for a day more, and not each tenth")
	days  = flag.Int("days", 1, "days of benign patterns for each fleet")
)

const (
	onset  = 10 * time.Minute
	relief = 30 * time.Minute
	cool   = 0.80 // of its capacity
)

// ran is what became of one fleet.
type ran struct {
	fleet   *closedloop.Fleet
	minimum closedloop.Answer // with the one after the spike in it
	spiked  bool
	hottest float64       // once the time for relief is over, share of capacity
	relief  time.Duration // until it was cool for good, since the onset or the spike
	begun   int
	again   []closedloop.Moved
	text    string
}

// options draws what happens to the fleet of a seed.
func options(seed uint64) closedloop.Options {
	r := rand.New(rand.NewPCG(seed, 9))
	o := closedloop.Options{Onset: onset, Delay: time.Duration(r.IntN(61)) * closedloop.Pane, Lags: r.IntN(2) == 0, Away: r.IntN(4) == 0}
	if r.IntN(2) == 0 {
		o.Fails = 0.2
	}
	if r.IntN(4) == 0 {
		o.Spike = time.Duration(1+r.IntN(300)) * time.Second
	}
	return o
}

func run(seed uint64) (*ran, error) {
	f, err := closedloop.Draw(seed)
	if err != nil {
		return nil, err
	}
	out := &ran{fleet: f}
	if out.minimum, err = f.Minimum(f.Table.Document(), false); err != nil || !out.minimum.Found {
		return out, err
	}
	o := options(seed)
	l, err := closedloop.New(f, o)
	if err != nil {
		return nil, err
	}
	long, began := 2*time.Hour, onset
	if *day || seed%10 == 0 {
		long += 24 * time.Hour
	}
	for l.Since() < long {
		if err := l.Step(); err != nil {
			return nil, fmt.Errorf("seed %d after %s: %w", seed, l.Since(), err)
		}
		if l.Spiked > 0 && !out.spiked {
			out.spiked, began, out.hottest = true, l.Spiked, 0
			more, err := f.Minimum(l.AtSpike, true)
			if err != nil {
				return nil, err
			}
			if out.minimum.Operations += more.Operations + 1; !more.Found {
				out.minimum.Found = false
				return out, nil
			}
		}
		out.look(l, began)
	}
	out.finish(l, o)
	return out, nil
}

// look keeps how hot the hottest shard is.
func (r *ran) look(l *closedloop.Loop, began time.Duration) {
	hot := slices.Max(l.Served())
	since := l.Since() - began
	if since > 0 && hot > cool {
		r.relief = since
	}
	if since > relief {
		r.hottest = max(r.hottest, hot)
	}
}

func (r *ran) finish(l *closedloop.Loop, o closedloop.Options) {
	r.begun = len(l.Began)
	seen := map[closedloop.Moved]time.Duration{}
	for _, m := range l.Moved {
		home := closedloop.Moved{VShard: m.VShard, From: m.To}
		if left, ok := seen[home]; ok && !m.Back && m.At-left < 24*time.Hour {
			r.again = append(r.again, m)
		}
		seen[closedloop.Moved{VShard: m.VShard, From: m.From}] = m.At
	}
	f := r.fleet
	r.text = fmt.Sprintf("seed %d, %s, %d+%d shards, %d virtual, delay %s, lags %v, away %v, fails %v, spike at %s: begun %d, at least %d; hottest %.2f, relief %s; holds %v",
		f.Seed, f.Kind, f.Serving, f.Spares, f.Table.VShards(), o.Delay, o.Lags, o.Away, o.Fails, l.Spiked, r.begun, r.minimum.Operations, r.hottest, r.relief, l.Holds)
}

// each runs a function for every seed, on all cores.
func each(t *testing.T, do func(seed uint64) error) {
	t.Helper()
	var wg sync.WaitGroup
	next := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := range next {
				if err := do(seed); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range *seeds {
		next <- *from + uint64(i)
	}
	close(next)
	wg.Wait()
}

// TestLoop compares, for every fleet in which [closedloop.Fleet.Minimum] finds a way to get every shard to its target (63 % of its capacity,
// see there) on the exact loads, in three operations at most, what became of it. From 30 virtual minutes after the onset on (after the spike, where one came in mid-move) no shard
// serves more than 80 % of its capacity; no virtual shard is back within 24 h on a shard that it left, unless its operation was
// taken back because it was worse on the loads of after a spike; and no more operations begin than that
// minimum and one (with a spike: the minimum before it and one, and the minimum from the document as it stood then, and one). Fleets in which
// trying all finds nothing are not run. No virtual shard may be back; of the rest 2 in 100 fleets may miss, and are shown.
func TestLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute")
	}
	var mu sync.Mutex
	var delays []time.Duration
	feasible, spiked, misses := 0, 0, 0
	each(t, func(seed uint64) error {
		r, err := run(seed)
		if err != nil || !r.minimum.Found {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		feasible++
		if r.spiked {
			spiked++
		}
		delays = append(delays, r.relief)
		if len(r.again) > 0 {
			return fmt.Errorf("%s; back again: %v", r.text, r.again)
		}
		if r.hottest > cool || r.begun > r.minimum.Operations+1 {
			misses++
			t.Log(r.text)
		}
		return nil
	})
	if misses > feasible*2/100 {
		t.Errorf("%d of %d are too hot, or took too many operations", misses, feasible)
	}
	if feasible < *seeds/4 {
		t.Fatalf("%d of %d fleets can be cooled: too few to say anything", feasible, *seeds)
	}
	slices.Sort(delays)
	t.Logf("%d of %d fleets can be cooled, %d had a spike in mid-move; %d missed; relief p50 %s, p99 %s", feasible, *seeds, spiked, misses, delays[len(delays)/2], delays[len(delays)*99/100])
}

// TestNobodyIsNeeded: fleets that stood hot for hours for want of a person. Of two the first plan takes a virtual shard that by then, or
// after its load has grown, is more than one operation may move, while lighter ones do; of one the other shards have room, and for none of
// its virtual shards, and a spare one stands by.
func TestNobodyIsNeeded(t *testing.T) {
	for _, seed := range []uint64{328, 714, 786} {
		r, err := run(seed)
		if err != nil {
			t.Fatal(err)
		}
		if !r.minimum.Found || r.hottest > cool || r.begun > r.minimum.Operations+1 {
			t.Errorf("seed %d: %s", seed, r.text)
		}
	}
}
