//go:build kafka && linux

package crash

import (
	"flag"
	"strings"
	"testing"
	"time"
)

var soakFlag = flag.Duration("soak", 0, "length of the soak; 0 = none")

// soakConfig is fleetConfig with a window of as many panes as the default one has, which is full after a minute: until then
// memory grows by what is in it.
func soakConfig() string {
	return strings.NewReplacer("pane: 1s", "pane: 2s", "window: 3m", "window: 1m").Replace(fleetConfig)
}

// TestSoak: the memory of no instance grows. The first fifth of the run is left out: the window and buffers fill, and code is
// paged in.
func TestSoak(t *testing.T) {
	if *soakFlag == 0 {
		t.Skip("takes as long as -soak says; 0 = none")
	}
	const (
		most  = 0.01 // of the mean
		every = 5 * time.Second
	)
	if *soakFlag < 10*time.Minute {
		t.Fatal("want a soak of 10 minutes or more")
	}
	left := *soakFlag / 5
	binary := buildBinary(t)
	g := newGroup(t, soakConfig(), partsBefore)
	w := newWriter(t, 7, *rateFlag, partsBefore, g.fleet().Pane, g.broker.Addr())
	stop := w.background(t.Context())
	g.begin(binary, 3)
	g.await(time.Minute)
	begun := time.Now()
	memory := make([]Series, len(g.instances))
	for at := time.Duration(0); at <= *soakFlag; at += every {
		time.Sleep(time.Until(begun.Add(at)))
		for n, in := range g.instances {
			bytes, err := in.resident()
			if err != nil {
				t.Fatal(err)
			}
			memory[n].Add(at, float64(bytes))
		}
	}
	for n, in := range g.instances {
		used, err := in.cpu()
		if err != nil {
			t.Fatal(err)
		}
		s := memory[n].Since(left)
		t.Logf("process %d: resident %.1f MiB on average over the last %v (least %.1f, most %.1f), slope %+.2f %% of it; %.1f %% of a core",
			n, s.Mean()/(1<<20), *soakFlag-left, s.Least()/(1<<20), s.Most()/(1<<20), 100*s.Slope(), 100*used.Seconds()/time.Since(begun).Seconds())
		t.Logf("process %d: all of it: %v", n, memory[n])
		if s.Slope() >= most {
			t.Errorf("process %d grows by %.2f %% over the last %v", n, 100*s.Slope(), *soakFlag-left)
		}
	}
	stop()
	exact(t, "soak", g, w.tally)
}
