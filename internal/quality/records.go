package quality

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"firebreak/routing"
)

// recordHeader is the canonical CSV of a request log.
func recordHeader() []string {
	return []string{"ts_ms", "tenant", "key", "op", "weight", "rate", "shard", "caller"}
}

// dated is an arrival with its moment.
type dated struct {
	at int64 // milliseconds
	arrival
}

// WriteRecords writes a log of the fleet record by record as canonical CSV, oldest first, so that any tool can be asked
// about it. It is another draw from the same rates than the one that Run judges: here every key is drawn one by one.
func WriteRecords(out io.Writer, f *Fleet) error {
	buffered := bufio.NewWriter(out)
	w := csv.NewWriter(buffered)
	if err := w.Write(recordHeader()); err != nil {
		return fmt.Errorf("records of fleet %d: %w", f.Seed, err)
	}
	c := newCounter(f, true)
	var pane []dated
	c.emit = func(a arrival) { pane = append(pane, dated{arrival: a}) }
	times := newSource(f.Seed, streamTimes)
	for range f.Panes {
		pane = pane[:0]
		c.next()
		c.date(pane, times)
		slices.SortStableFunc(pane, func(a, b dated) int { return cmp.Compare(a.at, b.at) })
		for i := range pane {
			if err := f.writeArrival(w, &pane[i], times); err != nil {
				return fmt.Errorf("records of fleet %d: %w", f.Seed, err)
			}
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("records of fleet %d: %w", f.Seed, err)
	}
	return buffered.Flush()
}

// date gives each arrival of the pane just drawn a moment in it. A key that exists from an onset within the pane on
// arrives after it.
func (c *counter) date(pane []dated, s source) {
	from := c.panes[len(c.panes)-1].Start
	onset := start().Add(c.f.Onset).Sub(from).Milliseconds()
	for i := range pane {
		low := int64(0)
		if c.f.Keys[pane[i].key].Before == 0 {
			low = max(0, onset)
		}
		pane[i].at = from.UnixMilli() + low + s.Int64N(Pane.Milliseconds()-low)
	}
}

// writeArrival writes the records of one clump: same moment, same key, same op, same caller.
func (f *Fleet) writeArrival(w *csv.Writer, a *dated, s source) error {
	k := &f.Keys[a.key]
	op, shard, caller := "write", "", ""
	if a.read {
		op = "read"
	}
	if doc := f.Table.Document(); doc.Placement.Map == routing.Explicit {
		shard = doc.Shards[f.shardOf(k)].Name
	}
	switch {
	case a.called:
		caller = f.Caller
	case f.Callers:
		caller = "caller-" + strconv.Itoa(s.IntN(otherCalls))
	}
	row := []string{
		strconv.FormatInt(a.at, 10), f.Tenants[k.Tenant], k.Name, op, "1",
		strconv.FormatFloat(f.Rate, 'g', -1, 64), shard, caller,
	}
	for range a.records {
		if err := w.Write(row); err != nil {
			return err
		}
	}
	return nil
}
