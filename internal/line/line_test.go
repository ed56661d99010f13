package line_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/routing"
)

// names are bytes of any kind: hostile ones are drawn as often as plain ones.
func names() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-z]{0,8}(:[0-9]{1,4})?`),
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")) }),
		rapid.SampledFrom([]string{
			"", "\x00\n\x1b[2J\xff\xfe", `\xff`, "\xff", `\\`, `\`, `a"b`, "</script>", "\u202e", "\U000e0001", "\ufffd", "\xed\xa0\x80", "a\u2028b",
			strings.Repeat("k", 1024) + "#xxh3=0123456789abcdef0123456789abcdef",
		}),
	)
}

func numbers() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, 0.1, 1e21, 1e-9, 123456.789, math.Inf(1), math.NaN(), math.MaxFloat64}))
}

func stamps() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.Bool().Draw(t, "none") {
			return time.Time{}
		}
		return time.UnixMilli(rapid.Int64Range(0, 4_000_000_000_000).Draw(t, "ms")).UTC()
	})
}

func bounds(t *rapid.T) policy.Bounds {
	return policy.Bounds{Value: numbers().Draw(t, "value"), Low: numbers().Draw(t, "low"), High: numbers().Draw(t, "high")}
}

func projections(t *rapid.T) policy.Projection {
	return policy.Projection{
		Fix: rapid.SampledFrom(policy.Fixes()).Draw(t, "fix"), Hottest: numbers().Draw(t, "hottest"), Feasible: rapid.Bool().Draw(t, "feasible"),
		Salt: rapid.IntRange(0, 64).Draw(t, "salt"), Rate: numbers().Draw(t, "rate"), Why: names().Draw(t, "why"), Beyond: names().Draw(t, "beyond"),
	}
}

func verdicts(t *rapid.T) *policy.Verdict {
	v := &policy.Verdict{
		Fleet: names().Draw(t, "fleet"), Time: stamps().Draw(t, "time"), Hotspot: names().Draw(t, "hotspot"),
		Phase: rapid.SampledFrom([]policy.Phase{policy.PhaseFiring, policy.PhaseResolved}).Draw(t, "phase"),
		Onset: stamps().Draw(t, "onset"), Shard: names().Draw(t, "shard"), Cause: rapid.SampledFrom(policy.Causes()).Draw(t, "cause"),
		Key: names().Draw(t, "key"), Tenant: names().Draw(t, "tenant"), Caller: names().Draw(t, "caller"), Load: numbers().Draw(t, "load"),
		Capacity: numbers().Draw(t, "capacity"), Share: bounds(t), Reason: names().Draw(t, "reason"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "contributors") {
		v.Contribute = append(v.Contribute, policy.Contribution{
			Cause: policy.CauseHotKey, Key: names().Draw(t, "key"), Tenant: names().Draw(t, "tenant"), Share: bounds(t), AboveTarget: rapid.Bool().Draw(t, "above"),
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "projections") {
		v.Projected = append(v.Projected, projections(t))
		v.Missing = append(v.Missing, names().Draw(t, "missing"))
	}
	return v
}

func plans(t *rapid.T, table *routing.Table) *policy.Plan {
	p := &policy.Plan{
		ID: names().Draw(t, "id"), Hotspot: names().Draw(t, "hotspot"), Undo: rapid.Bool().Draw(t, "undo"), Ready: rapid.Bool().Draw(t, "ready"),
		Expires: stamps().Draw(t, "expires"), Projection: projections(t), Added: []string{names().Draw(t, "added")},
	}
	for range rapid.IntRange(0, 3).Draw(t, "steps") {
		s := policy.Step{
			Kind: policy.StepKind(rapid.IntRange(0, 11).Draw(t, "kind")), Key: names().Draw(t, "key"), Tenant: names().Draw(t, "tenant"),
			Moves:  []routing.Move{{VShard: 7, To: routing.ShardID(rapid.IntRange(0, table.Shards()+1).Draw(t, "to"))}},
			Shards: []string{names().Draw(t, "shard")}, Rate: numbers().Draw(t, "rate"), Text: names().Draw(t, "text"),
		}
		if rapid.Bool().Draw(t, "salted") {
			s.Salt = &routing.Salt{Suffixes: []uint32{0, 4}}
		}
		p.Steps = append(p.Steps, s)
		p.Footprint = append(p.Footprint, routing.SaltEntry(s.Tenant, s.Key))
	}
	return p
}

func summary(t *rapid.T) *line.Summary {
	n := line.Number(rapid.IntRange(1, 9).Draw(t, "n"))
	s := &line.Summary{
		Head: line.NewHead("summary", names().Draw(t, "fleet"), line.Stamp(stamps().Draw(t, "time"))), To: line.Stamp(stamps().Draw(t, "to")),
		Records: rapid.Uint64().Draw(t, "records"), Refused: map[string]uint64{"syntax": 3}, Verdicts: map[string]int{"volume": 1}, Holds: map[string]int{},
		Missing: []line.Prose{}, Findings: []line.Finding{{Shard: line.Name(names().Draw(t, "shard")), Reason: "r"}},
	}
	if rapid.Bool().Draw(t, "full") {
		s.DetectionDelay, s.Detectable = &line.Delay{P50: n}, &line.Detectable{Line: 1.5, OneMinute: &n}
		s.Counting.Exact, s.Asked = &line.Exact{Windows: 3}, []line.Answer{{Key: line.Name(names().Draw(t, "key")), Estimate: n}}
		s.Window = &line.Board{TopKeys: []line.Rank{{Key: line.Name(names().Draw(t, "key")), Share: 0.5}}, TopTenants: []line.Rank{}}
	}
	return s
}

// TestRoundTrip: every line comes back to the byte, and its names to the byte of the bytes.
func TestRoundTrip(t *testing.T) {
	table := newTable(t)
	rapid.Check(t, func(t *rapid.T) {
		v, p := verdicts(t), plans(t, table)
		h := policy.Hold{Hotspot: names().Draw(t, "hotspot"), Reason: policy.HoldReadHot, Detail: names().Draw(t, "detail")}
		a := policy.Advice{Shard: names().Draw(t, "shard"), Topic: policy.TopicCapacity, Level: policy.SeverityCritical, Reason: names().Draw(t, "reason")}
		at := line.Stamp(v.Time)
		for _, l := range []line.Line{line.NewVerdict(v), line.NewPlan(v.Fleet, at, p, table), line.NewHold(v.Fleet, at, h), line.NewAdvice(v.Fleet, at, a), summary(t)} {
			text, err := line.Encode(l)
			if err != nil {
				t.Fatal(err)
			}
			back, err := line.Decode(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			again, err := line.Encode(back)
			if err != nil || !bytes.Equal(text, again) {
				t.Fatalf("%v\n%s comes back as\n%s", err, text, again)
			}
			if back.Top().Fleet != l.Top().Fleet || !back.Top().Time.Equal(l.Top().Time) {
				t.Fatalf("head %+v comes back as %+v", l.Top(), back.Top())
			}
			got, ok := back.(*line.Verdict)
			if !ok {
				continue
			}
			want := []string{v.Hotspot, v.Shard, v.Key, v.Tenant, v.Caller}
			if diff := cmp.Diff(want, []string{string(got.Hotspot), string(got.Shard), string(got.Key), string(got.Tenant), string(got.Caller)}); diff != "" {
				t.Fatalf("names (-want +got):\n%s", diff)
			}
			for i, c := range got.Contributors {
				if string(c.Key) != v.Contribute[i].Key || string(c.Tenant) != v.Contribute[i].Tenant {
					t.Fatalf("contributor %+v, want %+v", c, v.Contribute[i])
				}
			}
		}
	})
}

// TestDecodeRefuses: what is no line of schema 1 is an error, and a newer one is told from a broken one.
func TestDecodeRefuses(t *testing.T) {
	for _, tt := range []struct {
		text  string
		newer bool
	}{
		{`{"type":"verdict","schema":2,"fleet":"f"}`, true},
		{`{"type":"operation","schema":1,"fleet":"f"}`, true},
		{`{}`, true},
		{``, false},
		{`[]`, false},
		{`{"type":"hold","schema":1,"fleet":"f","hotspot":"\\q"}`, false},
		{`{"type":"hold","schema":1,"fleet":"f\\xzz"}`, false},
		{`{"type":"hold","schema":1,"fleet":"f","time":"yesterday"}`, false},
		{`{"type":"hold","schema":1,"fleet":"f"} {}`, false},
		{"{\"type\":\"hold\",\"schema\":1,\"fleet\":\"\xff\"}", false},
		{`{"type":"verdict","schema":1,"fleet":"f","load":"much"}`, false},
	} {
		_, err := line.Decode([]byte(tt.text))
		if err == nil || errors.Is(err, line.ErrSchema) != tt.newer {
			t.Errorf("%s: error %v, newer %v", tt.text, err, tt.newer)
		}
	}
	l, err := line.Decode([]byte(`{"type":"hold","schema":1,"fleet":"f","reason":"stale","mood":"new member"}`))
	if h, ok := l.(*line.Hold); err != nil || !ok || h.Reason != "stale" {
		t.Errorf("a line with a member of tomorrow: %v, %v", l, err)
	}
}

// FuzzDecode: any bytes are an error or a line that stays what it is.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"type":"verdict","schema":1,"fleet":"a\\xff","time":"2026-03-01T00:02:03.456Z","key":"k","load":1.5}`))
	f.Add([]byte(`{"type":"plan","schema":1,"fleet":"","steps":[{"moves":[{"vshard":7,"to":"s"}]}]}`))
	f.Add([]byte(`{"type":"summary","schema":1,"fleet":"f","window":{"top_keys":[{"key":"\u0000"}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := line.Decode(b)
		if err != nil {
			return
		}
		once, err := line.Encode(l)
		if err != nil || !json.Valid(once) {
			t.Fatalf("%q: %v", once, err)
		}
		back, err := line.Decode(once)
		if err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if twice, err := line.Encode(back); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\n%s\n%s", err, once, twice)
		}
	})
}

func newTable(t *testing.T) *routing.Table {
	t.Helper()
	doc, err := routing.Adopt("f", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(2))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	return table
}
