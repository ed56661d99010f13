package operation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"firebreak/actuator/operation"
	"firebreak/policy"
)

// tell gives the shards, in order, a reading each; a negative one is none.
func (r *rig) tell(m policy.Metric, values ...float64) {
	w := &r.numbers.Snapshot.World
	w.Health = slices.DeleteFunc(w.Health, func(o policy.Reading) bool { return o.Metric == m })
	for i, v := range values {
		if v >= 0 {
			w.Health = append(w.Health, policy.Reading{Shard: fmt.Sprintf("shard-%d", i), Metric: m, Value: v})
		}
	}
}

// ended goes on until the first operation is judged, and gives what was said of it.
func (r *rig) ended() (outcome, text string) {
	r.t.Helper()
	r.until(1, operation.Grace)
	for _, n := range r.notes {
		if n.Operation == 1 && n.Act.Phase == operation.Grace && n.Act.Outcome != "" {
			return n.Act.Outcome, n.Act.Text
		}
	}
	r.t.Fatal("nobody judged it")
	return "", ""
}

// TestOutsideEvidence: where clients write the log, what shards say of themselves decides whether the traffic follows a move. shard-0 bore
// twice what the others do; two of its ten virtual shards move.
func TestOutsideEvidence(t *testing.T) {
	none := func(*rig) {}
	for name, c := range map[string]struct {
		tell func(*rig)
		want string
		text string
	}{
		"nobody says anything": {none, operation.Unverified, "nothing independent"},
		"it follows":           {func(r *rig) { r.tell(policy.MetricUtilization, 0.2, 0.45, 0.45, 0.25) }, operation.Effective, "by its utilization shard-0 bears 0.6 times the mean"},
		"it does not":          {func(r *rig) { r.tell(policy.MetricUtilization, 0.6, 0.3, 0.3, 0.3) }, operation.Misrouted, "the traffic does not follow"},
		"in between":           {func(r *rig) { r.tell(policy.MetricUtilization, 0.4, 0.35, 0.35, 0.3) }, operation.Unverified, "neither"},
		"few shards say it":    {func(r *rig) { r.tell(policy.MetricUtilization, 0.3, -1, -1, -1) }, operation.Unverified, "nothing independent"},
		"it says nothing":      {func(r *rig) { r.tell(policy.MetricUtilization, -1, 0.3, 0.3, 0.3) }, operation.Unverified, "nothing independent"},
		"all idle":             {func(r *rig) { r.tell(policy.MetricUtilization, 0, 0, 0, 0) }, operation.Unverified, "nothing independent"},
		"what is served counts more": {func(r *rig) {
			r.tell(policy.MetricUtilization, 0.2, 0.45, 0.45, 0.25)
			r.tell(policy.MetricServed, 200, 100, 100, 100)
		}, operation.Misrouted, "by its served"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.numbers.Snapshot.Inputs.Shards = false
			r.load(6, 0, 4) // of shard-0, which then bears twice what others do
			r.numbers.Config.MovedAtMost = 1
			c.tell(r)
			r.plan(policy.FixSplit, split())
			if outcome, text := r.ended(); outcome != c.want || !strings.Contains(text, c.text) {
				t.Errorf("%s: %s, want %s: ... %s", outcome, text, c.want, c.text)
			}
		})
	}
}

// TestOutsideEvidenceOfQuotas: what lies between the log and the shard shows in what the shard counts, and in nothing else.
func TestOutsideEvidenceOfQuotas(t *testing.T) {
	for name, c := range map[string]struct {
		served []float64
		metric policy.Metric
		want   string
		text   string
	}{
		"nobody says anything": {nil, policy.MetricServed, operation.Unverified, "nothing says what the shards serve"},
		"it is under its line": {[]float64{600, 900, 900, 900}, policy.MetricServed, operation.Effective, "shard-0 serves 60 % of its target by its own count, and clients ask it for"},
		"it is not":            {[]float64{1900, 900, 900, 900}, policy.MetricServed, operation.NoEffect, "shard-0 serves 190 % of its target"},
		"a share is no count":  {[]float64{0.3, 0.5, 0.5, 0.5}, policy.MetricUtilization, operation.Unverified, "nothing says what the shards serve"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.numbers.Config.Capacity.Total = 1000 / r.numbers.Config.Lines.Target
			r.load(2, 0, 4, 8, 12)
			r.tell(c.metric, c.served...)
			r.plan(policy.FixQuota, policy.Step{Kind: policy.StepQuota, Tenant: "mega", Rate: 120})
			if outcome, text := r.ended(); outcome != c.want || !strings.Contains(text, c.text) {
				t.Errorf("%s: %s, want %s: ... %s", outcome, text, c.want, c.text)
			}
		})
	}
}

// TestSaltThatNobodyGoesBy: the home of the key stays as hot either way; where the log tells pieces, it also says why.
func TestSaltThatNobodyGoesBy(t *testing.T) {
	piece := func(suffix uint32, writes float64) policy.Piece {
		return policy.Piece{Suffix: suffix, Sums: policy.Sums{Load: writes, Variance: writes, Records: writes, Writes: writes}}
	}
	for name, c := range map[string]struct {
		pieces []policy.Piece
		want   string
		text   string
	}{
		"the log tells no pieces":   {nil, operation.NoEffect, "shard-0 itself at"},
		"all at the bare key":       {[]policy.Piece{piece(0, 1000)}, operation.Misrouted, `100 % of the writes of "feed" still go to its pieces of before`},
		"it is split, as hot or no": {[]policy.Piece{piece(0, 250), piece(1, 250), piece(2, 250), piece(3, 250)}, operation.NoEffect, "shard-0 itself at"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.load(3, 0, 4, 8)
			if c.pieces != nil {
				s := r.numbers.Snapshot
				s.LogPoint = policy.LogPointShard
				s.Keys = []policy.Contributor{{Key: "feed", Panes: make([]policy.Sums, len(s.Panes)), Pieces: c.pieces}}
			}
			r.plan(policy.FixSalt, saltOf8())
			if outcome, text := r.ended(); outcome != c.want || !strings.Contains(text, c.text) {
				t.Errorf("%s: %s, want %s: ... %s", outcome, text, c.want, c.text)
			}
		})
	}
}
