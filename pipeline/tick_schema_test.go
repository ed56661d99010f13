package pipeline

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/pipeline/record"
)

// pupils is a Schemas whose answers a test gives, by id; no answer is pending.
type pupils struct {
	kind    map[uint32]string
	err     map[uint32]error
	asked   int
	useless []string
}

func (p *pupils) Schema(_ context.Context, id uint32) (kind, text string, err error) {
	p.asked++
	if err := p.err[id]; err != nil {
		return "", "", err
	}
	if kind, ok := p.kind[id]; ok {
		return kind, "{}", nil
	}
	return "", "", record.ErrPending
}

func (p *pupils) Useless(err error) { p.useless = append(p.useless, err.Error()) }

// TestTickLearns: a record whose schema is pending is not taken, and nothing of it is counted; then it is counted, or refused for a
// reason of its own. The other fleet of the topic counts all that is taken, and keeps its coverage.
func TestTickLearns(t *testing.T) {
	reads, other := shortFleet(t, "main/requests"), shortFleet(t, "main/requests")
	reads.Record = record.Config{Preset: "canonical", Format: "confluent"}
	other.Fleet, other.Record = "other", record.Config{Format: "none", Fields: record.Fields{Key: record.Field{Path: "@key"}, Time: record.Field{Path: "@time"}}}
	r := newRig(t, reads, other)
	c := r.teller()
	from := &pupils{kind: map[uint32]string{}, err: map[uint32]error{}}
	c.tick.Learn(from)
	p := c.take(requestLog(1), 0, 0)
	offer := func(id byte) Offered {
		value := fmt.Appendf([]byte{0, 0, 0, 0, id}, `{"ts_ms":%d,"key":"k"}`, r.now.UnixMilli())
		return c.tick.Offer(p, p.To(), &record.Message{Key: []byte("k"), Value: value, Time: r.now.UnixNano()})
	}
	for range 3 {
		if got := offer(7); got != Pending || p.To() != 0 || c.tick.dirty {
			t.Fatalf("%v, counted to %d, dirty: %v; want pending", got, p.To(), c.tick.dirty)
		}
	}
	from.kind[7] = "JSON"
	from.kind[10] = "TOML"
	from.err[8], from.err[9] = record.ErrUnasked, errors.New("the registry has none")
	for s := range 40 {
		r.to(float64(s))
		for _, id := range []byte{7, 8, 7, 9, 7, 10} {
			if got := offer(id); got != Taken {
				t.Fatalf("schema %d: %v, want taken", id, got)
			}
		}
		accepted(t, c.send())
	}
	want := map[record.Reason]uint64{record.ReasonNone: 120, record.ReasonNoSchema: 40, record.ReasonSchema: 80}
	got := map[record.Reason]uint64{}
	c.tick.Stats(func(fleet string, stats *Stats, refused []uint64) {
		for reason, n := range refused {
			if n > 0 && fleet != "other" {
				got[record.Reason(reason)] = n
			}
		}
		if records := map[string]uint64{"other": 240}[fleet]; records > 0 && stats.Counted != records {
			t.Errorf("the other fleet counted %d, want %d", stats.Counted, records)
		}
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if len(from.useless) != 1 || from.asked > 3+2*40+4 {
		t.Errorf("asked %d times; told as useless: %q, want schema 10 once", from.asked, from.useless)
	}
	for i, want := range []float64{0.5, 1} {
		if got := r.live.ledger.fleets[i].coverage(); got != want {
			t.Errorf("coverage of fleet %d is %v, want %v", i, got, want)
		}
	}
}

// TestTickLearnsNothing: without anybody to ask, records that want a schema are refused as such.
func TestTickLearnsNothing(t *testing.T) {
	f := shortFleet(t, "main/requests")
	f.Record = record.Config{Preset: "canonical", Format: "confluent"}
	c := newRig(t, f).teller()
	p := c.take(requestLog(1), 0, 0)
	if got := c.tick.Offer(p, 0, &record.Message{Value: []byte("\x00\x00\x00\x00\x07{}")}); got != Taken || c.tick.fleets[0].refused[record.ReasonSchema] != 1 {
		t.Errorf("%v, refused %v", got, c.tick.fleets[0].refused)
	}
}
