package kafka

import (
	"time"

	"go.uber.org/zap"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
)

// thinner decides how much of a partition is looked at. One that falls behind although it is read without pause is thinned:
// a sample that is told as such, so that a hot partition of the log does not blind everybody. The zero value looks at all.
type thinner struct {
	level   uint8
	backlog int64
	worse   int // turns in a row that ended with a longer backlog
	better  int // turns in a row that ended without a backlog
}

const (
	thinBehind = time.Minute // only a partition that is this far behind is thinned
	thinAfter  = 5           // turns
	thickAfter = 30          // turns
)

// turn takes how many offsets are unread and how old the newest event that was read is, and gives the level: one record in
// 2^level is counted.
func (t *thinner) turn(backlog int64, behind time.Duration) uint8 {
	grows := backlog > t.backlog && behind > thinBehind
	t.backlog = backlog
	if grows {
		t.worse++
	} else {
		t.worse = 0
	}
	if backlog == 0 || behind < thinBehind/2 {
		t.better++
	} else {
		t.better = 0
	}
	switch {
	case t.worse >= thinAfter && t.level < pipeline.MaxThin:
		t.level, t.worse = t.level+1, 0
	case t.better >= thickAfter && t.level > 0:
		t.level, t.better = t.level-1, 0
	}
	return t.level
}

// thin looks how far behind each partition is.
func (c *consumer) thin(ranges []pipeline.Range) {
	now := c.clock.log().UnixNano()
	for i := range ranges {
		r := &ranges[i]
		o, part := c.owned[r.Partition], c.tick.Part(r.Partition)
		if o == nil || part == nil || r.End < 0 || r.Time == record.NoTime || len(o.parked) > 0 {
			continue
		}
		if r.Records == 0 && r.To < r.End {
			continue // what cannot be read at all is not read any faster for being sampled
		}
		before := o.thin.level
		if level := o.thin.turn(r.End-r.To, time.Duration(now-r.Time)); level != before {
			part.Thin(level)
			c.log.Warn("partition is sampled", zap.String("topic", o.topic), zap.Int32("partition", r.Number), zap.Int("one_in", 1<<level))
		}
	}
}
