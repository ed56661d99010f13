package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"firebreak/internal/line"
	"firebreak/policy"
)

// levelsOf are the service levels of a period as numbers.
func (w *Week) levelsOf(p *measured) levelsDocument {
	out := levelsDocument{
		Recorded: p.seen() > 0, Capacity: p.limited > 0, Peak: line.Number(p.peak), PeakShard: line.Name(p.peakShard), PeakAt: line.Stamp(p.peakAt),
		Above: line.Number(p.above), Average: line.Number(per(p.utilization, p.limited)), Load: line.Number(per(p.load, p.seen())),
	}
	for _, h := range w.foundIn(p) {
		out.Found++
		if h.found.Sub(h.told.Onset) <= delayGoal {
			out.InTime++
		}
		if h.dismissed() {
			out.Dismissed++
		}
	}
	d := w.delaysOf(p)
	out.P50, out.P95, out.Max = line.Number(d.P50), line.Number(d.P95), line.Number(d.Max)
	return out
}

// whoDocuments are the culprits of the period, those that were hot longest first.
func (w *Week) whoDocuments() []whoDocument {
	now, before := w.culprits(w.now), w.culprits(w.before)
	out := []whoDocument{}
	for _, id := range slices.SortedFunc(maps.Keys(now), func(a, b string) int {
		return cmp.Or(cmp.Compare(now[b].lasted, now[a].lasted), cmp.Compare(now[b].times, now[a].times), cmp.Compare(a, b))
	}) {
		c := now[id]
		d := whoDocument{
			Cause: c.cause.String(), Key: line.Name(c.key), Tenant: line.Name(c.tenant), Shards: []line.Name{}, Times: c.times, Seconds: seconds(c.lasted),
			First: line.Stamp(c.first), Last: line.Stamp(c.last), Open: c.open, Worst: line.Number(c.worst.over()),
		}
		for _, s := range c.shards {
			d.Shards = append(d.Shards, line.Name(s))
		}
		if b := before[id]; b != nil {
			d.Before = &beforeDocument{b.times, seconds(b.lasted)}
		}
		out = append(out, d)
	}
	return out
}

func (t *teller) noteDocuments() []noteDocument {
	out := []noteDocument{}
	for _, of := range []struct {
		kind string
		list []note
	}{{"advice", t.r.advice.list}, {"hold", t.r.holds.list}} {
		for i := range of.list {
			n := &of.list[i]
			out = append(out, noteDocument{of.kind, line.Name(n.Shard), n.What, n.Level, line.Prose(n.Text)})
		}
	}
	return out
}

// jsonLeaders is how many keys and tenants JSON lists.
const jsonLeaders = 100

func leaderDocuments(p *measured, list map[string]*leader, before *measured, was map[string]*leader) []leaderDocument {
	out := []leaderDocument{}
	for _, l := range heaviest(list, jsonLeaders) {
		id := cmp.Or(l.key, l.tenant)
		d := leaderDocument{
			Key: line.Name(l.key), Tenant: line.Name(l.tenant), Load: line.Number(per(l.load, p.seen())), Share: line.Number(per(l.load, p.load)),
			Peak: line.Number(l.peak), Reads: line.Number(per(l.reads, p.seen())), Writes: line.Number(per(l.writes, p.seen())),
		}
		if b := was[id]; b != nil {
			d.Before = line.Number(per(b.load, before.seen()))
		}
		out = append(out, d)
	}
	return out
}

func (t *teller) hotspotDocument(number int, h *hotspot) hotspotDocument {
	v := line.NewVerdict(&h.told)
	out := hotspotDocument{
		Number: number, Found: line.Stamp(h.found), Resolved: line.Stamp(h.resolved), Peak: line.Number(h.peak), PeakAt: line.Stamp(h.peakAt),
		Costs: []string{}, Holds: []line.Hold{}, Plan: h.plan, Verdict: v,
	}
	out.Holds = append(out.Holds, h.holds...)
	for i := range h.told.Projected {
		if p := &h.told.Projected[i]; p.Fix == h.told.Fix && p.Fix != policy.FixNone {
			out.Costs = append(out.Costs, costs(p)...)
		}
	}
	if w := h.word; w != nil {
		out.Said = &saidDocument{w.Kind.String(), line.Stamp(w.At), line.Name(w.By), line.Prose(w.Reason), line.Stamp(w.Until)}
	}
	return out
}

// seconds is a duration in JSON.
func seconds(d time.Duration) line.Number { return line.Number(d.Seconds()) }
