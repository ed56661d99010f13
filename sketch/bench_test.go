package sketch_test

import (
	"slices"
	"testing"
	"time"

	"firebreak/bench/textbook"
	"firebreak/sketch"
)

// 60 panes of 100,000 records, as the goals have it.
const benchPanes, benchPerPane = 60, 100_000

// keysAndTenants is the window that the goals are stated for: keys and tenants, reads, writes and cost.
func keysAndTenants() sketch.Config {
	cfg := sketch.Default(benchPanes, 0, 0, 1)
	cfg.CallerSlots, cfg.PairSlots, cfg.Spread, cfg.Ahead = 0, 0, 0, 1
	return cfg
}

// everything counts callers, pairs, vshards and distinct keys of tenants and shards too.
func everything() sketch.Config { return sketch.Default(benchPanes, 16, 10_240, 1) }

// feeder gives events of a stream, lap after lap with later panes.
type feeder struct {
	stream *textbook.Stream
	event  sketch.Event
	full   bool // callers, vshards and shards too
	sole   bool // a key has one tenant, and says so
}

func newFeeder(s *textbook.Stream) *feeder {
	f := &feeder{stream: s}
	f.event = sketch.Event{VShard: sketch.None, Shard: sketch.None}
	f.event.Sums = sketch.Sums{Requests: sketch.One, Cost: sketch.One, Variance: sketch.One, Records: sketch.One}
	return f
}

// at gives the i-th event of the stream, in a pane.
func (f *feeder) at(pane, i int) *sketch.Event {
	e := &f.event
	e.Pane, e.Key = int64(pane), f.stream.Key(i)
	tenant := f.stream.TenantID(i)
	e.Tenant, e.SoleTenant = f.stream.TenantName(tenant), f.sole
	e.Sums.Reads, e.Sums.Writes = sketch.One, 0
	if i&3 == 0 {
		e.Sums.Reads, e.Sums.Writes = 0, sketch.One
	}
	if f.full {
		e.VShard = int32(e.Key[19])<<5 | int32(e.Key[18])&31
		e.Shard, e.Caller = e.VShard&15, f.stream.TenantName(tenant%7)
	}
	return e
}

// contender is one way to count.
type contender struct {
	add  func(pane, i int)
	tick func(pane int64)
}

func window(b *testing.B, cfg sketch.Config, f *feeder) (*sketch.Sliding, contender) {
	b.Helper()
	w, err := sketch.NewSliding(cfg)
	if err != nil {
		b.Fatal(err)
	}
	return w, contender{func(pane, i int) { w.Add(f.at(pane, i)) }, w.Slide}
}

// BenchmarkUpdate compares the cost of one record side by side: all contenders count the same panes in turns, and the
// median pane counts. Ticks are left out, as in the goals. ratio is how much faster firebreak is.
func BenchmarkUpdate(b *testing.B) {
	for _, kind := range textbook.Kinds() {
		b.Run(kind.Name, func(b *testing.B) {
			stream := textbook.Draw(kind, benchPanes, benchPerPane, 1)
			plain, sole, full := newFeeder(stream), newFeeder(stream), newFeeder(stream)
			sole.sole, full.full = true, true
			w, ours := window(b, keysAndTenants(), plain)
			_, oursSole := window(b, keysAndTenants(), sole)
			_, oursFull := window(b, everything(), full)
			ring, maps := textbook.NewRing(benchPanes, 1000, textbook.Width), textbook.NewExact(benchPanes)
			all := []contender{
				ours, oursSole, oursFull,
				{func(_, i int) { ring.Add(stream.Key(i), 1) }, func(int64) { ring.Tick() }},
				{func(_, i int) { maps.Add(stream.Key(i), 1) }, func(int64) { maps.Tick() }},
			}
			times := make([][]float64, len(all))
			pane := 0
			for b.Loop() {
				for c := range all {
					times[c] = append(times[c], lap(all[c], pane))
					all[c].tick(int64(pane))
				}
				pane++
			}
			m := make([]float64, len(all))
			for c := range times {
				slices.Sort(times[c])
				m[c] = times[c][len(times[c])/2]
			}
			b.ReportMetric(m[0], "ns/record")
			b.ReportMetric(m[1], "ns/record-sole")
			b.ReportMetric(m[2], "ns/record-all")
			b.ReportMetric(m[3], "ns/textbook")
			b.ReportMetric(m[4], "ns/maps")
			b.ReportMetric(m[3]/m[0], "x-textbook")
			b.ReportMetric(m[4]/m[0], "x-maps")
			b.ReportMetric(float64(w.Bytes())/1024, "KiB")
			b.ReportMetric(float64(ring.Bytes())/1024, "KiB-textbook")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// lap counts one pane and gives the nanoseconds of a record. Panes beyond those of the stream begin it anew.
func lap(c contender, pane int) float64 {
	first := pane % benchPanes * benchPerPane
	from := time.Now()
	for i := first; i < first+benchPerPane; i++ {
		c.add(pane, i)
	}
	return float64(time.Since(from).Nanoseconds()) / benchPerPane
}

// filled is a window after all of a stream.
func filled(b *testing.B, cfg sketch.Config, kind textbook.Kind) (*sketch.Sliding, *feeder) {
	b.Helper()
	f := newFeeder(textbook.Draw(kind, benchPanes, benchPerPane, 1))
	f.full = cfg.PairSlots > 0
	w, c := window(b, cfg, f)
	for pane := range benchPanes {
		lap(c, pane)
		w.Slide(int64(pane))
	}
	return w, f
}

// BenchmarkPaneClose is what the end of a pane costs: its Summary becomes a Part, the Part comes in, the window slides.
func BenchmarkPaneClose(b *testing.B) {
	for name, cfg := range map[string]sketch.Config{"keys-tenants": keysAndTenants(), "all": everything()} {
		b.Run(name, func(b *testing.B) {
			w, f := filled(b, cfg, textbook.Kinds()[0])
			var times []float64
			pane := benchPanes
			for b.Loop() {
				lap(contender{add: func(pane, i int) { w.Add(f.at(pane, i)) }}, pane)
				from := time.Now()
				w.Slide(int64(pane))
				times = append(times, float64(time.Since(from).Nanoseconds())/1000)
				pane++
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "us/close")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkTop100 lists the 100 heaviest keys and tenants of 60 panes with all their cells and bounds.
func BenchmarkTop100(b *testing.B) {
	w, _ := filled(b, keysAndTenants(), textbook.Kinds()[0])
	for b.Loop() {
		w.Window(100)
	}
}

// BenchmarkLeaders100 lists the 100 heaviest keys and tenants with their estimates.
func BenchmarkLeaders100(b *testing.B) {
	w, _ := filled(b, keysAndTenants(), textbook.Kinds()[0])
	for b.Loop() {
		w.Leaders(100)
	}
}

// BenchmarkAsk asks for one key that no pane lists.
func BenchmarkAsk(b *testing.B) {
	w, _ := filled(b, keysAndTenants(), textbook.Kinds()[0])
	for b.Loop() {
		w.Ask([]byte("key:a key that never came"))
	}
}

// BenchmarkMerge8 adds the Parts of 8 instances to a pane; wire reads them from bytes first.
func BenchmarkMerge8(b *testing.B) {
	f := newFeeder(textbook.Draw(textbook.Kinds()[0], 1, 8*benchPerPane, 1))
	parts, data := make([]sketch.Part, 8), make([][]byte, 8)
	bytes := 0
	for i := range parts {
		s := sketch.NewSummary(keysAndTenants())
		for j := range benchPerPane {
			s.Add(f.at(0, i*benchPerPane+j))
		}
		s.Part(&parts[i])
		var err error
		if data[i], err = parts[i].Append(nil, sketch.MaxPart); err != nil {
			b.Fatal(err)
		}
		bytes += len(data[i])
	}
	run := func(b *testing.B, wire bool) {
		b.Helper()
		w, err := sketch.NewSliding(keysAndTenants())
		if err != nil {
			b.Fatal(err)
		}
		pane := int64(0)
		for b.Loop() {
			pane++
			for i := range parts {
				if wire {
					if err := parts[i].Decode(data[i], 1); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Accept(pane, &parts[i]); err != nil {
					b.Fatal(err)
				}
			}
			w.Slide(pane)
		}
		b.ReportMetric(float64(bytes)/8/1024, "KiB/part")
	}
	b.Run("memory", func(b *testing.B) { run(b, false) })
	b.Run("wire", func(b *testing.B) { run(b, true) })
}

// BenchmarkTwoGoroutines counts with one Summary on one core, and with two on two: speedup should be near 2.
func BenchmarkTwoGoroutines(b *testing.B) {
	stream := textbook.Draw(textbook.Kinds()[0], 1, 10*benchPerPane, 1)
	sums := []*sketch.Summary{sketch.NewSummary(keysAndTenants()), sketch.NewSummary(keysAndTenants())}
	count := func(n int) time.Duration {
		from := time.Now()
		done := make(chan bool)
		for _, s := range sums[:n] {
			go func() {
				f := newFeeder(stream)
				for i := range stream.Len() {
					s.Add(f.at(0, i))
				}
				s.Reset()
				done <- true
			}()
		}
		for range n {
			<-done
		}
		return time.Since(from)
	}
	var ratios []float64
	for b.Loop() {
		one := count(1)
		ratios = append(ratios, 2*float64(one)/float64(count(2)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-speedup")
}
