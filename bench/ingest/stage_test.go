package ingest

import (
	"context"
	"strings"
	"testing"
	"time"
)

// filled is a broker that holds a load.
func filled(t *testing.T, load Load) (b *Broker, weight float64) {
	t.Helper()
	b, err := NewBroker(load)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	weight, err = b.Fill(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b, weight
}

// TestStages: every stage reads every record once, and what it stands for. The log has 30 s, so that ticks, windows and
// panes begin and end within it, and a number of records that fills no last batch.
func TestStages(t *testing.T) {
	load := smallLoad()
	load.Records -= 7
	b, weight := filled(t, load)
	if weight <= float64(load.Records) {
		t.Fatalf("weights add up to %v of %d records", weight, load.Records)
	}
	draw, err := newLines(&load)
	if err != nil {
		t.Fatal(err)
	}
	type windowed struct {
		window int64
		key    string
	}
	distinct := map[windowed]bool{}
	for i := range load.Records {
		at := start().UnixMilli() + int64(i)*1000/int64(load.Rate)
		_, row := draw.next(nil, at)
		distinct[windowed{at / 10_000, row.Key}] = true
	}
	for _, s := range Stages() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r, err := Read(ctx, s, b.Addr(), load)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if r.Records != int64(load.Records) || s != Fetch && r.Weight != weight {
			t.Errorf("%s: %d records that stand for %v, want %d and %v", s, r.Records, r.Weight, load.Records, weight)
		}
		if r.CPU <= 0 || r.Wall <= 0 {
			t.Errorf("%s: took %v of CPU, %v in all", s, r.CPU, r.Wall)
		}
		if s == All && (r.Deltas == 0 || r.Bytes == 0 || r.Judged == 0) {
			t.Errorf("all: %d deltas of %d bytes, %d decisions", r.Deltas, r.Bytes, r.Judged)
		}
		if s == Plain && r.Distinct != len(distinct) {
			t.Errorf("plain: %d keys by window, want %d", r.Distinct, len(distinct))
		}
	}
}

// TestReadRefuses: a stage that there is not, a broker that there is not.
func TestReadRefuses(t *testing.T) {
	if _, err := Read(t.Context(), "nothing", "127.0.0.1:1", smallLoad()); err == nil || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	for _, s := range Stages() {
		if r, err := Read(ctx, s, "127.0.0.1:1", smallLoad()); err == nil {
			t.Errorf("%s reads %d records of nobody", s, r.Records)
		}
	}
}

// TestFeed: batches at the rate, none of them cut.
func TestFeed(t *testing.T) {
	load := smallLoad()
	load.Rate, load.Batch = 5_000, 100
	b, err := NewBroker(load)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := b.Feed(ctx); err != nil {
		t.Fatal(err)
	}
	if b.written == 0 || b.written%load.Batch != 0 || b.written > load.Rate {
		t.Errorf("%d records in half a second at %d a second, by %d", b.written, load.Rate, load.Batch)
	}
}

// TestUsage: work takes CPU time and memory.
func TestUsage(t *testing.T) {
	before, err := cpuTime()
	if err != nil {
		t.Skip(err)
	}
	sum := 0
	for began := time.Now(); time.Since(began) < 50*time.Millisecond; {
		sum++
	}
	after, err := cpuTime()
	if err != nil || after <= before || sum == 0 {
		t.Errorf("CPU time from %v to %v, %v", before, after, err)
	}
	if r := resident(); r != 0 && r < 1<<20 {
		t.Errorf("%d bytes resident", r)
	}
}
