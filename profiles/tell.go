package profiles

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/routing"
)

// maxShown is how many commands of a step a plan shows; the others are counted.
const maxShown = 12

// Where is what a plan stands on.
type Where struct {
	Table  *routing.Table // in force when it was made
	Hot    string         // name of the shard that it cools; empty = not known
	Hidden bool           // names are hidden: no command holds one, nor what only they tell
}

// Tell gives each step of a plan the words of the store.
func (s *Store) Tell(l *line.Plan, w Where) {
	if s == nil {
		return
	}
	for i := range l.Steps {
		step := &l.Steps[i]
		way := s.Profile.Fixes.step(step.Kind)
		if way == nil {
			continue
		}
		step.InStore = s.words(way)
		commands := s.commands(way, step, w)
		step.InStore.More = max(0, len(commands)-maxShown)
		step.InStore.Commands = append(step.InStore.Commands, commands[:len(commands)-step.InStore.More]...)
	}
}

// Says is a fix in the words of the store, without commands; nil where there is no fix, or no store.
func (s *Store) Says(fix policy.Fix) *line.InStore {
	if s == nil {
		return nil
	}
	way := s.Profile.Fixes.of(fix)
	if way == nil {
		return nil
	}
	return s.words(way)
}

func (s *Store) words(way *Way) *line.InStore {
	return &line.InStore{
		Store: line.Prose(s.Profile.Store), Called: line.Prose(way.Called), Possible: way.Possible.String(), Reason: line.Prose(way.Reason), Commands: []line.Command{},
	}
}

// Commands are those that make a step, in their order. The error says why a mover must not run them: the store does not let it, no
// test shows that they do it, or something is not known.
func (s *Store) Commands(step *line.Step, w Where) ([]line.Command, error) {
	if s == nil {
		return nil, fmt.Errorf("the fleet names no profile")
	}
	way := s.Profile.Fixes.step(step.Kind)
	switch {
	case way == nil:
		return nil, fmt.Errorf("%s has no word for %s", s.Profile.Store, step.Kind)
	case way.Possible != PossibleYes:
		return nil, fmt.Errorf("%s in %s is %s: %s", step.Kind, s.Profile.Store, way.Possible, way.Reason)
	}
	commands := s.commands(way, step, w)
	for i := range commands {
		if needs := commands[i].Needs; len(needs) > 0 {
			return nil, fmt.Errorf("%s in %s: not known: %s", step.Kind, s.Profile.Store, strings.Join(needs, ", "))
		}
	}
	return commands, nil
}

// pair is a shard that gives and one that receives, with the slots that go; an empty name is not known.
type pair struct {
	from, to string
	slots    []int
	count    int
}

// commands fills the templates of a way. Those that stand side by side and are made for each slot go slot by slot.
func (s *Store) commands(way *Way, step *line.Step, w Where) (out []line.Command) {
	pairs := s.pairs(step, w)
	for i := 0; i < len(way.Commands); {
		each := way.Commands[i].Each
		if each == EachStep {
			out = append(out, s.filled(&way.Commands[i], step, &pairs[0], nil, w))
			i++
			continue
		}
		end := i
		for end < len(way.Commands) && way.Commands[end].Each != EachStep {
			end++
		}
		for j := range pairs {
			out = append(out, s.run(way.Commands[i:end], step, &pairs[j], w)...)
		}
		i = end
	}
	return out
}

// run makes the commands for one pair of shards.
func (s *Store) run(templates []Command, step *line.Step, p *pair, w Where) (out []line.Command) {
	for i := 0; i < len(templates); {
		if templates[i].Each == EachReceiver {
			out = append(out, s.filled(&templates[i], step, p, nil, w))
			i++
			continue
		}
		end := i
		for end < len(templates) && templates[end].Each == EachSlot {
			end++
		}
		slots := make([]*int, 0, len(p.slots))
		for n := range p.slots {
			slots = append(slots, &p.slots[n])
		}
		if len(slots) == 0 {
			slots = append(slots, nil) // once, with what it needs
		}
		for _, slot := range slots {
			for j := i; j < end; j++ {
				out = append(out, s.filled(&templates[j], step, p, slot, w))
			}
		}
		i = end
	}
	return out
}

// pairs are the shards between which a step moves something, at least one.
func (s *Store) pairs(step *line.Step, w Where) []pair {
	var out []pair
	at := map[[2]string]int{}
	add := func(from, to string, slot int, known bool) {
		i, ok := at[[2]string{from, to}]
		if !ok {
			i = len(out)
			at[[2]string{from, to}], out = i, append(out, pair{from: from, to: to})
		}
		if out[i].count++; known {
			out[i].slots = append(out[i].slots, slot)
		}
	}
	slots := s.slots(w.Table)
	for _, m := range step.Moves {
		add(cmp.Or(owner(w.Table, m.VShard), w.Hot), string(m.To), m.VShard, slots)
	}
	if len(step.Moves) > 0 {
		return out
	}
	from, slot, known := w.Hot, 0, false
	if v, ok := home(step, w); ok && slots {
		from, slot, known = owner(w.Table, v), v, true
	}
	for _, to := range step.Shards {
		add(from, string(to), slot, known)
	}
	if len(out) == 0 {
		add(from, "", slot, known)
	}
	return out
}

// slots says whether the virtual shards of a table are the slots of the store.
func (s *Store) slots(t *routing.Table) bool {
	if t == nil || s.Profile.Slots == "" {
		return false
	}
	p := t.Document().Placement
	return p.Map != routing.Explicit && p.Function.String() == s.Profile.Slots
}

// home is the virtual shard of what a step places, where its names tell it.
func home(step *line.Step, w Where) (vshard int, ok bool) {
	if w.Table == nil || w.Hidden {
		return 0, false
	}
	p := w.Table.Document().Placement
	switch step.Kind {
	case policy.StepPlaceKey.String():
		ok = !p.HasTenant() || step.Tenant != ""
	case policy.StepPlaceTenant.String():
		ok = !p.HasKey()
	}
	if !ok {
		return 0, false
	}
	return int(w.Table.VShard([]byte(step.Tenant), []byte(step.Key))), true
}

// owner names the shard that has a virtual shard; empty where it is not known.
func owner(t *routing.Table, vshard int) string {
	if t == nil || vshard < 0 || vshard >= t.VShards() {
		return ""
	}
	id := t.Owner(routing.VShard(vshard))
	if shards := t.Document().Shards; id >= 0 && int(id) < len(shards) {
		return shards[id].Name
	}
	return ""
}

// filled is one command with its fields.
func (s *Store) filled(c *Command, step *line.Step, p *pair, slot *int, w Where) line.Command {
	argv, needs := c.fill(func(field string) (string, bool) { return s.field(field, step, p, slot, w) })
	out := line.Command{Stdin: c.Stdin, Needs: needs, Argv: make([]line.Name, len(argv))}
	for i, a := range argv {
		out.Argv[i] = line.Name(a)
	}
	return out
}

// field is the value of a field, and whether it is known.
func (s *Store) field(field string, step *line.Step, p *pair, slot *int, w Where) (string, bool) {
	if kind, name, ok := strings.Cut(field, "."); ok {
		settings := s.choice.Set
		switch kind {
		case "shard":
			settings = s.choice.Shards[p.from]
		case "receiver":
			settings = s.choice.Shards[p.to]
		}
		value, ok := settings[name]
		return value, ok
	}
	name := func(n line.Name) (string, bool) { return string(n), n != "" && !w.Hidden }
	switch field {
	case "shard":
		return p.from, p.from != ""
	case "receiver":
		return p.to, p.to != ""
	case "slot":
		if slot == nil {
			return "", false
		}
		return strconv.Itoa(*slot), true
	case "count":
		return strconv.Itoa(p.count), len(step.Moves) > 0
	case "key":
		return name(step.Key)
	case "tenant":
		return name(step.Tenant)
	case "caller":
		return name(step.Caller)
	case "rate":
		return plain(float64(step.Rate)), step.Rate > 0
	case "pieces":
		return strconv.Itoa(len(step.Suffixes)), len(step.Suffixes) > 0
	}
	return "", false
}
