package sketch_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"firebreak/bench/textbook"
	"firebreak/sketch"
)

// thinLog is a log of 20 records a second from 400 keys of 60 tenants on 16 shards.
type thinLog struct {
	keys, tenants [][]byte
	event         sketch.Event
	random        *rand.Rand
}

const thinPanes, thinPerPane = 30, 200

func newThinLog() *thinLog {
	l := &thinLog{random: rand.New(rand.NewPCG(1, 2))}
	for i := range 2 * thinPerPane {
		l.keys = append(l.keys, fmt.Appendf(nil, "user:%06d:profile", i))
		l.tenants = append(l.tenants, fmt.Appendf(nil, "tenant-%04d", i%60))
	}
	l.event.Caller = []byte("checkout")
	l.event.Sums = sketch.Sums{Requests: sketch.One, Cost: sketch.One, Variance: sketch.One, Records: sketch.One, Reads: sketch.One}
	return l
}

// pane counts the records of one pane.
func (l *thinLog) pane(w *sketch.Sliding, pane int) {
	for range thinPerPane {
		i := l.random.IntN(len(l.keys))
		e := &l.event
		e.Pane, e.Key, e.Tenant = int64(pane), l.keys[i], l.tenants[i]
		e.VShard = int32(i * 25)
		e.Shard = e.VShard & 15
		w.Add(e)
	}
}

// turns measures what the end of a pane costs once the window is full: its close and the slide, and the list of the n
// heaviest. Medians, and the fastest, which the neighbours' work disturbs least.
func turns(b *testing.B, w *sketch.Sliding, panes, n int, count func(pane int)) {
	b.Helper()
	for pane := range panes {
		count(pane)
		w.Slide(int64(pane))
		w.Window(n)
	}
	var slides, windows []float64
	for b.Loop() {
		count(panes)
		from := time.Now()
		w.Slide(int64(panes))
		slid := time.Now()
		w.Window(n)
		windows = append(windows, float64(time.Since(slid).Nanoseconds())/1000)
		slides = append(slides, float64(slid.Sub(from).Nanoseconds())/1000)
		panes++
	}
	slices.Sort(slides)
	slices.Sort(windows)
	b.ReportMetric(slides[len(slides)/2], "us/slide")
	b.ReportMetric(slides[0], "us/slide-least")
	b.ReportMetric(windows[len(windows)/2], "us/window")
	b.ReportMetric(windows[0], "us/window-least")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkTurn is the end of a pane on a thin log, whose window answers with all that it holds, and on a busy one.
func BenchmarkTurn(b *testing.B) {
	b.Run("thin", func(b *testing.B) {
		w, err := sketch.NewSliding(sketch.Default(thinPanes, 16, 10_240, 1))
		if err != nil {
			b.Fatal(err)
		}
		log := newThinLog()
		turns(b, w, thinPanes, 512, func(pane int) { log.pane(w, pane) })
	})
	stream := textbook.Draw(textbook.Kinds()[0], benchPanes, benchPerPane, 1)
	busy := func(name string, cfg sketch.Config, n int) {
		b.Run(name, func(b *testing.B) {
			w, err := sketch.NewSliding(cfg)
			if err != nil {
				b.Fatal(err)
			}
			f := newFeeder(stream)
			f.full = cfg.PairSlots > 0
			turns(b, w, cfg.Panes, n, func(pane int) { lap(contender{add: func(pane, i int) { w.Add(f.at(pane, i)) }}, pane) })
		})
	}
	busy("busy-top100", keysAndTenants(), 100)
	busy("busy-all-top512", everything(), 512)
}
