package profiles

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/internal/line"
	"firebreak/internal/words"
	"firebreak/policy"
	"firebreak/routing"
)

var update = flag.Bool("update", false, "write the golden files")

// everything is a plan with a step of every kind.
func everything() *line.Plan {
	step := func(kind policy.StepKind, s line.Step) line.Step {
		s.Kind = kind.String()
		return s
	}
	var moves []line.Move
	for slot := range 6 {
		moves = append(moves, line.Move{VShard: 40 + slot, To: line.Name(fmt.Sprintf("shard-%d", 1+slot%2))})
	}
	return &line.Plan{Steps: []line.Step{
		step(policy.StepMove, line.Step{Moves: moves}),
		step(policy.StepNative, line.Step{Moves: moves[:2]}),
		step(policy.StepSalt, line.Step{Key: "cart:7", Suffixes: []uint32{0, 3, 9}}),
		step(policy.StepCache, line.Step{Key: "cart:7"}),
		step(policy.StepPlaceTenant, line.Step{Tenant: "O'Brien; DROP TABLE x", Shards: []line.Name{"shard-2"}}),
		step(policy.StepPlaceKey, line.Step{Key: "cart:7", Shards: []line.Name{"shard-2"}}),
		step(policy.StepQuota, line.Step{Tenant: "acme", Rate: 120.2}),
		step(policy.StepLimitCaller, line.Step{Caller: "batch", Rate: 50}),
		step(policy.StepAddShards, line.Step{Shards: []line.Name{"shard-3"}}),
		step(policy.StepUnsalt, line.Step{Key: "cart:7"}),
		step(policy.StepReturnTenant, line.Step{Tenant: "acme"}),
	}}
}

func slotTable(t interface{ Fatal(...any) }) *routing.Table {
	doc, err := routing.Adopt("f", routing.Placement{Bytes: "key", Function: routing.RedisSlot, Map: routing.List}, routing.NumberedShards(3))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// full is a choice of a profile with every setting of the fleet and of four shards.
func full(p *Profile) Choice {
	c := Choice{Name: p.Name, Set: map[string]string{}, Shards: map[string]map[string]string{}}
	for name := range p.Settings.Fleet {
		c.Set[name] = "our-" + name
	}
	for i := range 4 {
		shard := map[string]string{}
		for name := range p.Settings.Shard {
			shard[name] = fmt.Sprintf("%s%d", name, i)
		}
		c.Shards[fmt.Sprintf("shard-%d", i)] = shard
	}
	return c
}

// TestGolden: every step in the words of every store that firebreak brings along, with its commands.
func TestGolden(t *testing.T) {
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		plan := everything()
		(&Store{p, full(p)}).Tell(plan, Where{Table: slotTable(t), Hot: "shard-0"})
		for i := range plan.Steps {
			in := plan.Steps[i].InStore
			fmt.Fprintf(&b, "%s: %s\n%s\n", plan.Steps[i].Kind, in.Possible, words.InStore(in).Quoted())
			for _, c := range words.Commands(in) {
				b.WriteString("  " + c + "\n")
			}
		}
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestCommands: only what is possible, and wholly known, is given to a mover.
func TestCommands(t *testing.T) {
	table := slotTable(t)
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		known, bare := &Store{p, full(p)}, &Store{Profile: p}
		plan := everything()
		for i := range plan.Steps {
			step := &plan.Steps[i]
			commands, err := known.Commands(step, Where{Table: table})
			way := p.Fixes.step(step.Kind)
			if (way.Possible != PossibleYes) && err == nil {
				t.Errorf("%s: %s is %s, and %d commands are to be run", name, step.Kind, way.Possible, len(commands))
			}
			if err == nil && len(commands) == 0 {
				t.Errorf("%s: %s: nothing to run", name, step.Kind)
			}
			if commands, err := bare.Commands(step, Where{Table: table}); err == nil {
				t.Errorf("%s: %s: %d commands without a setting", name, step.Kind, len(commands))
			}
		}
	}
	var none *Store
	if _, err := none.Commands(&everything().Steps[0], Where{}); err == nil {
		t.Error("a fleet without a profile runs commands")
	}
	p, err := Builtin("redis-cluster")
	if err != nil {
		t.Fatal(err)
	}
	moved := everything().Steps[0]
	commands, err := (&Store{p, full(p)}).Commands(&moved, Where{Table: table})
	if err != nil || len(commands) != 2*6+2 {
		t.Errorf("%d commands for 6 slots to 2 shards, %v", len(commands), err)
	}
	if _, err := (&Store{p, full(p)}).Commands(&moved, Where{}); err == nil || !strings.Contains(err.Error(), "slot") {
		t.Errorf("slots of a table that is not known: %v", err)
	}
}

// TestHostileNames: no byte of a name changes how many arguments a command has, nor which of them is an option or what it reads; and
// where names are hidden no command holds one.
func TestHostileNames(t *testing.T) {
	table := slotTable(t)
	name := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 1, 60).Draw(t, "bytes")) }),
		rapid.SampledFrom([]string{"--help", "-x", "a b", "a\nb", "{key}", "{{", "'; DROP TABLE x; --", "$(reboot)", "`id`", "\x00", "a=b", "\xff", "@file", "file:///etc/passwd"}),
	)
	var stores []*Store
	for _, n := range Names() {
		p, err := Builtin(n)
		if err != nil {
			t.Fatal(err)
		}
		stores = append(stores, &Store{p, full(p)})
	}
	rapid.Check(t, func(t *rapid.T) {
		key, tenant, caller, shard := name.Draw(t, "key"), name.Draw(t, "tenant"), name.Draw(t, "caller"), name.Draw(t, "shard")
		for _, s := range stores {
			tame, hostile, hidden := everything(), everything(), everything()
			for _, p := range []*line.Plan{hostile, hidden} {
				for i := range p.Steps {
					step := &p.Steps[i]
					if step.Key != "" {
						step.Key = line.Name(key)
					}
					if step.Tenant != "" {
						step.Tenant = line.Name(tenant)
					}
					if step.Caller != "" {
						step.Caller = line.Name(caller)
					}
				}
			}
			s.Tell(tame, Where{Table: table, Hot: "shard-0"})
			s.Tell(hostile, Where{Table: table, Hot: shard})
			s.Tell(hidden, Where{Table: table, Hot: "shard-0", Hidden: true})
			for i := range tame.Steps {
				same(t, s.Profile, tame.Steps[i].InStore.Commands, hostile.Steps[i].InStore.Commands)
				for _, c := range hidden.Steps[i].InStore.Commands {
					if len(tenant) > 8 && bytes.Contains([]byte(words.Shell(c.Argv)), []byte(tenant)) {
						t.Fatalf("%q holds the tenant", c.Argv)
					}
				}
			}
		}
	})
}

// same fails where hostile names made another command than tame ones: all but values behind NAME= or -- is the same.
func same(t *rapid.T, p *Profile, tame, hostile []line.Command) {
	if len(tame) != len(hostile) {
		t.Fatalf("%s: %d commands, want %d", p.Name, len(hostile), len(tame))
	}
	for i := range tame {
		a, b := tame[i].Argv, hostile[i].Argv
		if len(a) != len(b) || tame[i].Stdin != hostile[i].Stdin {
			t.Fatalf("%s: %q, want as many arguments as %q", p.Name, b, a)
		}
		for j := range a {
			if a[j] == b[j] {
				continue
			}
			at, _, valued := strings.Cut(string(a[j]), "=")
			if !valued || !strings.HasPrefix(string(b[j]), at+"=") {
				if !onlySetting(b[j]) {
					t.Fatalf("%s: argument %q, want one like %q", p.Name, b[j], a[j])
				}
			}
		}
	}
}

// onlySetting says whether an argument is of settings, known or not, or a slot: the shard and slot of another key are others.
func onlySetting(a line.Name) bool {
	return regexp.MustCompile(`^(<[a-z.]+>|[0-9]+|(id|host|port)[0-3](:port[0-3])?)$`).MatchString(string(a))
}
