package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"firebreak/internal/config"
	"firebreak/internal/survey"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// inspectText writes an inspection for people.
type inspectText struct {
	in       *survey.Inspection
	fleet    *config.Fleet
	disorder time.Duration
}

func (t *inspectText) write(b *strings.Builder) {
	in := t.in
	fmt.Fprintf(b, "Fleet %s: %s, %s read as records\n\n", shownName(t.fleet.Name), quantity(in.Lines, "line", "lines"), whole(in.Read))
	t.first(b)
	t.refused(b)
	for _, part := range []struct{ name, text string }{
		{"Order", t.order()},
		{"Delay", t.delay()},
		{"Clumps", t.clumps()},
		{"Sampling", t.sampling()},
		{"Distinct", t.distinct()},
		{"Memory", t.memory()},
		{"Detects", t.detects()},
	} {
		fmt.Fprintf(b, "%-9s %s\n", part.name, part.text)
	}
	can, cannot := t.tells()
	for _, list := range []struct {
		head  string
		texts []string
	}{{"This log can tell", can}, {"This log cannot tell", cannot}} {
		if len(list.texts) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s\n", list.head)
		for _, text := range list.texts {
			b.WriteString("  " + text + "\n")
		}
	}
}

// first writes the first records as a table, without the columns that none of them has.
func (t *inspectText) first(b *strings.Builder) {
	var head []string
	rows := make([][]string, len(t.in.First))
	for _, c := range firstColumns() {
		var cells []string
		some := false
		for i := range t.in.First {
			cell := c.cell(&t.in.First[i])
			cells, some = append(cells, cell), some || cell != ""
		}
		if !some {
			continue
		}
		head = append(head, c.head)
		for i, cell := range cells {
			rows[i] = append(rows[i], cell)
		}
	}
	if len(rows) == 0 {
		return
	}
	var out table
	out.header(head...)
	for _, row := range rows {
		out.row(row...)
	}
	out.write(b)
	b.WriteString("\n")
}

// firstColumn is a column of the table of first records.
type firstColumn struct {
	head string
	cell func(*survey.First) string // empty = absent
}

func firstColumns() []firstColumn {
	amount := func(x float64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return []firstColumn{
		{"line", func(f *survey.First) string { return strconv.Itoa(f.Line) }},
		{"time", func(f *survey.First) string {
			if f.Time.IsZero() {
				return ""
			}
			return f.Time.Format("2006-01-02T15:04:05.999Z")
		}},
		{"tenant", func(f *survey.First) string { return cellName(f.Tenant) }},
		{"key", func(f *survey.First) string { return cellName(f.Key) }},
		{"shard", func(f *survey.First) string { return cellName(f.Shard) }},
		{"caller", func(f *survey.First) string { return cellName(f.Caller) }},
		{"op", func(f *survey.First) string { return f.Op.String() }},
		{"count", func(f *survey.First) string { return amount(f.Count) }},
		{"rate", func(f *survey.First) string { return amount(f.Rate) }},
	}
}

// cellLength is how much of a name a table shows, in characters.
const cellLength = 40

// cellName writes a name for a table, escaped; empty = absent.
func cellName(s string) string {
	if s == "" {
		return ""
	}
	text := []rune(printable(routing.Escape(s)))
	if len(text) > cellLength {
		text = append(text[:cellLength-3:cellLength-3], []rune("...")...)
	}
	return string(text)
}

// refused writes why lines gave no record, with the first lines of each reason.
func (t *inspectText) refused(b *strings.Builder) {
	some := false
	for _, r := range t.in.Refused {
		if !r.Reason.Refusal() {
			continue
		}
		numbers := make([]string, len(r.Lines))
		for i, n := range r.Lines {
			numbers[i] = strconv.Itoa(n)
		}
		more := ""
		if r.Count > len(r.Lines) {
			more = ", ..."
		}
		fmt.Fprintf(b, "Refused   %s: %s (%s %s%s)\n", quantity(r.Count, "line", "lines"), refusalText(r.Reason), plural(len(r.Lines), "line", "lines"),
			strings.Join(numbers, ", "), more)
		some = true
	}
	if !some {
		b.WriteString("Refused   nothing\n")
	}
	if t.in.Blank > 0 {
		fmt.Fprintf(b, "Blank     %s\n", quantity(t.in.Blank, "line", "lines"))
	}
	if t.in.Other > 0 {
		fmt.Fprintf(b, "Others    %s of other fleets (match)\n", quantity(t.in.Other, "line", "lines"))
	}
	if len(t.in.Missing) > 0 {
		fmt.Fprintf(b, "Missing   the header has no column %s\n", printable(strings.Join(t.in.Missing, ", ")))
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// refusalText says what a reason means.
func refusalText(r record.Reason) string {
	text := map[record.Reason]string{
		record.ReasonSyntax:     "not the format of the others",
		record.ReasonTruncated:  "the line ends too early",
		record.ReasonTooLong:    "longer than record.max_line",
		record.ReasonTooDeep:    "nested too deep",
		record.ReasonType:       "a field has a type that cannot be its value",
		record.ReasonTime:       "the time is not of the form that record.time says",
		record.ReasonNoIdentity: "neither key nor tenant nor shard",
		record.ReasonCount:      "the count is not above 0",
		record.ReasonCountHuge:  "count / rate above 2^32 requests",
		record.ReasonRate:       "the rate is not above 0 and at most 1",
		record.ReasonRange:      "bytes, latency or status out of range",
		record.ReasonDuplicate:  "a field is there twice",
		record.ReasonNoValue:    "there is no value",
		record.ReasonSchema:     "the schema is not known, or cannot be used",
		record.ReasonNoSchema:   "the registry could not be asked for the schema",
	}[r]
	return r.String() + ", " + text
}

// detects says what a shard must bear to be found with this traffic.
func (t *inspectText) detects() string {
	in := t.in
	seconds := in.To.Sub(in.From).Seconds()
	n := t.shards()
	if in.Timed == 0 || seconds <= 0 || n < 2 {
		return "not known: without a time span and shards nothing can be promised"
	}
	watch := policy.Watch{Samples: float64(in.Timed) / seconds, Shards: n, Line: t.fleet.Policy.Lines.Relative, DesignEffect: in.Clump.Effect}
	d := watch.Detectable()
	found := func(ratio float64) string {
		if math.IsInf(ratio, 0) || math.IsNaN(ratio) {
			return "none at all"
		}
		return "a shard from " + times(ratio*t.fleet.Policy.Lines.Relative) + " the mean"
	}
	return fmt.Sprintf("at these %s records/s on %s, with 95 %%: in 1 minute %s, in 5 minutes %s", grouped(float64(in.Timed)/seconds), shards(n),
		found(d.Fast), found(d.Long))
}

// shards is how many the fleet has: those of the configuration, else those that the log names.
func (t *inspectText) shards() int {
	if n := max(t.fleet.Shards.N, len(t.fleet.Shards.List)); n > 0 {
		return n
	}
	return t.in.Shards
}
