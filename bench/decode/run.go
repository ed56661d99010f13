package decode

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"firebreak/bench/measure"
)

// Config says what to measure. Its zero value is 1,000 records of every format, and what measure.Config's is.
type Config struct {
	measure.Config

	// Records is how many records a log has; 0 = 1,000.
	Records int
	// Seed draws the logs.
	Seed uint64
	// Others are measured in the same run, behind ours and the standard library's.
	Others []Contender
}

// Entry is a line of the table.
type Entry struct {
	measure.Result

	Format string
	// Size is the mean length of a record in bytes.
	Size float64
	// Times is how many times as long as ours a record takes, 1 for ours.
	Times float64
}

// Table has the entries by format in the order of Formats, ours first and the others by their names.
type Table []Entry

// Run measures every contender. It is an error, before anything is measured, if one of them does not read what was
// written.
func Run(cfg Config) (Table, error) {
	n := cfg.Records
	if n == 0 {
		n = 1000
	}
	contenders := slices.Concat(ours(), standard(), cfg.Others)
	corpora := map[string]*Corpus{}
	for _, format := range Formats() {
		c, err := NewCorpus(format, n, cfg.Seed)
		if err != nil {
			return nil, err
		}
		corpora[format] = &c
	}
	cases := make([]measure.Case, len(contenders))
	for i, who := range contenders {
		c := corpora[who.Format]
		if c == nil {
			return nil, fmt.Errorf("%s: no log of format %q", who.Name, who.Format)
		}
		pass, err := check(who, c)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", who.Format, who.Name, err)
		}
		cases[i] = measure.Case{Name: who.Name, Units: n, Bytes: len(c.Text) - len(c.Header), Run: func() { _, _ = pass() }}
	}
	results, err := measure.Run(cases, cfg.Config)
	if err != nil {
		return nil, err
	}
	return table(contenders, results, corpora), nil
}

// check opens a contender and holds what it reads, twice, against what was written.
func check(who Contender, c *Corpus) (pass func() (Sum, error), err error) {
	pass, err = who.Open(c)
	if err != nil {
		return nil, err
	}
	for range 2 {
		got, err := pass()
		if err != nil {
			return nil, err
		}
		if want := c.Sum(); got != want {
			return nil, fmt.Errorf("reads %+v, written was %+v", got, want)
		}
	}
	return pass, nil
}

// table sorts the results and sets them beside ours.
func table(contenders []Contender, results []measure.Result, corpora map[string]*Corpus) Table {
	base := map[string]measure.Result{}
	for i, who := range contenders {
		if who.Name == Ours {
			base[who.Format] = results[i]
		}
	}
	t := make(Table, len(results))
	for i, who := range contenders {
		t[i] = Entry{Result: results[i], Format: who.Format, Size: corpora[who.Format].Size(), Times: results[i].Ratio(base[who.Format])}
	}
	slices.SortStableFunc(t, func(a, b Entry) int {
		rank := func(e Entry) int { return slices.Index(Formats(), e.Format) }
		oursFirst := func(e Entry) int {
			if e.Name == Ours {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(oursFirst(a), oursFirst(b)), cmp.Compare(a.Name, b.Name))
	})
	return t
}

// Write prints the table.
func (t Table) Write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err := fmt.Fprintln(out, "log\tbytes a record\tdecoder\tns a record\tquartiles\tMB/s\tallocations\tallocated bytes\ttimes ours\t")
	for _, e := range t {
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s\t%.0f\t%s\t%.0f\t%.0f-%.0f\t%.0f\t%.1f\t%.0f\t%.1f\t\n",
			e.Format, e.Size, e.Name, e.Nanos, e.Low, e.High, e.MBs, e.Allocs, e.AllocBytes, e.Times)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}
