package sketch

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/bench/measure"
	"firebreak/bench/textbook"
)

// tiny takes no time.
func tiny() Config {
	return Config{Panes: 3, Updates: 300, Rounds: measure.MinRounds, Seed: 5, Most: 20_000}
}

// TestContendersCountTheSameWindow: whatever pane was the last, the window holds each pane of the stream once, so that
// every contender that has room for all keys lists exact counts. Ours has at any time, the textbook's by luck of the seed.
func TestContendersCountTheSameWindow(t *testing.T) {
	stream := textbook.Draw(textbook.Kind{Zipf: 1.1, Keys: 60}, 3, 400, 2)
	want := count(stream).top
	for _, c := range slices.Concat(ours(), standard()) {
		w, err := c.Open(stream)
		if err != nil {
			t.Fatal(err)
		}
		for pane := range 8 {
			w.Count(pane)
			if err := w.Turn(pane); err != nil {
				t.Fatal(err)
			}
			if pane < 2 {
				continue
			}
			if diff := cmp.Diff(want, w.Top(longList)); diff != "" {
				t.Errorf("%s, after pane %d (-want +got):\n%s", c.Name, pane, diff)
			}
		}
	}
}

// TestTruth holds the exact counts against the textbook's.
func TestTruth(t *testing.T) {
	stream := textbook.Draw(textbook.Kinds()[0], 2, 3000, 3)
	exact, got := textbook.NewExact(1), count(stream)
	for i := range stream.Len() {
		exact.Add(stream.Key(i), 1)
	}
	if len(got.counts) != exact.Distinct() || len(got.top) < longList {
		t.Fatalf("%d keys, %d listed, want %d and %d or more", len(got.counts), len(got.top), exact.Distinct(), longList)
	}
	if diff := cmp.Diff(exact.Top(longList), got.top[:longList]); diff != "" {
		t.Errorf("heaviest (-want +got):\n%s", diff)
	}
	for i := range stream.Len() {
		if key := string(stream.Key(i)); got.of(key) != exact.Count(key) {
			t.Fatalf("%s: %d, want %d", key, got.of(key), exact.Count(key))
		}
	}
	if got.of("no key of 20") != 0 || got.of("key:nothing-of-these") != 0 {
		t.Error("a key that never came has a count")
	}
}

// TestJudge: figures that can be counted by hand. 200 keys have 1,000, 999, ... 801.
func TestJudge(t *testing.T) {
	exact := &truth{counts: map[name]uint64{}}
	for i := range 200 {
		key := textbook.Entry{Key: string(padded(i)), Count: uint64(1000 - i)}
		exact.top = append(exact.top, key)
		exact.counts[name([]byte(key.Key))] = key.Count
	}
	exact.counts[name(padded(500))] = 450
	exact.counts[name(padded(501))] = 451
	cold := []textbook.Entry{{Key: string(padded(500)), Count: 5000}, {Key: string(padded(501)), Count: 5000}, {Key: "none", Count: 5000}}
	half := slices.Clone(exact.top)
	for i := range half {
		half[i].Count /= 2
	}
	double := append(slices.Clone(exact.top[:50]), exact.top[:50]...)
	for name, c := range map[string]struct {
		list []textbook.Entry
		want Accuracy
	}{
		"exact":   {exact.top, Accuracy{1, 1, 0, 0}},
		"nothing": {nil, Accuracy{0, 0, 1, 0}},
		// 97 of the 100 heaviest are among the first 100, 197 of all 200 among the first 200; two of three are under 901/2.
		"cold":  {append(cold, exact.top...), Accuracy{.97, .985, 0, 2}},
		"half":  {half, Accuracy{1, 1, .5, 0}},
		"twice": {double, Accuracy{.5, .25, .5, 0}},
	} {
		got := exact.judge(c.list)
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < .001 })
		if diff := cmp.Diff(c.want, got, near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// padded is a key of a stream's length.
func padded(i int) []byte {
	key := []byte(strings.Repeat("k", textbook.KeyBytes))
	key[0], key[1], key[2] = byte('0'+i/100), byte('0'+i/10%10), byte('0'+i%10)
	return key
}

// TestRun runs everything briefly: every contender has a row, Ours first, with figures that can be.
func TestRun(t *testing.T) {
	cfg := tiny()
	blind := Contender{Name: "blind", Heavy: true, Open: func(*textbook.Stream) (Window, error) {
		return Window{Count: func(int) {}, Turn: func(int) error { return nil }, Top: func(int) []textbook.Entry { return nil }}, nil
	}}
	cfg.Others = []Contender{blind}
	table, err := Run(cfg)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, c := range slices.Concat(ours(), standard(), cfg.Others) {
		names = append(names, c.Name)
	}
	if len(table) != len(names)*len(textbook.Kinds()) {
		t.Fatalf("%d rows, want %d of each of %d streams", len(table), len(names), len(textbook.Kinds()))
	}
	for i := range table {
		row := &table[i]
		if want := names[i%len(names)]; row.Name != want || row.Stream != textbook.Kinds()[i/len(names)].Name {
			t.Errorf("row %d is %s of %s, want %s", i, row.Name, row.Stream, want)
		}
		checkRow(t, row)
	}
	var out strings.Builder
	if err := table.Write(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, line := range lines[1:] {
		if len(line) != len(lines[0]) {
			t.Errorf("lines do not stand below each other:\n%s\n%s", lines[0], line)
		}
	}
	if len(lines) != 1+len(table) || !strings.Contains(lines[0], "recall@100") {
		t.Errorf("%d lines, want %d with a head:\n%s", len(lines), 1+len(table), out.String())
	}
}

// checkRow checks what a row of a brief run must say: the exact way is exact, the blind one finds nothing, and ours is
// exact as well while all keys have room.
func checkRow(t *testing.T, row *Row) {
	t.Helper()
	switch row.Name {
	case "blind":
		if (row.Accuracy != Accuracy{Error: row.Error}) || math.Abs(row.Error-1) > 1e-9 {
			t.Errorf("%s: %+v, want nothing found", row.Name, row.Accuracy)
		}
		return
	case Ours:
		if row.Times != 1 || row.Most <= 0 || row.Most > 8<<20 {
			t.Errorf("%s: %+v, want 1 time as long as itself, and memory within bounds", row.Name, row)
		}
		fallthrough
	case oursAll, oursMerged, "ring of maps, exact":
		if (row.Accuracy != Accuracy{Recall100: 1, Recall1000: 1}) {
			t.Errorf("%s, %s: %+v, want all found exactly", row.Stream, row.Name, row.Accuracy)
		}
	}
	if row.Nanos <= 0 || row.Least <= 0 || row.Least > row.Nanos || row.Turn <= 0 || row.Worst < row.Turn || row.Top <= 0 || row.Times <= 0 || row.Heap <= 0 {
		t.Errorf("%s, %s: figures that cannot be: %+v", row.Stream, row.Name, row)
	}
}

// TestRunFails: an error of a contender, and a size that cannot be, is an error of the run.
func TestRunFails(t *testing.T) {
	lost := errors.New("lost")
	fine := Window{Count: func(int) {}, Top: func(int) []textbook.Entry { return nil }}
	late := 0
	for name, open := range map[string]func(*textbook.Stream) (Window, error){
		"open": func(*textbook.Stream) (Window, error) { return Window{}, lost },
		"turn": func(*textbook.Stream) (Window, error) {
			fine.Turn = func(int) error { return lost }
			return fine, nil
		},
		"late": func(*textbook.Stream) (Window, error) {
			fine.Turn = func(int) error {
				if late++; late > 5 {
					return lost
				}
				return nil
			}
			return fine, nil
		},
	} {
		cfg := tiny()
		cfg.Others = []Contender{{Name: name, Open: open}}
		if _, err := Run(cfg); !errors.Is(err, lost) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want its error with its name", name, err)
		}
	}
	for _, change := range []func(*Config){
		func(c *Config) { c.Panes = 0 },
		func(c *Config) { c.Panes = MaxPanes + 1 },
		func(c *Config) { c.Updates = 0 },
		func(c *Config) { c.Updates = MaxRecords },
		func(c *Config) { c.Most = 0 },
		func(c *Config) { c.Rounds = 1 },
	} {
		cfg := tiny()
		change(&cfg)
		_, first := Run(cfg)
		_, second := RunOperations(cfg)
		_, third := RunCurves(cfg)
		if first == nil || second == nil || third == nil {
			t.Errorf("%+v: %v, %v, %v, want errors", cfg, first, second, third)
		}
	}
}
