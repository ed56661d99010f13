package survey

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/pipeline/record"
)

// inspected reads a log as it is proposed.
func inspected(t *testing.T, text string) *Inspection {
	t.Helper()
	s := sampled(t, text)
	p, err := Propose(s, "orders")
	if err != nil {
		t.Fatal(err)
	}
	in, err := Inspect(s, &p.Fleet, 5*time.Second, p.Arrival())
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// arrivals draws clumps of one size: each clump is of one of 60 keys, at a moment of 20 minutes. A fifth is one key more,
// which is left out of the measure.
func arrivals(clump int) []arrivalOf {
	random := rand.New(rand.NewPCG(1, uint64(clump)))
	var out []arrivalOf
	for range 12000 / clump {
		name := random.Uint64N(60)
		if random.IntN(5) == 0 {
			name = 1000
		}
		at := random.Int64N(int64(20 * time.Minute))
		for range clump {
			out = append(out, arrivalOf{name: name, at: at})
		}
	}
	return out
}

// TestClumping: requests that come one by one have an effect of 1, those that come in clumps the size of a clump; a log
// that doubles its rate half way is none the clumpier for it.
func TestClumping(t *testing.T) {
	for _, clump := range []int{1, 2, 5} {
		got := clumping(arrivals(clump))
		if got.Keys != 60 || got.Effect < 0.9*float64(clump) || got.Effect > 1.1*float64(clump) {
			t.Errorf("clumps of %d: %+v", clump, got)
		}
	}
	swing := arrivals(1)
	for i := range swing {
		if i%3 > 0 {
			swing[i].at = swing[i].at/4 + int64(15*time.Minute)
		}
	}
	if got := clumping(swing); got.Effect > 1.1 {
		t.Errorf("a log whose rate changes: %+v", got)
	}
	if got := clumping(arrivals(1)[:20]); got != (Clump{}) {
		t.Errorf("20 records say %+v of clumps", got)
	}
}

// TestInspect: what is read, what is refused and where, in which order and how late.
func TestInspect(t *testing.T) {
	at := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	var b strings.Builder
	for i := range 100 {
		event := at.Add(time.Duration(i) * time.Second)
		if i%10 == 9 {
			event = event.Add(-8 * time.Second) // behind the 7 s before it
		}
		fmt.Fprintf(&b, `{"time":"%s","ingest_time":"%s","key":"k%d","tenant":"t%d","method":"%s","rate":%g,"status":%d}`+"\n", event.Format(time.RFC3339),
			event.Add(3*time.Second).Format(time.RFC3339), i%20, i%5, []string{"GET", "PUT"}[i%2], []float64{0.1, 0.5}[i%2], []int{200, 429}[i/99])
	}
	b.WriteString("\n{\"time\":\"never\",\"key\":\"k\"}\n{\"key\":\n")
	in := inspected(t, b.String())
	want := &Inspection{
		Lines: 102, Read: 100, Blank: 1, Timed: 100, From: at, To: at.Add(98 * time.Second), OpWords: true,
		Refused: []Refusal{{record.ReasonTruncated, 1, []int{103}}, {record.ReasonTime, 1, []int{102}}},
		Order:   Order{Behind: 10, Late: 10, Spread: Quantiles{P50: 7 * time.Second, P99: 7 * time.Second, Max: 7 * time.Second}},
		Delay:   &Delay{Path: "ingest_time", Lines: 100, Spread: Quantiles{P50: 3 * time.Second, P99: 3 * time.Second, Max: 3 * time.Second}},
		Rate:    Rates{Lines: 100, Min: 0.1, Max: 0.5, Requests: 600},
		Reads:   50, Writes: 50, Keys: 20, Tenants: 5, Keyed: 100, Tenanted: 100, Statused: 100, Thrown: 1,
		Clump: in.Clump, First: in.First,
	}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Errorf("want (-), got (+): %s", diff)
	}
	if first := (First{Line: 1, Time: at, Tenant: "t0", Key: "k0", Op: record.OpRead, Count: 1, Rate: 0.1}); len(in.First) != 5 || in.First[0] != first {
		t.Errorf("the first records are %+v", in.First)
	}
}

// TestOrderByFile: each file has an order of its own.
func TestOrderByFile(t *testing.T) {
	s := NewSample(Limit{}, 2)
	for _, from := range []int{1700001000, 1700000000} {
		var b strings.Builder
		for i := range 50 {
			fmt.Fprintf(&b, `{"ts":%d,"key":"k%d"}`+"\n", from+i, i%7)
		}
		if err := s.Add("log", strings.NewReader(b.String())); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Propose(s, "orders")
	if err != nil {
		t.Fatal(err)
	}
	in, err := Inspect(s, &p.Fleet, 5*time.Second, nil)
	if err != nil || in.Order.Behind != 0 || in.Timed != 100 {
		t.Errorf("two files that are in order: %+v, %v", in.Order, err)
	}
}
