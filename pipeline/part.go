package pipeline

import (
	"cmp"
	"maps"
	"slices"

	"firebreak/pipeline/record"
)

// Part is one assigned partition of a Tick.
type Part struct {
	Partition

	topic   *tickTopic
	gates   []gate // by fleet of the topic
	from    int64  // offset at which the tick began
	to      int64  // and the next one that is to be offered
	time    int64  // as those of a Range, from here on
	first   int64
	fresh   bool // no record of it was counted yet, by anybody
	records int64
	skipped int64
	why     Skip
	thin    uint8
}

// To is the position up to which the partition is counted.
func (p *Part) To() int64 { return p.to }

// Pass moves the position past offsets that hold no record: markers of transactions, and what compaction left out.
func (p *Part) Pass(to int64) { p.to = max(p.to, to) }

// Moved tells whether the position has moved since the last Seal.
func (p *Part) Moved() bool { return p.to != p.from }

// Thin sets that one record in 2^k is counted, as a sample of all; k is at most MaxThin.
func (p *Part) Thin(k uint8) { p.thin = min(k, MaxThin) }

// MaxThin bounds thinning: one record in 1,024.
const MaxThin = 10

// seal gives the range of a partition and begins the next.
func (p *Part) seal(end int64) Range {
	r := Range{
		Partition: p.Partition, From: p.from, To: p.to, End: end, Time: p.time, First: record.NoTime,
		Records: p.records, Skipped: p.skipped, Why: p.why, Thin: p.thin,
	}
	if p.fresh {
		r.First = p.first
	}
	p.from, p.records, p.skipped, p.why = p.to, 0, 0, SkipNone
	return r
}

// sortedParts lists partitions in the order that deltas have them.
func sortedParts(parts map[Partition]*Part) []*Part {
	return slices.SortedFunc(maps.Values(parts), func(a, b *Part) int {
		return cmp.Or(slices.Compare(a.Topic[:], b.Topic[:]), cmp.Compare(a.Number, b.Number))
	})
}
