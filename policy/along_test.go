package policy

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestNeighboursGoAlong: a salt of a key whose neighbours alone are too much takes more off the shard than the key has. Its sentence says
// what of the shard's other load goes with it, and both together are what the projection takes off.
func TestNeighboursGoAlong(t *testing.T) {
	f := newTestFleet(t, 16, "key", even(1000, 64000)...)
	f.cfg.Capacity.Total = 16000
	for i := range 20 {
		f.streams = append(f.streams, f.many(2, 10, "shop-"+itoa(i), 450, 0, 12)...)
	}
	f.streams = append(f.streams, stream{tenant: "acme", key: f.on(2, 1, "acme", "K")[0], rate: 12000, from: 12})
	vs, _ := f.run(40)
	if len(vs) == 0 || vs[0].Fix != FixSalt || len(vs[0].Contribute) == 0 {
		t.Fatalf("want a verdict whose fix is a salt: %+v", vs)
	}
	v := &vs[0]
	salt := &v.Projected[slices.IndexFunc(v.Projected, func(p Projection) bool { return p.Fix == FixSalt })]
	m := regexp.MustCompile(`; with it ([0-9,]+)/s of the shard's other load move to [0-9]+ colder shards$`).FindStringSubmatch(salt.Why)
	if m == nil {
		t.Fatalf("the sentence does not say what goes along: %s", salt.Why)
	}
	along, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
	if err != nil {
		t.Fatal(err)
	}
	off, pieces := v.Load-salt.Shard, v.Contribute[0].Load*(1-1/float64(salt.Salt))
	if math.Abs(off-pieces-along) > 0.001*v.Load {
		t.Errorf("%.0f/s go off the shard: pieces take %.0f/s and %.0f/s go along", off, pieces, along)
	}
	for i := range v.Projected {
		if q := &v.Projected[i]; (q.Fix == FixSplit || q.Fix == FixScaleOut) && strings.Contains(q.Why, "; with it ") {
			t.Errorf("a split says that it splits: %s", q.Why)
		}
	}
}
