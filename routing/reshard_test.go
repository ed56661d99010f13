package routing

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustReshard(t testing.TB, d *Document, to int, most float64) *Reshard {
	t.Helper()
	r, err := d.PlanReshard(to, most)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// last is the document after all steps.
func last(d *Document, r *Reshard) *Document {
	if len(r.Steps) == 0 {
		return d
	}
	return r.Steps[len(r.Steps)-1].Document
}

func compiled(t rapid.TB, d *Document) *Table {
	t.Helper()
	table, err := NewTable(d)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// owned counts the virtual shards of each shard.
func owned(t rapid.TB, d *Document) []int {
	t.Helper()
	table := compiled(t, d)
	counts := make([]int, len(d.Shards))
	for v := range VShard(table.VShards()) {
		counts[table.Owner(v)]++
	}
	return counts
}

// TestReshard64To80 is the example of the documentation: a fifth of the keys moves, where a modulo would move four fifths.
func TestReshard64To80(t *testing.T) {
	d := mustAdopt(t, Placement{Bytes: "key", Function: XXH64, Map: ModN}, NumberedShards(64))
	r := mustReshard(t, d, 80, 0.10)
	if r.From != 64 || r.Moved != 2048 || len(r.Steps) != 2 || r.Share() != 0.2 || math.Abs(ModuloShare(64, 80)-0.8) > 1e-12 {
		t.Errorf("from %d, moved %d of %d in %d steps, share %v, modulo %v", r.From, r.Moved, r.VShards, len(r.Steps), r.Share(), ModuloShare(64, 80))
	}
	for s, n := range owned(t, r.Steps[0].Document) { // all give and take in turns
		if want := map[bool]int{true: 144, false: 64}[s < 64]; n != want {
			t.Errorf("after the first step shard %d owns %d virtual shards, want %d", s, n, want)
		}
	}
	for s, n := range owned(t, last(d, r)) {
		if n != 128 {
			t.Errorf("shard %d owns %d virtual shards, want 128", s, n)
		}
	}
	back := mustReshard(t, last(d, r), 64, 0.10)
	if diff := cmp.Diff(d.Moves, last(nil, back).Moves); diff != "" || back.Moved != 2048 {
		t.Errorf("there and back: %d moved, moves (-want +got):\n%s", back.Moved, diff)
	}
	for i, s := range last(nil, back).Shards {
		if want := map[bool]Role{true: Serving, false: Draining}[i < 64]; s.Role != want {
			t.Errorf("after the way back %s is %s, want %s", s.Name, s.Role, want)
		}
	}
}

// TestModuloShare counts, for all small fleets, the values of a hash that change their shard.
func TestModuloShare(t *testing.T) {
	for from := 1; from <= 12; from++ {
		for to := 1; to <= 12; to++ {
			moved, all := 0, from*to
			for h := range all {
				if h%from != h%to {
					moved++
				}
			}
			if got, want := ModuloShare(from, to), float64(moved)/float64(all); math.Abs(got-want) > 1e-12 {
				t.Errorf("ModuloShare(%d, %d) = %v, want %v", from, to, got, want)
			}
		}
	}
}

// drawFleet draws a fleet with shards of all roles and moves between them.
func drawFleet(t *rapid.T, maxShards, maxVShards int) *Document {
	n := rapid.IntRange(1, maxShards).Draw(t, "shards")
	shards := NumberedShards(n)
	for range rapid.IntRange(0, 2).Draw(t, "others") {
		role := rapid.SampledFrom([]Role{Spare, Dedicated, RoleUnknown}).Draw(t, "role")
		shards = append(shards, Shard{Name: "other-" + string(rune('a'+len(shards))), Role: role})
	}
	p := Placement{Bytes: "key", Function: XXH64, Map: ModN, Shards: n, VShards: n * rapid.IntRange(1, max(1, maxVShards/n)).Draw(t, "each")}
	d, err := Adopt("fleet", p, shards)
	if err != nil {
		t.Fatal(err)
	}
	var targets []ShardID
	for i := range shards {
		if shards[i].Role == Serving && i > 0 && rapid.IntRange(0, 4).Draw(t, "drains") == 0 {
			d.Shards[i].Role = Draining
		}
		if shards[i].Role != RoleUnknown {
			targets = append(targets, ShardID(i))
		}
	}
	vshard := rapid.IntRange(0, p.VShards-1)
	for _, v := range rapid.SliceOfNDistinct(vshard, 0, p.VShards/2, rapid.ID).Draw(t, "moves") {
		d.Moves = append(d.Moves, Move{VShard(v), rapid.SampledFrom(targets).Draw(t, "to")})
	}
	d.Normalize()
	return d
}

// TestReshardIsSmallest tries all ways to share out small fleets: none that is even moves less.
func TestReshardIsSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawFleet(t, 3, 6)
		to := rapid.IntRange(1, 4).Draw(t, "to")
		r, err := d.PlanReshard(to, 1)
		if err != nil {
			return // checked by TestReshardSteps
		}
		table := compiled(t, d)
		var owners []ShardID // of the virtual shards that are shared out
		for v := range VShard(table.VShards()) {
			if o := table.Owner(v); d.Shards[o].Role != Dedicated {
				owners = append(owners, o)
			}
		}
		var serve []ShardID
		for i, s := range last(d, r).Shards {
			if s.Role == Serving {
				serve = append(serve, ShardID(i))
			}
		}
		if least := fewest(owners, serve); r.Moved != least {
			t.Fatalf("%d virtual shards move, %d would be enough", r.Moved, least)
		}
	})
}

// fewest is the smallest number of moves after which each of serve owns as many as any other, or one less, by trying all.
func fewest(owners, serve []ShardID) int {
	least := len(owners) + 1
	counts := make([]int, len(serve))
	var try func(v, moved int)
	try = func(v, moved int) {
		if v == len(owners) {
			if slices.Max(counts)-slices.Min(counts) <= 1 {
				least = min(least, moved)
			}
			return
		}
		for i, s := range serve {
			cost := 1
			if owners[v] == s {
				cost = 0
			}
			counts[i]++
			try(v+1, moved+cost)
			counts[i]--
		}
	}
	try(0, 0)
	return least
}

// TestReshardSteps: every step is a valid document of the same base map, moves what it says and no more than it may, and leaves no
// receiver with more than it has in the end; all steps together are the plan, and end even.
func TestReshardSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawFleet(t, 12, 200)
		to := rapid.IntRange(1, 16).Draw(t, "to")
		most := rapid.Float64Range(0.01, 0.5).Draw(t, "most")
		r, err := d.PlanReshard(to, most)
		if err != nil {
			if !strings.Contains(err.Error(), "virtual shards to share out") {
				t.Fatal(err)
			}
			return
		}
		begin, end := owned(t, d), owned(t, last(d, r))
		checkEven(t, last(d, r), end, to)
		before, moved := d, map[VShard]bool{}
		for i, step := range r.Steps {
			if err := step.Document.Validate(); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			if err := d.SameBase(step.Document); err != nil || step.Document.Version != before.Version+1 {
				t.Fatalf("step %d: version %d after %d, %v", i, step.Document.Version, before.Version, err)
			}
			if len(step.Moves) > max(1, int(most*float64(r.VShards)+1e-9)) {
				t.Fatalf("step %d moves %d of %d, want at most %v", i, len(step.Moves), r.VShards, most)
			}
			checkStep(t, before, step, moved)
			for s, n := range owned(t, step.Document) {
				if (s >= len(begin) || n > begin[s]) && n > end[s] {
					t.Fatalf("step %d: shard %d owns %d virtual shards, %d in the end", i, s, n, end[s])
				}
			}
			before = step.Document
		}
		if len(moved) != r.Moved {
			t.Fatalf("the steps move %d virtual shards, the plan says %d", len(moved), r.Moved)
		}
	})
}

// checkStep compares the owners before and after a step with its moves.
func checkStep(t *rapid.T, before *Document, step ReshardStep, moved map[VShard]bool) {
	was, is := compiled(t, before), compiled(t, step.Document)
	to := map[VShard]ShardID{}
	for _, m := range step.Moves {
		if moved[m.VShard] {
			t.Fatalf("virtual shard %d moves twice", m.VShard)
		}
		moved[m.VShard], to[m.VShard] = true, m.To
	}
	for v := range VShard(is.VShards()) {
		want, moves := to[v]
		if !moves {
			want = was.Owner(v)
		}
		if is.Owner(v) != want || moves && was.Owner(v) == want {
			t.Fatalf("virtual shard %d goes from %d to %d, want %d", v, was.Owner(v), is.Owner(v), want)
		}
	}
}

// checkEven wants as many serving shards as asked for, each with as many virtual shards as any other, or one less, and nothing on those
// that leave or wait.
func checkEven(t *rapid.T, d *Document, counts []int, to int) {
	var serving []int
	for s, n := range counts {
		switch d.Shards[s].Role {
		case Serving:
			serving = append(serving, n)
		case Dedicated:
		case RoleUnknown, Spare, Draining:
			if n > 0 {
				t.Fatalf("shard %d is %s and owns %d virtual shards", s, d.Shards[s].Role, n)
			}
		}
	}
	if len(serving) != to || slices.Max(serving)-slices.Min(serving) > 1 {
		t.Fatalf("%d serving shards own %v, want %d that are even", len(serving), serving, to)
	}
}

func TestReshardErrors(t *testing.T) {
	adopt := func(m OwnerMap, n, v int) *Document {
		p := Placement{Bytes: "key", Function: XXH64, Map: m, VShards: v}
		if m == Ring {
			p.VirtualNodes = v / n
		}
		return mustAdopt(t, p, NumberedShards(n))
	}
	for _, tc := range []struct {
		d    *Document
		to   int
		want string
	}{
		{adopt(ModN, 4, 8), 0, "shards: 0"},
		{adopt(ModN, 4, 8), 9, "there are 8 virtual shards to share out"},
		{adopt(ModN, 4, 8), MaxShards + 1, "shards: 2049"},
		{adopt(Ring, 4, 8), 5, "ring parts the keys unevenly"},
		{adopt(ModN, 64, 0), 128, "encoded, want at most 102400"},
		{&Document{}, 5, "schema"},
	} {
		if _, err := tc.d.PlanReshard(tc.to, 0.1); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("PlanReshard(%d) = %v, want an error that says %q", tc.to, err, tc.want)
		}
	}
}

// TestReshardNames: spare shards serve before new ones are added, whose names are free; a placed tenant is named.
func TestReshardNames(t *testing.T) {
	shards := append(NumberedShards(2), Shard{Name: "shard-4", Role: Spare}, Shard{Name: "own", Role: Dedicated})
	d := mustAdopt(t, Placement{Bytes: "key", Function: XXH64, Map: ModN, VShards: 12}, shards)
	r := mustReshard(t, d, 4, 1)
	var names []string
	for _, s := range last(d, r).Shards {
		names = append(names, s.Name+" "+s.Role.String())
	}
	want := []string{"shard-0 serving", "shard-1 serving", "shard-4 serving", "own dedicated", "shard-5 serving"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("shards (-want +got):\n%s", diff)
	}
	d.Tenants = []TenantPlacement{{"here", []ShardID{0}}, {"there", []ShardID{0, 1}}}
	if r := mustReshard(t, d, 1, 1); !cmp.Equal(r.Tenants, []string{"there"}) {
		t.Errorf("tenants of shards that leave: %q, want there", r.Tenants)
	}
}
