package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/policy"
)

// culprit is who made shards hot in a period: a key, a tenant, or, where nobody is to blame, a shard.
type culprit struct {
	cause       policy.Cause
	key, tenant string
	shards      []string
	times       int
	lasted      time.Duration
	worst       *heard
	first, last time.Time // onset of the first, end of the last
	open        bool
	hours       [24]time.Duration // of the day, UTC
}

// id is the same for the same culprit in another period.
func (h *heard) culprit() string {
	v := &h.told
	switch v.Cause {
	case policy.CauseHotKey:
		return "key\x00" + v.Key + "\x00" + v.Tenant
	case policy.CauseWhaleTenant:
		return "tenant\x00" + v.Tenant
	case policy.CauseVolume, policy.CauseUnknown:
	}
	return v.Cause.String() + "\x00" + v.Shard
}

// culprits are those of a period by id.
func (w *Week) culprits(p *measured) map[string]*culprit {
	out := map[string]*culprit{}
	for _, h := range w.within(p.from, p.to) {
		id := h.culprit()
		c := out[id]
		if c == nil {
			c = &culprit{cause: h.told.Cause, key: h.told.Key, tenant: h.told.Tenant, worst: h, first: h.told.Onset}
			out[id] = c
		}
		c.add(h, p)
	}
	return out
}

func (c *culprit) add(h *heard, p *measured) {
	c.times++
	if !slices.Contains(c.shards, h.told.Shard) {
		c.shards = append(c.shards, h.told.Shard)
	}
	if h.over() > c.worst.over() {
		c.worst = h
	}
	from, to := h.told.Onset, h.resolved
	if from.Before(p.from) {
		from = p.from
	}
	if to.IsZero() || to.After(p.to) {
		c.open = c.open || to.IsZero()
		to = p.to
	}
	if from.Before(c.first) {
		c.first = from
	}
	if to.After(c.last) {
		c.last = to
	}
	c.lasted += max(0, to.Sub(from))
	for at := from; at.Before(to); {
		next := at.Truncate(time.Hour).Add(time.Hour)
		if next.After(to) {
			next = to
		}
		c.hours[at.UTC().Hour()] += next.Sub(at)
		at = next
	}
}

// over is its peak as load / line.
func (h *heard) over() float64 {
	if h.told.Line <= 0 {
		return 0
	}
	return h.peak / h.told.Line
}

// whoRow is a culprit in the table.
type whoRow struct {
	Cause             string
	Who               phrase
	Shards            phrase
	Times, When, Peak string
	Trend             string
}

// maxShardsNamed is how many shards a row names.
const maxShardsNamed = 4

// who are the culprits of the period, those that were hot longest first, and those that were only before.
func (t *teller) who() (rows []whoRow, more int) {
	w := t.f.Week
	now, before := w.culprits(w.now), w.culprits(w.before)
	list := slices.SortedFunc(maps.Keys(now), func(a, b string) int {
		return cmp.Or(cmp.Compare(now[b].lasted, now[a].lasted), cmp.Compare(now[b].times, now[a].times), cmp.Compare(a, b))
	})
	for i, id := range list {
		if i >= t.limits.shards {
			more = len(list) - i
			break
		}
		rows = append(rows, t.whoRow(now[id], before[id]))
	}
	gone := slices.SortedFunc(maps.Keys(before), func(a, b string) int {
		return cmp.Or(cmp.Compare(before[b].lasted, before[a].lasted), cmp.Compare(a, b))
	})
	for _, id := range gone {
		if now[id] != nil {
			continue
		}
		if len(rows) >= t.limits.shards {
			more++
			continue
		}
		row := t.whoRow(before[id], nil)
		row.Trend = "gone: " + before[id].text()
		row.Times, row.When, row.Peak = "not hot", "–", "–"
		rows = append(rows, row)
	}
	return rows, more
}

func (t *teller) whoRow(c, before *culprit) whoRow {
	row := whoRow{Cause: capital(draw.Cause(c.cause)), Who: object(&c.worst.told), Times: c.text(), When: c.when(), Peak: draw.Times(c.worst.over()) + " its line"}
	if row.Who == nil {
		row.Who = say("nobody in particular")
		if c.cause == policy.CauseUnknown {
			row.Who = say("not proven")
		}
	}
	for i, s := range c.shards[:min(len(c.shards), maxShardsNamed)] {
		if i > 0 {
			row.Shards = append(row.Shards, say(", ")...)
		}
		row.Shards = append(row.Shards, say(nameOf(s))...)
	}
	if more := len(c.shards) - maxShardsNamed; more > 0 {
		row.Shards = append(row.Shards, say(fmt.Sprintf(" and %d more", more))...)
	}
	switch {
	case before != nil:
		row.Trend = trend(c.lasted, before.lasted) + ", before: " + before.text()
	case t.f.Week.before.seen() > 0:
		row.Trend = "new"
	default:
		row.Trend = "the period before was not recorded"
	}
	return row
}

// text is how often and how long.
func (c *culprit) text() string {
	return draw.Count(c.times, "time") + ", " + draw.Span(c.lasted)
}

// when says when it was hot: each of a few, else the hours of the day in which most of it falls.
func (c *culprit) when() string {
	until := " to " + draw.Clock(c.last)
	switch day := 24 * time.Hour; {
	case c.open:
		until = ", not over"
	case c.first.Truncate(day).Equal(c.last.Truncate(day)):
		until = " to " + draw.Hour(c.last)
	}
	if c.times < 3 {
		return draw.Clock(c.first) + until
	}
	from, hours := c.usual()
	if hours >= 24 {
		return fmt.Sprintf("%s%s, at all hours", draw.Clock(c.first), until)
	}
	return fmt.Sprintf("%s%s, most of it from %02d:00Z to %02d:00Z", draw.Clock(c.first), until, from, (from+hours)%24)
}

// mostOf is the part of a culprit's time that its usual hours hold.
const mostOf = 0.8

// usual is the shortest stretch of hours of the day that holds most of its time.
func (c *culprit) usual() (from, hours int) {
	for hours := 1; hours <= 12; hours++ {
		best, at := time.Duration(0), 0
		for from := range 24 {
			sum := time.Duration(0)
			for i := range hours {
				sum += c.hours[(from+i)%24]
			}
			if sum > best {
				best, at = sum, from
			}
		}
		if float64(best) >= mostOf*float64(c.lasted) {
			return at, hours
		}
	}
	return 0, 24
}

// trend compares two times.
func trend(now, before time.Duration) string {
	switch {
	case float64(now) > 1.25*float64(before):
		return "longer"
	case 1.25*float64(now) < float64(before):
		return "shorter"
	}
	return "as long"
}
