package pipeline

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"firebreak/policy"
	"firebreak/routing"
)

// keeping is a sink that keeps all it is given.
type keeping struct {
	tape

	all   []*Judgement
	world policy.World
	asked []time.Time // when World was
}

func (k *keeping) Judged(j *Judgement) {
	k.tape.Judged(j)
	k.all = append(k.all, j)
}

// World implements Outsider.
func (k *keeping) World(fleet string, now time.Time) policy.World {
	k.asked = append(k.asked, now)
	w := k.world
	w.Operator.Reason = fleet
	return w
}

// TestJudgements: each says all of its evaluation: judged again it gives the same, its state before is the one after the last
// one, and what the sink knows of tenants, and of the world beside the log at that moment, is in the snapshot and counts.
func TestJudgements(t *testing.T) {
	r, _, c, p := begun(t, 1)
	reading := policy.Reading{Shard: "a", Metric: policy.MetricStorage, Value: 0.9}
	sink := &keeping{world: policy.World{Health: []policy.Reading{reading}}}
	r.live.sink = sink
	for s := 22; s <= 120; s += 2 {
		r.to(float64(s))
		c[0].sync()
		for c[0].say(p[0], "hot", float64(s), 1000) != Taken {
			accepted(t, c[0].behind())
		}
		accepted(t, c[0].send())
	}
	if len(sink.all) < 8 {
		t.Fatalf("%d judgements", len(sink.all))
	}
	told := 0
	for i, j := range sink.all {
		told += len(j.Decision.Verdicts)
		if j.Config != &r.fleet().live.Judge || j.Distinct.Keys == 0 || len(j.Snapshot.Inputs.Histories) != 1 {
			t.Errorf("judgement %d: distinct %+v, histories %v", i, j.Distinct, j.Snapshot.Inputs.Histories)
		}
		world := j.Snapshot.World
		if !sink.asked[i].Equal(j.Now) || world.Operator.Reason != j.Snapshot.Fleet || !slices.Contains(world.Health, reading) {
			t.Errorf("judgement %d at %v: asked at %v, world %+v", i, j.Now, sink.asked[i], world)
		}
		if !slices.ContainsFunc(j.Decision.Advice, func(a policy.Advice) bool { return a.Shard == "a" && a.Topic == policy.TopicStorage }) {
			t.Errorf("judgement %d: the reading gave no advice: %+v", i, j.Decision.Advice)
		}
		d, after := policy.Evaluate(j.Snapshot, j.Config, *j.Before, j.Now)
		for _, diff := range []string{
			cmp.Diff(*j.Decision, d, cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(&routing.Table{})), cmp.Diff(*j.After, after, cmpopts.EquateEmpty()),
		} {
			if diff != "" {
				t.Errorf("judgement %d, judged again (-then +now):\n%s", i, diff)
			}
		}
		if i > 0 {
			if diff := cmp.Diff(sink.all[i-1].After, j.Before, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("between judgements %d and %d (-after +before):\n%s", i-1, i, diff)
			}
		}
	}
	if len(sink.asked) != len(sink.all) {
		t.Errorf("asked %d times for %d judgements", len(sink.asked), len(sink.all))
	}
	if told == 0 {
		t.Error("nothing fired: the test shows little")
	}
}
