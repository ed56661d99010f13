package ingest

import (
	"testing"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
)

func BenchmarkOffer(b *testing.B) {
	l := DefaultLoad()
	d, _ := newLines(&l)
	var buf []byte
	const n = 20000
	vals := make([][]byte, n)
	for i := range vals {
		from := len(buf)
		buf, _ = d.next(buf, start().UnixMilli()+int64(i/100))
		vals[i] = buf[from:len(buf):len(buf)]
	}
	f, _ := l.Fleet()
	fleets := []pipeline.LiveFleet{f}
	ledger, _ := pipeline.NewLedger(fleets)
	ledger.Apply(0, start(), pipeline.Genesis(1))
	view := ledger.View()
	b.Run("decode", func(b *testing.B) {
		dec, _ := record.NewDecoder(f.Record)
		var m record.Message
		var rec record.Record
		i := 0
		for b.Loop() {
			m.Value = vals[i%n]
			dec.DecodeMessage(&m, &rec)
			i++
		}
	})
	b.Run("offer", func(b *testing.B) {
		tick, _ := pipeline.NewTick(pipeline.Instance{1}, fleets, view.Seed, nil)
		tick.Sync(view, l.end().UnixNano())
		p := tick.Assign(pipeline.Topic{ID: pipeline.TopicID{1}, Name: clusterName + "/" + topicName, Partitions: 1}, 0, 0, nil)
		var m record.Message
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			m.Value = vals[i%n]
			if tick.Offer(p, int64(i), &m) != pipeline.Taken {
				b.Fatal("full")
			}
			i++
		}
	})
}
