package quality

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/quality anew")

// goldenFleets is how many small fleets the golden table rests on, and mostGolden the shards that a small one has.
const (
	goldenFleets = 60
	mostGolden   = 40
)

// smallFleets runs the first n fleets from the seed on that have few shards.
func smallFleets(t *testing.T, seed uint64, n int) []*Result {
	t.Helper()
	var out []*Result
	for ; len(out) < n; seed++ {
		if f := mustDraw(t, seed); f.Shards <= mostGolden {
			out = append(out, Run(f))
		}
	}
	return out
}

// TestTable is the quality table over a small fixed set.
func TestTable(t *testing.T) {
	if testing.Short() {
		t.Skip("runs 60 fleets")
	}
	golden(t, "table.txt", smallFleets(t, 1, goldenFleets))
}

// TestEveryFleetHasAPlacement: each fleet stands in one row of placements.
func TestEveryFleetHasAPlacement(t *testing.T) {
	for seed := range uint64(40) {
		results, rows := []*Result{{Header: mustDraw(t, 1+seed).Header}}, 0
		for _, name := range placements() {
			rows += len(placedBy(results, name))
		}
		if rows != 1 {
			t.Errorf("a fleet placed by %q stands in %d rows", results[0].Placement, rows)
		}
	}
}

// golden compares table and goals with a file of testdata/quality, or writes it.
func golden(t *testing.T, name string, results []*Result) {
	t.Helper()
	var got bytes.Buffer
	if err := WriteTable(&got, results); err != nil {
		t.Fatal(err)
	}
	if err := WriteGoals(&got, Goals(results)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "testdata", "quality", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got); where the policy was changed on purpose, look at what moved and run with -update:\n%s", name, diff)
	}
}

// TestWorkersDoNotMatter: the same seeds give the same results, in order, with one worker and with three.
func TestWorkersDoNotMatter(t *testing.T) {
	one, err := Bench(context.Background(), 4, 3, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	three, err := Bench(context.Background(), 4, 3, 3, func(*Result) { calls++ })
	if err != nil {
		t.Fatal(err)
	}
	if calls != 3 {
		t.Errorf("done was called %d times, want 3", calls)
	}
	if diff := cmp.Diff(one, three, cmp.AllowUnexported(Truth{}, object{})); diff != "" {
		t.Errorf("results (-one worker +three):\n%s", diff)
	}
}

func TestBenchStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Bench(ctx, 1, 1000, 1, nil); err == nil {
		t.Error("a cancelled bench ends without an error")
	}
}

// TestExport reads back what was written.
func TestExport(t *testing.T) {
	results := []*Result{Run(mustDraw(t, 4))}
	for _, format := range []string{"csv", "json"} {
		dir := filepath.Join(t.TempDir(), "answers")
		if err := Export(dir, format, results); err != nil {
			t.Fatal(err)
		}
		for name, rows := range map[string]int{"fleets": 1, "shards": results[0].Shards, "answers": len(results[0].Events)} {
			data, err := os.ReadFile(filepath.Join(dir, name+"."+format))
			if err != nil {
				t.Fatal(err)
			}
			if format == "csv" {
				rows++
			}
			if got := bytes.Count(data, []byte("\n")); got != rows {
				t.Errorf("%s.%s has %d lines, want %d", name, format, got, rows)
			}
		}
	}
}
