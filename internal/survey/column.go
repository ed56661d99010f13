package survey

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"firebreak/pipeline/record"
)

// column is what a sample has at one path.
type column struct {
	path   string
	name   spelled
	values []string // by record line; empty = absent
	counts map[string]int

	present int
	dashes  map[string]int // values that only say that there is none, see dashWords

	numbers, whole int // values that are finite numbers, and whole ones
	positive       int // above 0
	zeros          int
	min, max       float64
	top            string // the most frequent value
	topCount       int
}

// dashWords are the values that stand for none.
func dashWords() []string { return []string{"-", "NULL", "null", `\N`, "(null)"} }

// column reads one column of all lines.
func (s *Sample) column(f *form, path string) (*column, error) {
	c := &column{path: path, name: spell(path, f.format), counts: map[string]int{}, dashes: map[string]int{}, min: math.Inf(1), max: math.Inf(-1)}
	cfg := f.config()
	cfg.Fields.Key.Path = path
	dashes := dashWords()
	intern := map[string]string{}
	err := s.decode(cfg, func(_ int, _ *line, rec *record.Record, reason record.Reason) bool {
		v := ""
		if reason == record.ReasonNone {
			v = string(rec.FullKey)
			if had, ok := intern[v]; ok {
				v = had
			} else {
				intern[v] = v
			}
		}
		if slices.Contains(dashes, v) {
			c.dashes[v]++
			v = ""
		}
		c.values = append(c.values, v)
		if v != "" {
			c.take(v)
		}
		return true
	})
	return c, err
}

// take counts a value.
func (c *column) take(v string) {
	c.present++
	c.counts[v]++
	if n := c.counts[v]; n > c.topCount || n == c.topCount && v < c.top {
		c.top, c.topCount = v, n
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(v, "xX_pP") {
		return
	}
	c.numbers++
	if x == math.Trunc(x) {
		c.whole++
	}
	if x > 0 {
		c.positive++
	}
	if x == 0 {
		c.zeros++
	}
	c.min, c.max = min(c.min, x), max(c.max, x)
}

// distinct is the number of different values.
func (c *column) distinct() int { return len(c.counts) }

// nearly says whether a part is at least that share of the values that are there.
func (c *column) nearly(part int, share float64) bool {
	return c.present > 0 && float64(part) >= share*float64(c.present)
}

// unique says that nearly every line has a value of its own, as a request's id has.
func (c *column) unique() bool { return c.present >= 20 && c.nearly(c.distinct(), 0.98) }

// stays says how far a value of by goes with one value of c: of the lines whose by comes more than once, the share that
// has the commonest c of its by. repeated is how many values of by come more than once.
func (c *column) stays(by *column) (share float64, repeated int) {
	pairs, totals := map[[2]string]int{}, map[string]int{}
	best := map[string]int{}
	for i, b := range by.values {
		v := c.values[i]
		if b == "" || v == "" {
			continue
		}
		pair := [2]string{b, v}
		pairs[pair]++
		totals[b]++
		best[b] = max(best[b], pairs[pair])
	}
	var kept, all int
	for b, n := range totals {
		if n > 1 {
			repeated++
			all += n
			kept += best[b]
		}
	}
	if all == 0 {
		return 0, 0
	}
	return float64(kept) / float64(all), repeated
}

// beside counts the lines on which both have a value, and those on which only other has one.
func (c *column) beside(other *column) (both, only int) {
	for i, v := range other.values {
		switch {
		case v == "":
		case c.values[i] == "":
			only++
		default:
			both++
		}
	}
	return both, only
}
