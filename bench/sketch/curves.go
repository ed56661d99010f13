package sketch

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"firebreak/bench/measure"
	"firebreak/bench/textbook"
	core "firebreak/sketch"
)

// Curve is how a cost goes with one size.
type Curve struct {
	Title string
	// Columns name the values of a point; the first is the size.
	Columns []string
	Points  [][]float64
	// Digits is how many decimals each column is printed with.
	Digits []int
}

// RunCurves measures what a record costs by the number of distinct keys, what counting costs by the number of records,
// and what merging costs by the number of instances.
func RunCurves(cfg Config) ([]Curve, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	size, err := size(cfg.Panes)
	if err != nil {
		return nil, err
	}
	even, err := distinctCurve(&cfg, size, 0)
	if err != nil {
		return nil, err
	}
	skewed, err := distinctCurve(&cfg, size, 1.1)
	if err != nil {
		return nil, err
	}
	stream := textbook.Draw(textbook.Kinds()[0], cfg.Panes, cfg.Updates, cfg.Seed)
	records, err := recordsCurve(stream, size)
	if err != nil {
		return nil, err
	}
	merges, err := mergeCurve(stream, size, cfg.Rounds)
	if err != nil {
		return nil, err
	}
	return []Curve{even, skewed, records, merges}, nil
}

// distinctCurve counts a window of so many distinct keys: evenly, exponent 0, or by Zipf's law. Panes have at least
// cfg.Updates records, and so many that every key can come.
func distinctCurve(cfg *Config, size core.Config, exponent float64) (Curve, error) {
	c := Curve{
		Title:   "cost of a record over distinct keys, each as often as any other",
		Columns: []string{"keys", "that came", "records", "ns a record", "fastest pane", "end of pane us", "at most KiB"},
		Digits:  []int{0, 0, 0, 1, 1, 0, 0},
	}
	if exponent > 0 {
		c.Title = fmt.Sprintf("cost of a record over distinct keys, Zipf %.1f", exponent)
	}
	for keys := 10_000; ; keys *= 10 {
		keys = min(keys, cfg.Most)
		perPane := max(cfg.Updates, (keys+cfg.Panes-1)/cfg.Panes)
		d := newDrawer(keys, perPane, exponent, cfg.Seed)
		w, err := core.NewSliding(size)
		if err != nil {
			return Curve{}, err
		}
		var records, turns []float64
		e := newEvent()
		for pane := range cfg.Panes {
			d.draw()
			from := time.Now()
			d.count(w, &e, pane)
			counted := time.Now()
			w.Slide(int64(pane))
			records = append(records, float64(counted.Sub(from).Nanoseconds())/float64(perPane))
			turns = append(turns, micros(time.Since(counted)))
		}
		c.Points = append(c.Points, []float64{
			float64(keys), float64(d.distinct()), float64(perPane * cfg.Panes), median(records), slices.Min(records), median(turns),
			float64(w.Bytes()) / 1024,
		})
		if keys == cfg.Most {
			return c, nil
		}
	}
}

// count counts what was drawn.
func (d *drawer) count(w *core.Sliding, e *core.Event, pane int) {
	e.Pane = int64(pane)
	for i, tenant := range d.of {
		e.Key, e.Tenant = d.pane[i*textbook.KeyBytes:(i+1)*textbook.KeyBytes], d.names[tenant]
		readOrWrite(e, i)
		w.Add(e)
	}
}

// recordsCurve counts the stream again and again, and notes the time at points on the way.
func recordsCurve(stream *textbook.Stream, size core.Config) (Curve, error) {
	c := Curve{
		Title:   "cost over records, ends of panes included",
		Columns: []string{"records", "seconds", "ns a record"},
		Digits:  []int{0, 3, 1},
	}
	w, err := core.NewSliding(size)
	if err != nil {
		return Curve{}, err
	}
	f := newFeeder(stream, false)
	notes := map[int]bool{}
	for _, tenths := range []int{1, 2, 5, 10, 20, 50} {
		notes[max(1, stream.Panes*tenths/10)] = true
	}
	from := time.Now()
	for pane := range 5 * stream.Panes {
		for i, to := Span(stream, pane); i < to; i++ {
			w.Add(f.at(i, pane))
		}
		w.Slide(int64(pane))
		if n := pane + 1; notes[n] {
			took, records := time.Since(from), float64(n*stream.PerPane)
			c.Points = append(c.Points, []float64{records, took.Seconds(), float64(took.Nanoseconds()) / records})
		}
	}
	return c, nil
}

// mergeCurve takes in the parts of more and more instances, from bytes.
func mergeCurve(stream *textbook.Stream, size core.Config, rounds int) (Curve, error) {
	c := Curve{
		Title:   fmt.Sprintf("cost of a pane over instances, each with a part of %d records, from bytes", stream.PerPane),
		Columns: []string{"instances", "us a pane", "us an instance"},
		Digits:  []int{0, 0, 0},
	}
	const most = 32
	all, err := makeParts(stream, size, most)
	if err != nil {
		return Curve{}, err
	}
	var cases []measure.Case
	var mergers []*merger
	for n := 1; n <= most; n *= 2 {
		m, err := all.merger(size, n)
		if err != nil {
			return Curve{}, err
		}
		mergers = append(mergers, m)
		cases = append(cases, measure.Case{Name: c.Title, Units: 1, Run: m.run})
	}
	results, err := measure.Run(cases, measure.Config{Rounds: rounds, Round: time.Millisecond})
	if err != nil {
		return Curve{}, err
	}
	for i, m := range mergers {
		if m.err != nil {
			return Curve{}, m.err
		}
		n := float64(len(m.parts))
		c.Points = append(c.Points, []float64{n, results[i].Nanos / 1000, results[i].Nanos / 1000 / n})
	}
	return c, nil
}

// Write prints the curve.
func (c *Curve) Write(w io.Writer) error {
	if _, err := fmt.Fprintln(w, c.Title); err != nil {
		return err
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, name := range c.Columns {
		if _, err := fmt.Fprintf(out, "%s\t", name); err != nil {
			return err
		}
	}
	for _, p := range c.Points {
		if _, err := fmt.Fprintln(out); err != nil {
			return err
		}
		for i, v := range p {
			if _, err := fmt.Fprintf(out, "%.*f\t", c.Digits[i], v); err != nil {
				return err
			}
		}
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	return out.Flush()
}
