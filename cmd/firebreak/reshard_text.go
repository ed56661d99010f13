package main

import (
	"fmt"
	"slices"
	"strings"

	"firebreak/policy"
	"firebreak/routing"
)

// reshardReport is the answer of reshard plan, and its form as JSON: schema 1, within which members keep their name and meaning.
type reshardReport struct {
	Schema  int    `json:"schema"`
	Type    string `json:"type"`
	Fleet   string `json:"fleet"` // names are escaped as in the document
	From    int    `json:"from"`
	To      int    `json:"to"`
	VShards int    `json:"vshards"` // that are shared out
	Moved   int    `json:"moved"`
	// MovedShare is Moved of VShards, ModuloShare what hashing modulo To instead of From would move; 0 to 1.
	MovedShare  float64        `json:"moved_share"`
	ModuloShare float64        `json:"modulo_share"`
	Shards      []reshardShard `json:"shards"`
	Steps       []reshardStep  `json:"steps"`
	// StrandedTenants are placed on a shard that leaves; no step sends them elsewhere.
	StrandedTenants []string `json:"stranded_tenants"`
}

// reshardShard is what a shard owns before and after, and its role after.
type reshardShard struct {
	Name   string       `json:"name"`
	Role   routing.Role `json:"role"`
	Before int          `json:"before"`
	After  int          `json:"after"`
}

type reshardStep struct {
	Moved int     `json:"moved"`
	Share float64 `json:"share"`
	// Largest and Smallest are what a serving shard owns after the step.
	Largest  int           `json:"largest"`
	Smallest int           `json:"smallest"`
	Bytes    int           `json:"document_bytes"`
	Moves    []reshardMove `json:"moves"`
}

type reshardMove struct {
	VShard routing.VShard `json:"vshard"`
	From   string         `json:"from"`
	To     string         `json:"to"`
}

func newReshardReport(d *routing.Document, r *routing.Reshard) (*reshardReport, error) {
	report := &reshardReport{
		Schema: 1, Type: "reshard_plan", Fleet: routing.Escape(d.Fleet), From: r.From, To: r.To, VShards: r.VShards, Moved: r.Moved,
		MovedShare: r.Share(), ModuloShare: routing.ModuloShare(r.From, r.To),
		Steps: make([]reshardStep, 0, len(r.Steps)), StrandedTenants: make([]string, 0, len(r.Tenants)),
	}
	for _, t := range r.Tenants {
		report.StrandedTenants = append(report.StrandedTenants, routing.Escape(t))
	}
	table, err := routing.NewTable(d)
	if err != nil {
		return nil, err
	}
	before := ownedBy(table)
	for i := range r.Steps {
		next, err := table.With(r.Steps[i].Document)
		if err != nil {
			return nil, err
		}
		step, err := newReshardStep(table, next, r.Steps[i].Moves, r.VShards)
		if err != nil {
			return nil, err
		}
		report.Steps = append(report.Steps, step)
		table = next
	}
	after := ownedBy(table)
	for i, s := range table.Document().Shards {
		shard := reshardShard{Name: routing.Escape(s.Name), Role: s.Role, After: after[i]}
		if i < len(before) {
			shard.Before = before[i]
		}
		report.Shards = append(report.Shards, shard)
	}
	return report, nil
}

func newReshardStep(was, is *routing.Table, moves []routing.Move, vshards int) (reshardStep, error) {
	encoded, err := is.Document().Encode()
	if err != nil {
		return reshardStep{}, err
	}
	step := reshardStep{Moved: len(moves), Share: float64(len(moves)) / float64(vshards), Bytes: len(encoded), Moves: make([]reshardMove, 0, len(moves))}
	shards := is.Document().Shards
	var serving []int
	for i, n := range ownedBy(is) {
		if shards[i].Role == routing.Serving {
			serving = append(serving, n)
		}
	}
	step.Largest, step.Smallest = slices.Max(serving), slices.Min(serving)
	for _, m := range moves {
		step.Moves = append(step.Moves, reshardMove{
			VShard: m.VShard, From: routing.Escape(shards[was.Owner(m.VShard)].Name), To: routing.Escape(shards[m.To].Name),
		})
	}
	return step, nil
}

// ownedBy counts the virtual shards of each shard.
func ownedBy(t *routing.Table) []int {
	counts := make([]int, t.Shards())
	for v := range t.VShards() {
		counts[t.Owner(routing.VShard(v))]++
	}
	return counts
}

// text is the report for people: the answer first, then who gives and takes, then the steps.
func (r *reshardReport) text() string {
	var b strings.Builder
	if r.Moved == 0 {
		each := quantity(r.most(), "virtual shard", "virtual shards")
		if r.least() < r.most() {
			each = whole(r.least()) + " or " + each
		}
		fmt.Fprintf(&b, "Nothing moves: each of %s owns %s.\n", shards(r.To), each)
		r.stranded(&b)
		return b.String()
	}
	fmt.Fprintf(&b, "From %s to %s: %s of %s move, %s of the keys, in %s.\n", whole(r.From), shards(r.To), whole(r.Moved),
		quantity(r.VShards, "virtual shard", "virtual shards"), percent(r.MovedShare), quantity(len(r.Steps), "step", "steps"))
	if r.From != r.To {
		fmt.Fprintf(&b, "Hashing modulo %s instead of %s would move %s of them. Fewer than these cannot make the fleet even.\n",
			whole(r.To), whole(r.From), percent(r.ModuloShare))
	}
	r.owners(&b)
	fmt.Fprintf(&b, "\nSTEPS, each at most 10 %% of the fleet\n")
	var t table
	t.header("step", "moves", "of the keys", "largest shard", "smallest", "document")
	for i, s := range r.Steps {
		t.row(whole(i+1), whole(s.Moved), percent(s.Share), whole(s.Largest), whole(s.Smallest), whole(s.Bytes)+" bytes")
	}
	t.write(&b)
	fmt.Fprintf(&b, "  Largest and smallest are virtual shards of a shard that serves. --output json lists each move.\n")
	if one := 1 / float64(r.VShards); one > policy.Default().MovedAtMost {
		fmt.Fprintf(&b, "  One virtual shard is %s of the keys: each step needs a person.\n", percent(one))
	}
	r.stranded(&b)
	return b.String()
}

func (r *reshardReport) least() int {
	least := -1
	for _, s := range r.Shards {
		if s.Role == routing.Serving && (least < 0 || s.After < least) {
			least = s.After
		}
	}
	return least
}

func (r *reshardReport) most() int {
	most := 0
	for _, s := range r.Shards {
		if s.Role == routing.Serving {
			most = max(most, s.After)
		}
	}
	return most
}

// owners writes what shards own before and after, those with the same change in one line.
func (r *reshardReport) owners(b *strings.Builder) {
	type change struct {
		role          routing.Role
		before, after int
	}
	var changes []change
	members := map[change][]string{}
	for _, s := range r.Shards {
		c := change{s.Role, s.Before, s.After}
		if members[c] == nil {
			changes = append(changes, c)
		}
		members[c] = append(members[c], s.Name)
	}
	fmt.Fprintf(b, "\nSHARDS, by the virtual shards that they own\n")
	var t table
	t.header("shards", "before", "after", "role after", "")
	for _, c := range changes {
		names := members[c]
		list := shownEscaped(names[0])
		if len(names) > 1 {
			list += " to " + shownEscaped(names[len(names)-1])
		}
		t.row(whole(len(names)), whole(c.before), whole(c.after), c.role.String(), list)
	}
	t.write(b)
}

func (r *reshardReport) stranded(b *strings.Builder) {
	if len(r.StrandedTenants) == 0 {
		return
	}
	names := make([]string, 0, len(r.StrandedTenants))
	for _, t := range r.StrandedTenants {
		names = append(names, shownEscaped(t))
	}
	fmt.Fprintf(b, "\nPlaced on a shard that leaves, and to be placed elsewhere first: %s.\n", strings.Join(names, ", "))
}

// shownEscaped shows a name that is escaped as in the document.
func shownEscaped(name string) string {
	if raw, err := routing.Unescape(name); err == nil {
		name = raw
	}
	return shownName(name)
}
