package sketch

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"firebreak/bench/textbook"

	"github.com/google/go-cmp/cmp"
	"github.com/ulikunitz/xz"
)

var update = flag.Bool("update", false, "write the accuracy table anew")

const (
	accuracyTable = "../testdata/sketch/accuracy.txt"
	ormLog        = "../../shared/data/cache2k-orm-busy.trace.xz"
)

// TestAccuracy holds the accuracy of each stream against testdata/sketch/accuracy.txt; -update writes it. The real log is
// read where it lies and its rows are skipped where it is absent.
func TestAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	want, err := os.ReadFile(accuracyTable)
	if err != nil && !*update {
		t.Fatal(err)
	}
	var got strings.Builder
	got.WriteString(accuracyHead)
	streams := []string{"zipf-0.8", "zipf-1.1", "zipf-1.5", "attack", "churn", "cache2k-orm-busy"}
	for _, name := range streams {
		stream, err := accuracyStream(name)
		if errors.Is(err, fs.ErrNotExist) {
			t.Logf("%s: skipped, %s is not there", name, ormLog)
			if *update {
				t.Fatal("the table cannot be written without it")
			}
			for line := range strings.Lines(string(want)) {
				if strings.HasPrefix(line, name) {
					got.WriteString(line)
				}
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, partitions := range []int{1, 4, 12} {
			got.WriteString(accuracyRow(t, name, stream, partitions))
		}
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(accuracyTable), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(accuracyTable, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("accuracy (-want +got); -update writes it anew:\n%s", diff)
	}
}

const accuracyHead = `# How well a window lists the heaviest keys of a stream, against exact counts. 30 panes of 100,000 records (166,667 of
# cache2k-orm-busy), each counted by so many partitions at random, with one Summary a pane and partition of the default
# size; the Parts are added up. A process counts all its partitions together: 12 stands for 12 processes that see 8,000
# records a pane each. attack: 90 of 100 records have a key that never comes again. churn: each pane has its own keys.
#
# recall@n: share of the n heaviest that are among the n listed. error@100: mean relative error of the estimates of the
# 100 heaviest. false: listed among the 100 heaviest with less than half of what the 100th has. residual: the most that a
# key that no pane lists can have, of all. outside: keys whose count is not within their bounds, of those asked for.
#
# stream           partitions recall@100 recall@1000 error@100 false residual outside
`

const accuracyPanes = 30

// keyed is a sequence of keys.
type keyed interface {
	Len() int
	Key(i int) []byte
}

func accuracyStream(name string) (keyed, error) {
	kind := textbook.Kind{Keys: 1_000_000}
	switch name {
	case "zipf-0.8":
		kind.Zipf = .8
	case "zipf-1.1":
		kind.Zipf = 1.1
	case "zipf-1.5":
		kind.Zipf = 1.5
	case "attack":
		kind.Zipf, kind.Keys, kind.OneOff = 1.1, 100_000, .9
	case "churn":
		kind.Zipf, kind.Keys, kind.Churn = 1.1, 100_000, true
	default:
		return readORM()
	}
	return textbook.Draw(kind, accuracyPanes, 100_000, 21), nil
}

// orm is the accesses of an application to its database objects, 4 bytes each.
type orm []byte

func (o orm) Len() int         { return len(o) / 4 }
func (o orm) Key(i int) []byte { return o[4*i : 4*i+4] }

func readORM() (keyed, error) {
	file, err := os.Open(ormLog)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := xz.NewReader(file)
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(r)
	return orm(all), err
}

func accuracyRow(t *testing.T, name string, stream keyed, partitions int) string {
	t.Helper()
	cfg := Default(accuracyPanes, 0, 0, 77)
	cfg.TenantSlots, cfg.CallerSlots, cfg.PairSlots = 0, 0, 0
	s, exact := newSliding(t, cfg), textbook.NewExact(accuracyPanes+1)
	summaries := make([]*Summary, partitions)
	for i := range summaries {
		summaries[i] = NewSummary(cfg)
	}
	perPane := (stream.Len() + accuracyPanes - 1) / accuracyPanes
	e, part := event(0, "", One), Part{}
	for i := range stream.Len() {
		e.Key = stream.Key(i)
		exact.Add(e.Key, 1)
		summaries[binary.LittleEndian.Uint64(fmt.Appendf(nil, "%08d", i*7919%100_000_007))%uint64(partitions)].Add(e)
		if i%perPane == perPane-1 || i == stream.Len()-1 {
			for _, sum := range summaries {
				sum.Part(&part)
				if err := s.Accept(int64(i/perPane), &part); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	s.Slide(accuracyPanes - 1)
	return describe(s, exact, stream, name, partitions)
}

func describe(s *Sliding, exact *textbook.Exact, stream keyed, name string, partitions int) string {
	top := exact.Top(1000)
	listed := map[string]*Listed{}
	keys := s.Window(1000).Keys
	recall := func(n int) float64 {
		found := 0
		for i := range keys[:min(n, len(keys))] {
			if exact.Count(keys[i].Name) >= top[n-1].Count {
				found++
			}
		}
		return float64(found) / float64(n)
	}
	for i := range keys {
		listed[keys[i].Name] = &keys[i]
	}
	wrong, off := 0, 0.0
	for i := range keys[:100] {
		if exact.Count(keys[i].Name) < top[99].Count/2 {
			wrong++
		}
	}
	for _, want := range top[:100] {
		got := 0.0
		if l := listed[want.Key]; l != nil {
			got = Float(l.weight)
		}
		off += math.Abs(got-float64(want.Count)) / float64(want.Count) / 100
	}
	residual := uint64(0)
	for _, p := range s.ring {
		residual += p.lists[keyKind].bounds.residual
	}
	outside := 0
	for i := 0; i < stream.Len(); i += 33100 {
		truth := exact.Count(string(stream.Key(i))) * One
		if _, low, high := s.Ask(stream.Key(i)); truth < low || truth > high {
			outside++
		}
	}
	return fmt.Sprintf("%-18s %10d %10.3f %11.3f %8.3f%% %5d %7.3f%% %7d\n", name, partitions, recall(100), recall(1000), 100*off, wrong,
		100*Float(residual)/float64(stream.Len()), outside)
}
