package closedloop_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"firebreak/internal/closedloop"
	"firebreak/policy"
)

// TestBenign: days of what is no reason to act, in mode auto, every pane judged. A daily swing of 60 %, a batch of three hours in the night
// after Sunday, a launch on one virtual shard that stays under the line, an hour in which a tenth of the log is missing, a log that stands
// still for ten minutes, and half an hour in which one shard has a part of another's load. No operation begins.
func TestBenign(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds a day")
	}
	for seed := uint64(1); seed <= 4; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			f, err := closedloop.Draw(seed)
			if err != nil {
				t.Fatal(err)
			}
			peak := peak(f)
			o := closedloop.Options{
				Lags: true, Fails: 0.05, Blind: gaps,
				Factor: func(since time.Duration, stream int) float64 { return 0.66 / peak * pattern(f, since, stream) },
			}
			l, err := closedloop.New(f, o)
			if err != nil {
				t.Fatal(err)
			}
			hottest := 0.0
			for l.Since() < time.Duration(*days)*24*time.Hour {
				if err := l.Step(); err != nil {
					t.Fatal(err)
				}
				for _, served := range l.Served() {
					hottest = max(hottest, served)
				}
			}
			if len(l.Began) > 0 {
				t.Errorf("%d operations began: %+v", len(l.Began), l.Began[0])
			}
			if hottest < 0.6 {
				t.Errorf("the hottest shard was at %.2f: nothing that could be taken for a hotspot", hottest)
			}
			t.Logf("%d days, hottest %.2f, %d verdicts", *days, hottest, l.Told)
		})
	}
}

// peak is the load of the fullest shard at the height of everything, in capacities.
func peak(f *closedloop.Fleet) float64 {
	most := 0.0
	for hour := range 24 * 7 {
		loads := make([]float64, f.Table.Shards())
		for i := range f.Streams {
			s := &f.Streams[i]
			loads[f.Table.Owner(s.VShard)] += s.Before * pattern(f, time.Duration(hour)*time.Hour+30*time.Minute, i) / f.Capacity
		}
		for _, load := range loads {
			most = max(most, load)
		}
	}
	return most
}

// pattern is what a stream is asked for, of its load.
func pattern(f *closedloop.Fleet, since time.Duration, stream int) float64 {
	hour := since.Hours()
	of := 1 - 0.3*math.Cos(2*math.Pi*(hour-3)/24)
	shard := int(f.Table.Owner(f.Streams[stream].VShard))
	if at := math.Mod(hour, 24*7); at >= 1 && at < 4 {
		of *= 1.5
	}
	if day := math.Mod(hour, 24); day >= 15 && day < 17 && f.Streams[stream].VShard == 0 {
		of *= 1.4
	} else if day >= 9 && day < 9.5 && shard == 1 {
		of *= 1.3 // a shard's replica is away
	}
	return of
}

// gaps are what the log lacks.
func gaps(since time.Duration, in *policy.Inputs) {
	switch hour := math.Mod(since.Hours(), 24); {
	case hour >= 5 && hour < 6:
		in.Coverage = 0.9
	case hour >= 12 && hour < 12+1.0/6:
		in.Lag = 5 * time.Minute
	}
}
