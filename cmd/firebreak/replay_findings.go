package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// warn finds what is true of a log and its configuration once all of it was read.
func (r *replay) warn(f *replayedFleet, stats *pipeline.Stats) {
	find := func(format string, args ...any) { f.said.find(policy.Finding{Reason: fmt.Sprintf(format, args...)}) }
	if stats.Future > 0 {
		find("%d records claim times far ahead of their log, the first one %s: refused, and time was not moved", stats.Future, stats.FirstFuture.Format(time.RFC3339))
	}
	for _, in := range r.inputs {
		if len(in.unread) > 0 {
			find("%s: columns that nothing is mapped to are not read: %s; a configuration can map them", in.path, strings.Join(in.unread, ", "))
		}
	}
	if text := f.store.Suggest(f.cfg.Cost.String(), f.cfg.Policy.Capacity); text != "" {
		find("%s", text)
	}
	index := slices.Index(r.fleets, f)
	if others := r.notMatched(index); stats.Records == 0 && others > 0 {
		find("record.match: no line of the log satisfies it, %d are taken for those of other fleets", others)
	}
	if table := f.fleet.Table(); table != nil && table.Document().Placement.Map == routing.Explicit && f.cfg.Document == "" {
		if err := f.cfg.PinsIn(table.Document()); err != nil {
			find("%s", oneLine(err))
		}
	}
	if doubt := f.said.doubt(); doubt != nil && r.httpOps(index) {
		f.said.find(*doubt)
	}
}

// notMatched counts the lines that a fleet left to others, in all files.
func (r *replay) notMatched(fleet int) (n uint64) {
	for _, in := range r.inputs {
		n += in.tallies[fleet].reasons[record.ReasonNotMatched]
	}
	return n
}
