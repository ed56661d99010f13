package record

import (
	"math"
	"testing"
)

func TestOpRoundTrip(t *testing.T) {
	for _, op := range []Op{OpUnknown, OpRead, OpWrite} {
		got, err := ParseOp(op.String())
		if err != nil || got != op {
			t.Errorf("ParseOp(%q) = %v, %v", op.String(), got, err)
		}
	}
	if _, err := ParseOp("GET"); err == nil {
		t.Error("ParseOp takes a method word")
	}
	if got := Op(9).String(); got != "op(9)" {
		t.Errorf("String is not total: %q", got)
	}
}

func TestReasonsAreClosedAndDistinct(t *testing.T) {
	seen := map[string]bool{ReasonNone.String(): true}
	for _, r := range Reasons() {
		if seen[r.String()] {
			t.Errorf("label %q occurs twice", r)
		}
		seen[r.String()] = true
		if want := r != ReasonBlank && r != ReasonNotMatched; r.Refusal() != want {
			t.Errorf("%v.Refusal() = %v", r, r.Refusal())
		}
	}
	if len(seen) != int(reasons) {
		t.Errorf("%d labels, want %d", len(seen), reasons)
	}
	if ReasonNone.Refusal() {
		t.Error("ReasonNone is a refusal")
	}
	if got := Reason(200).String(); got != "reason(200)" {
		t.Errorf("String is not total: %q", got)
	}
}

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		name                     string
		count, rate, def, expect float64
	}{
		{"own rate", 3, 0.01, 1, 300},
		{"own rate beats the default", 3, 0.5, 0.1, 6},
		{"no rate takes the default", 3, 0, 0.1, 30},
		{"default unset", 3, 0, 0, 3},
		{"default above one", 3, 0, 2, 3},
		{"default not a number", 3, 0, math.NaN(), 3},
	} {
		r := Record{Count: c.count, Rate: c.rate}
		if got := r.Requests(c.def); math.Abs(got-c.expect) > 1e-9 {
			t.Errorf("%s: %v requests, want %v", c.name, got, c.expect)
		}
	}
}
