package words

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"firebreak/internal/line"
)

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Number(0), "0"},
		{Number(0.00041), "0.00041"},
		{Number(0.0000000001), "0"},
		{Number(0.00999999), "0.01"},
		{Number(0.123456), "0.123"},
		{Number(5.6499), "5.65"},
		{Number(17.25), "17.3"},
		{Number(999.6), "1,000"},
		{Number(1234567), "1,234,567"},
		{Number(-1234), "-1,234"},
		{Number(-123), "-123"},
		{Number(math.NaN()), "–"},
		{Rate(41200), "41,200/s"},
		{Times(1.04), "1×"},
		{Times(11.24), "11.2×"},
		{Times(1234.4), "1,234×"},
		{Percent(0.5), "50 %"},
		{Percent(0.0754), "7.5 %"},
		{Percent(0.7549), "75 %"},
		{Percent(0.0001234), "under 0.1 %"},
		{Percent(0.9999), "99.9 %"},
		{Percent(1), "100 %"},
		{Percent(1.65), "165 %"},
		{Percent(0), "0 %"},
		{Count(1, "shard"), "1 shard"},
		{Count(1200, "shard"), "1,200 shards"},
		{Lasting(45 * time.Second), "45 s"},
		{Lasting(1500 * time.Millisecond), "1.5 s"},
		{Lasting(95 * time.Second), "1 min 35 s"},
		{Lasting(2 * time.Hour), "2 h"},
		{Lasting(59*time.Minute + 59*time.Second + 700*time.Millisecond), "1 h"},
		{Lasting(83*time.Hour + 59*time.Minute), "3 d 11 h"},
		{Clock(time.Time{}), "no time"},
		{Clock(time.Unix(0, 0)), "1970-01-01 00:00:00Z"},
		{Hour(time.Unix(3661, 0)), "01:01:01Z"},
		{Glue("5 s, 3 % of 7 shards, 2 min 5 s; 4 days"), "5\u00a0s, 3\u00a0% of 7 shards, 2\u00a0min 5\u00a0s; 4 days"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// TestLoadsReadAlike: a load reads the same whether it comes from the tick, as on the live page, or from a line of the journal, as in the
// weekly report.
func TestLoadsReadAlike(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, x float64) {
		b, err := json.Marshal(line.Number(x))
		var kept line.Number
		if err == nil {
			err = json.Unmarshal(b, &kept)
		}
		told := &Told{Verdict: &line.Verdict{Load: line.Number(x)}}
		if now, then := Rate(x), told.Rate(kept); err != nil || now != then {
			t.Errorf("%g: %s now, %s as read back (%v)", x, now, then, err)
		}
	}
	check(t, 12026.451)
	rapid.Check(t, func(r *rapid.T) { check(r, math.Pow(10, rapid.Float64Range(-5, 9).Draw(r, "power of ten"))) })
}
