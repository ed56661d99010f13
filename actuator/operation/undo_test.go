package operation_test

import (
	"strings"
	"testing"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
)

// TestBeginsAsSoonAsItFires: a plan that is ready at the judgement at which its hotspot begins to fire is needed.
func TestBeginsAsSoonAsItFires(t *testing.T) {
	r := newRig(t)
	r.load(3, 0, 4, 8)
	r.plan(policy.FixSplit, split())
	r.numbers.Decision.Verdicts, r.numbers.Decision.Open = r.numbers.Decision.Open, nil
	r.numbers.Decision.Verdicts[0].Phase = policy.PhaseFiring
	r.until(1, operation.Settle)
	if o := r.state.Operation(1); o.Shard != "shard-0" {
		t.Errorf("it is for shard %q", o.Shard)
	}
}

// TestDrain: a filled spare receives nothing, is emptied, and is a spare again, each operation finding what the one before it left.
func TestDrain(t *testing.T) {
	r := newRig(t)
	d := r.state.Document
	d.Shards[4].Role = routing.Serving
	d.Moves = []routing.Move{{VShard: 0, To: 4}, {VShard: 4, To: 4}}
	r.numbers = r.even()
	r.numbers.Config.Mode = policy.ModeAuto
	r.plan(policy.FixScaleOut, policy.Step{Kind: policy.StepDrain, Moves: []routing.Move{{VShard: 0, To: 0}, {VShard: 4, To: 0}}, Shards: []string{"spare-0"}})
	r.numbers.Decision.Plans[0].Hotspot = ""
	r.until(1, operation.Settle)
	if role := r.state.Document.Shards[4].Role; role != routing.Draining {
		t.Errorf("the spare is %s at first", role)
	}
	for number := uint64(1); number <= r.state.Operated; number++ {
		r.until(number, operation.Grace)
		if o := r.state.Operation(number); o.Outcome != operation.Effective {
			t.Errorf("operation %d is %s", number, o.Outcome)
		}
	}
	table, err := routing.NewTable(r.state.Document)
	if err != nil {
		t.Fatal(err)
	}
	if role := r.state.Document.Shards[4].Role; role != routing.Spare || table.Owner(0) != 0 || table.Owner(4) != 0 || r.state.Operated < 3 {
		t.Errorf("after %d operations the spare is %s, and %d and %d own what it had", r.state.Operated, role, table.Owner(0), table.Owner(4))
	}
}

// TestDrainGoesOn: a spare that an earlier drain left draining is emptied, and is a spare again, without an operation that changes nothing.
func TestDrainGoesOn(t *testing.T) {
	r := newRig(t)
	d := r.state.Document
	d.Shards[4].Role = routing.Draining
	d.Moves = []routing.Move{{VShard: 4, To: 4}}
	r.numbers = r.even()
	r.numbers.Config.Mode = policy.ModeAuto
	r.plan(policy.FixScaleOut, policy.Step{Kind: policy.StepDrain, Moves: []routing.Move{{VShard: 4, To: 0}}, Shards: []string{"spare-0"}})
	r.numbers.Decision.Plans[0].Hotspot = ""
	r.until(2, operation.Grace)
	if o := r.state.Operation(1); o.Machine != operation.MachineMove || r.state.Operated != 2 || r.state.Document.Shards[4].Role != routing.Spare {
		t.Errorf("it begins with %s; after %d operations the spare is %s", o.Machine, r.state.Operated, r.state.Document.Shards[4].Role)
	}
}

// TestEffectOfAnUndo: an operation that takes something back is judged by what it is for, which is not that a shard gets cooler; one for a
// hotspot is judged as ever.
func TestEffectOfAnUndo(t *testing.T) {
	for name, tt := range map[string]struct {
		lay     func(d *routing.Document)
		fix     policy.Fix
		step    policy.Step
		hotspot string
		want    string
	}{
		"unsalt": {
			func(d *routing.Document) { d.PutSalt(*saltOf8().Salt) },
			policy.FixSalt,
			policy.Step{Kind: policy.StepUnsalt, Key: "feed"},
			"", "the key is in one piece again, which is what it was for; the hottest shard is at ",
		},
		"tenant": {
			func(d *routing.Document) {
				d.Shards[4].Role, d.Tenants = routing.Dedicated, []routing.TenantPlacement{{Tenant: "mega", Shards: []routing.ShardID{4}}}
			},
			policy.FixIsolate,
			policy.Step{Kind: policy.StepReturnTenant, Tenant: "mega", Shards: []string{"spare-0"}},
			"", "the tenant has no place of its own any more, which is what it was for; the hottest shard is at ",
		},
		"drained": {
			func(d *routing.Document) {
				d.Shards[4].Role, d.Moves = routing.Serving, []routing.Move{{VShard: 0, To: 4}}
			},
			policy.FixScaleOut,
			policy.Step{Kind: policy.StepDrain, Moves: []routing.Move{{VShard: 0, To: 0}}, Shards: []string{"spare-0"}},
			"", "what the shard that is drained had is elsewhere, which is what it was for; the hottest shard is at ",
		},
		"split": {func(*routing.Document) {}, policy.FixSplit, split(), "h", "the hottest shard is at "},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.folder = true
			tt.lay(r.state.Document)
			r.numbers = r.even()
			r.numbers.Config.Mode = policy.ModeAuto
			r.numbers.Config.KeySpaces = []policy.KeySpace{{Prefix: "feed", Merge: "counter"}}
			if tt.hotspot != "" {
				r.load(3, 0, 4, 8)
			}
			r.plan(tt.fix, tt.step)
			r.numbers.Decision.Plans[0].Hotspot = tt.hotspot
			r.through()
			judged := 0
			for _, n := range r.notes {
				if n.Act.Phase != operation.Grace || !strings.Contains(n.Act.Text, "hottest") {
					continue // what has a role only is judged by that
				}
				if judged++; !strings.HasPrefix(n.Act.Text, tt.want) {
					t.Errorf("judged %q, want %q", n.Act.Text, tt.want)
				}
			}
			if judged == 0 {
				t.Errorf("nothing was judged: %d notes", len(r.notes))
			}
		})
	}
}

// TestReturnFreesTheShard: with a tenant that is sent home its shard is a spare again.
func TestReturnFreesTheShard(t *testing.T) {
	r := newRig(t)
	d := r.state.Document
	d.Shards[4].Role = routing.Dedicated
	d.Tenants = []routing.TenantPlacement{{Tenant: "mega", Shards: []routing.ShardID{4}}}
	r.numbers = r.even()
	r.numbers.Config.Mode = policy.ModeAuto
	r.plan(policy.FixIsolate, policy.Step{Kind: policy.StepReturnTenant, Tenant: "mega", Shards: []string{"spare-0"}})
	r.numbers.Decision.Plans[0].Hotspot = ""
	r.until(1, operation.Grace)
	if d := r.state.Document; len(d.Tenants) != 0 || d.Shards[4].Role != routing.Spare {
		t.Errorf("tenants %v, the shard is %s", d.Tenants, d.Shards[4].Role)
	}
}
