package sketch

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Write prints the table.
func (t Table) Write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err := fmt.Fprintln(out, "stream\tcontender\tns a record\tquartiles\tfastest\ttimes ours\tallocations\tend of pane us\tworst\t"+
		"top 100 us\tKiB\tat most KiB\trecall@100\trecall@1000\terror@100\tfalse\t")
	for i := range t {
		if err != nil {
			return err
		}
		e := &t[i]
		most := "-"
		if e.Most > 0 {
			most = fmt.Sprint(e.Most >> 10)
		}
		_, err = fmt.Fprintf(out, "%s\t%s\t%.1f\t%.1f-%.1f\t%.1f\t%.2f\t%.3f\t%.0f\t%.0f\t%.0f\t%d\t%s\t%.3f\t%.3f\t%.3f%%\t%d\t\n",
			e.Stream, e.Name, e.Nanos, e.Low, e.High, e.Least, e.Times, e.Allocs, e.Turn, e.Worst, e.Top, e.Heap>>10, most,
			e.Recall100, e.Recall1000, 100*e.Error, e.False)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}
