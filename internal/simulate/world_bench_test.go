package simulate

import (
	"testing"
	"time"
)

// BenchmarkStep is the cost of a line, in the calm and with a hot key.
func BenchmarkStep(b *testing.B) {
	for name, at := range map[string]time.Duration{"calm": 0, "hot_key": lead} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, Default())
			from := w.cfg.Start.Add(at)
			lines, bytes := 0, 0
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				for j := range 10 {
					start := from.Add(time.Duration(i%6*10+j) * time.Second)
					step := w.Step(start, start.Add(time.Second))
					lines += len(step)
					bytes += len(step[0].Value)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(lines), "ns/line")
			b.ReportMetric(float64(bytes)/float64(10*b.N), "bytes/line")
		})
	}
}
