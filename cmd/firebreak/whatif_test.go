package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"firebreak/policy"
)

// TestWhatif runs the golden command lines; `go test ./cmd/firebreak -rewrite` writes them anew.
func TestWhatif(t *testing.T) {
	datadriven.Walk(t, "testdata/whatif", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			for line := range strings.Lines(d.Input) {
				text, err := call(t, strings.TrimSpace(line))
				out.WriteString(text)
				if err != nil {
					fmt.Fprintf(&out, "%d  %v\n", exitCode(err), err)
				}
			}
			return out.String()
		})
	})
}

// TestAnswers names what is advised, apart from the words.
func TestAnswers(t *testing.T) {
	const base = "whatif --output json --rate 100000 --shards 16 "
	type advice struct {
		Fix   policy.Fix
		Salt  int
		Cache bool
		After float64
	}
	tests := []struct {
		flags string
		want  advice
	}{
		{"--share 12%", advice{policy.FixSalt, 4, false, 8_500}},
		{"--share 30%", advice{policy.FixSalt, 6, false, 9_375}},
		{"--share 12% --reads 10%", advice{policy.FixSalt, 5, false, 8_860}},
		{"--share 12% --reads 40%", advice{policy.FixSalt, 2, true, 9_100}},
		{"--share 12% --reads 60%", advice{policy.FixCache, 2, true, 7_900}},
		{"--share 12% --reads 90%", advice{policy.FixCache, 0, true, 6_700}},
		{"--share 4% --capacity 12000", advice{policy.FixSplit, 0, false, 6_400}},
		{"--share 1%", advice{policy.FixNone, 0, false, 1_000 + 99_000/16.}},
		{"--share 2% --capacity 8000", advice{policy.FixScaleOut, 0, false, 98_000 / 19.}},
		{"--share 60% --reads 95% --capacity 20000", advice{policy.FixCache, 0, true, 5_500}},
		{"--share 60% --reads 95% --capacity 8000", advice{policy.FixCache, 2, true, 4_000}},
		{"--share 12% --reads 5% --capacity 8000", advice{policy.FixScaleOut, 19, false, 5_200}},
		{"--share 60% --reads 95% --capacity 2000", advice{policy.FixScaleOut, 25, true, 3_000/25. + 40_000/34.}},
	}
	for _, tt := range tests {
		out, err := call(t, base+tt.flags)
		var got struct {
			Answer struct {
				Fix   policy.Fix
				Salt  *int
				Cache bool
				After float64
			}
		}
		if err != nil || json.Unmarshal([]byte(out), &got) != nil {
			t.Fatalf("%s: %v\n%s", tt.flags, err, out)
		}
		a := advice{Fix: got.Answer.Fix, Cache: got.Answer.Cache, After: got.Answer.After}
		if got.Answer.Salt != nil {
			a.Salt = *got.Answer.Salt
		}
		near := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*math.Abs(y) })
		if diff := cmp.Diff(tt.want, a, near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.flags, diff)
		}
	}
}

// TestAdviceMeetsTarget: over a grid of fleets, a fix that is named meets the target, and none is named needlessly.
func TestAdviceMeetsTarget(t *testing.T) {
	for _, shards := range []int{1, 2, 3, 16, 100, 500} {
		for _, share := range []float64{0.001, 0.02, 0.12, 0.5, 1} {
			for _, reads := range []float64{0, 0.1, 0.45, 0.5, 0.9, 1} {
				for _, q := range []whatifQuestion{{multiple: 1}, {multiple: 1.5}, {capacity: 500}, {capacity: 8_000}, {capacity: 90_000}} {
					q.form = policy.Form{Share: share, Rate: 100_000, Shards: shards, Reads: reads}
					a := q.answer(q.form)
					cool := a.Hottest <= a.Target*(1+1e-9)
					if cool != (a.Fix == policy.FixNone && a.After <= a.Target*(1+1e-9)) || a.Why == "" {
						t.Errorf("%+v: fix %v of a shard at %g, target %g: %s", q, a.Fix, a.Hottest, a.Target, a.Why)
					}
					if a.Fix != policy.FixNone && a.After > a.Target*(1+1e-8) {
						t.Errorf("%+v: fix %v leaves %g, target %g: %s", q, a.Fix, a.After, a.Target, a.Why)
					}
				}
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.25: "0.25", 1: "1", 1.25: "1.25", 12.25: "12.3", 99.94: "99.9", 100.5: "101", 999.5: "1,000", 1_234.5: "1,235",
		17_500: "17,500", 1_234_567: "1,234,567", 1e12: "1,000,000,000,000", 12_085.9375: "12,086",
	} {
		if got := grouped(x); got != want {
			t.Errorf("grouped(%g) = %q, want %q", x, got, want)
		}
	}
	for x, want := range map[float64]string{
		0: "0 %", 0.12: "12 %", 0.0625: "6.3 %", 0.825: "82.5 %", 1: "100 %", 0.99995: "99.9 %", 0.0001: "0.01 %", 2.1875: "219 %",
	} {
		if got := percent(x); got != want {
			t.Errorf("percent(%g) = %q, want %q", x, got, want)
		}
	}
	if got := fixed(82.5, 0) + " " + fixed(6.25, 1); got != "83 6.3" {
		t.Errorf("halves round to %q, want away from zero", got)
	}
}

// FuzzWhatif: whatever is typed gives an answer that is JSON, or one line and exit 2.
func FuzzWhatif(f *testing.F) {
	f.Add("12%", "100000", "16", "1.5x", "", "5%", "1:100")
	f.Add("100%", "1e12", "100000", "", "8000", "100%", "1:1e9")
	f.Add("0.000001", "1e-9", "1", "", "1e-300", "0", "1:1")
	f.Add("12", "NaN", "-1", "x", "Inf", "%", "1:")
	f.Add("\n", "\x00", "1\n", "\xff", "", " ", ":")
	f.Fuzz(func(t *testing.T, share, rate, shards, target, capacity, reads, sample string) {
		args := []string{"whatif", "--output=json"}
		for name, value := range map[string]string{
			"share": share, "rate": rate, "shards": shards, "target": target, "capacity": capacity, "reads": reads, "sample": sample,
		} {
			args = append(args, "--"+name+"="+value)
		}
		var out bytes.Buffer
		err := run(t.Context(), args, strings.NewReader(""), &out, io.Discard)
		if err == nil && !json.Valid(out.Bytes()) {
			t.Fatalf("%q answers %s", args, out.String())
		}
		if err != nil && (exitCode(err) != exitUsage || strings.ContainsAny(err.Error(), "\n\x00\x1b")) {
			t.Fatalf("%q: exit %d, %q", args, exitCode(err), err)
		}
	})
}
