package sketch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/axiomhq/hyperloglog"
	"github.com/google/go-cmp/cmp"
)

// TestRegistersAreTheLibrarys: register by register what hyperloglog.Sketch.InsertHash makes of the same hashes, and of the
// union.
func TestRegistersAreTheLibrarys(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for _, bits := range []uint8{eachBits, wholeBits} {
		ours, other := make(registers, 1<<bits), make(registers, 1<<bits)
		theirs, err := hyperloglog.NewSketch(bits, false)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20_000 {
			h := random.Uint64() >> (i % 50)
			if i%2 == 0 {
				ours.insert(h)
			} else {
				other.insert(h)
			}
			theirs.InsertHash(h)
		}
		mergeRegisters(ours, other)
		data, err := theirs.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(data[8:], []byte(ours)); diff != "" {
			t.Errorf("%d bits (-library +ours):\n%s", bits, diff)
		}
		if got, want := ours.estimate(), theirs.Estimate(); got != want {
			t.Errorf("%d bits: estimate %d, want %d", bits, got, want)
		}
	}
}

// TestDistinctEstimate: within four standard errors once not all names are listed; exact as long as they are.
func TestDistinctEstimate(t *testing.T) {
	cfg := Default(4, 8, 64, 2)
	for _, n := range []int{1, 10, 400, 5_000, 200_000} {
		s := newSliding(t, cfg)
		for i := range n {
			e := event(int64(i%4), fmt.Sprint("key-", i), One)
			e.Tenant, e.Caller, e.Shard, e.VShard = fmt.Appendf(nil, "t%d", i%3), fmt.Appendf(nil, "c%d", i%3), int32(i%2), int32(i%64)
			s.Add(e)
		}
		s.Slide(2) // one pane stays open
		d := s.Window(10).Distinct
		tolerance := 4 * 1.04 / math.Sqrt(1<<wholeBits) * float64(n)
		if n <= 400 {
			tolerance = 0
		}
		if math.Abs(float64(d.Keys-n)) > tolerance || d.Tenants != min(n, 3) || d.Callers != min(n, 3) {
			t.Errorf("%d keys: %+v", n, d)
		}
		checkSpreads(t, s, n)
	}
}

func checkSpreads(t *testing.T, s *Sliding, n int) {
	t.Helper()
	s.Slide(3)
	tenants, shards := s.Spreads()
	if len(tenants) != min(n, 3) || len(shards) != min(n, 2) {
		t.Fatalf("%d keys: %d tenants, %d shards", n, len(tenants), len(shards))
	}
	for i, of := range []struct {
		got  []Spread
		want float64
	}{{tenants, float64(n) / 3}, {shards, float64(n) / 2}} {
		for _, sp := range of.got {
			if math.Abs(float64(sp.Keys)-of.want) > 4*1.04/math.Sqrt(1<<eachBits)*of.want+1 {
				t.Errorf("%d keys, list %d: %+v, want about %.0f keys", n, i, sp, of.want)
			}
		}
	}
}

// TestEstimatesBetweenSmallBatches (S12): asking between batches of 100 new keys neither grows nor slows anything.
func TestEstimatesBetweenSmallBatches(t *testing.T) {
	s := newSliding(t, Default(6, 16, 64, 2))
	size := 0
	for round := range 300 {
		for i := range 100 {
			e := event(int64(round/100), fmt.Sprint(round, "-", i), One)
			e.Tenant, e.Shard, e.VShard = fmt.Appendf(nil, "t%d", i%40), int32(i%16), int32(i%64)
			s.Add(e)
		}
		s.Spreads()
		s.Window(1)
		if round == 100 {
			size = s.Bytes()
		}
	}
	if now := s.Bytes(); now > size+size/50 {
		t.Errorf("%d bytes after 100 rounds, %d after 300", size, now)
	}
}
