package main

import (
	"cmp"
	"flag"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/go-kratos/aegis/topk"
	boom "github.com/tylertreat/BoomFilters"

	"firebreak/bench/measure"
	"firebreak/bench/sketch"
	"firebreak/bench/textbook"
)

// runSketch measures the ways to count a stream.
func runSketch(args []string, out io.Writer) error {
	cfg := sketch.DefaultConfig()
	flags := flag.NewFlagSet("sketch", flag.ContinueOnError)
	flags.IntVar(&cfg.Panes, "panes", cfg.Panes, "panes of the window")
	flags.IntVar(&cfg.Updates, "updates", cfg.Updates, "records of a pane")
	flags.IntVar(&cfg.Rounds, "rounds", cfg.Rounds, "rounds, at least "+strconv.Itoa(measure.MinRounds))
	if err := flags.Parse(args); err != nil {
		return err
	}
	cfg.Others = counters()
	table, err := sketch.Run(cfg)
	if err != nil {
		return err
	}
	return table.Write(out)
}

// counters returns the libraries of others. None slides but by a ring of its own, one for each pane, whose lists are
// added up when somebody asks.
func counters() []sketch.Contender {
	return []sketch.Contender{
		{Name: "aegis HeavyKeeper k=100, no window", Open: func(s *textbook.Stream) (sketch.Window, error) {
			k := keeper(100)
			return sketch.Window{
				Count: func(pane int) { keep(k, s, pane) },
				Turn:  func(int) error { return nil },
				Top:   func(n int) []textbook.Entry { return heaviest(n, []topk.Topk{k}, keeperList) },
			}, nil
		}},
		{Name: "ring of aegis HeavyKeeper k=200", Open: func(s *textbook.Stream) (sketch.Window, error) {
			r := newRing(s.Panes, func() topk.Topk { return keeper(200) })
			return sketch.Window{
				Count: func(pane int) { keep(r.open(), s, pane) },
				Turn:  r.turn,
				Top:   func(n int) []textbook.Entry { return heaviest(n, r.all, keeperList) },
			}, nil
		}},
		{Name: "ring of BoomFilters TopK k=200", Open: func(s *textbook.Stream) (sketch.Window, error) {
			// Count-Mins of 4 x 65,536 cells, as the textbook's.
			r := newRing(s.Panes, func() *boom.TopK { return boom.NewTopK(math.E/textbook.Width, math.Exp(-4), 200) })
			return sketch.Window{
				Count: func(pane int) {
					top := r.open()
					for i, to := sketch.Span(s, pane); i < to; i++ {
						top.Add(s.Key(i))
					}
				},
				Turn: r.turn,
				Top:  func(n int) []textbook.Entry { return heaviest(n, r.all, boomList) },
			}, nil
		}},
	}
}

// keeper makes a HeavyKeeper of 4 x 8,192 cells with the decay of its own tests.
func keeper(k uint32) topk.Topk { return topk.NewHeavyKeeper(k, 8192, 4, .925, 0) }

// keep counts a pane. The keeper holds keys of the stream, which stays as it is.
func keep(k topk.Topk, s *textbook.Stream, pane int) {
	for i, to := sketch.Span(s, pane); i < to; i++ {
		k.Add(view(s.Key(i)), 1)
	}
}

func keeperList(k topk.Topk) (list []textbook.Entry) {
	for _, item := range k.List() {
		list = append(list, textbook.Entry{Key: item.Key, Count: uint64(item.Count)})
	}
	return list
}

func boomList(t *boom.TopK) (list []textbook.Entry) {
	for _, e := range t.Elements() {
		list = append(list, textbook.Entry{Key: string(e.Data), Count: e.Freq})
	}
	return list
}

// ring has a counter for each complete pane and the open one.
type ring[T any] struct {
	all   []T
	at    int // the open one
	empty func() T
}

func newRing[T any](panes int, empty func() T) *ring[T] {
	r := &ring[T]{empty: empty}
	for range panes + 1 {
		r.all = append(r.all, empty())
	}
	return r
}

func (r *ring[T]) open() T { return r.all[r.at] }

// turn ends the open pane and empties the oldest for the next.
func (r *ring[T]) turn(int) error {
	r.at = (r.at + 1) % len(r.all)
	r.all[r.at] = r.empty()
	return nil
}

// heaviest adds up what counters list, and gives the n heaviest.
func heaviest[T any](n int, all []T, list func(T) []textbook.Entry) []textbook.Entry {
	sums := map[string]uint64{}
	for _, counter := range all {
		for _, e := range list(counter) {
			sums[e.Key] += e.Count
		}
	}
	entries := make([]textbook.Entry, 0, len(sums))
	for key, sum := range sums {
		entries = append(entries, textbook.Entry{Key: key, Count: sum})
	}
	slices.SortFunc(entries, func(a, b textbook.Entry) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
	return entries[:min(n, len(entries))]
}
