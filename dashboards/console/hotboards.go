package console

import (
	"fmt"

	"firebreak/dashboards/draw"
	"firebreak/dashboards/report"
	"firebreak/internal/line"
	"firebreak/policy"
)

// board is the heaviest keys or tenants of a shard, as report's template of that name shows them.
type (
	board    = report.Board
	boardRow = report.BoardRow
)

// boards are the heaviest keys and tenants of a hot shard; what is blamed stands first. An instance that did not see the hotspot
// fire knows those that the verdict names.
func (f *fleet) boards(h *hotspot) []board {
	var keys, tenants []heavy
	if h.picture != nil {
		keys, tenants = h.picture.keys, h.picture.tenants
	} else {
		keys, tenants = named(h.verdict)
	}
	boards := []board{f.board("Requests per key", "Key", h, keys), f.board("Requests per tenant", "Tenant", h, tenants)}
	if h.verdict.Cause == "whale_tenant" {
		boards[0], boards[1] = boards[1], boards[0]
	}
	out := boards[:0]
	for _, b := range boards {
		if len(b.Rows) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// named are the contributors of a verdict.
func named(v *line.Verdict) (keys, tenants []heavy) {
	for i := range v.Contributors {
		c := &v.Contributors[i]
		h := heavy{
			key: string(c.Key), tenant: string(c.Tenant), load: float64(c.Load), reads: float64(c.ReadShare), alone: c.AboveTarget, blamed: v.Cause != "unknown",
			share: policy.Bounds{Value: float64(c.Share.Value), Low: float64(c.Share.Low), High: float64(c.Share.High)}, unknown: float64(v.OpUnknown),
		}
		if c.Key != "" {
			keys = append(keys, h)
		} else {
			tenants = append(tenants, h)
		}
	}
	return keys, tenants
}

func (f *fleet) board(title, unit string, h *hotspot, list []heavy) board {
	top := 0.0
	for i := range list {
		top = max(top, list[i].share.High)
	}
	top = draw.NiceTop(top)
	b := board{Unit: unit, Measure: "Load", Title: fmt.Sprintf("%s on this shard, %s; bars end at %s of its load", title, f.told(h).Between(), draw.Percent(top))}
	for i := range list {
		c := &list[i]
		row := boardRow{
			Name: draw.Name(c.key, draw.MaxName), Of: draw.Name(c.tenant, draw.MaxName), Load: draw.Rate(c.load), Share: draw.Percent(c.share.Value),
			Bounds: draw.Percent(floor(c.share.Low)) + " to " + draw.Percent(c.share.High), Reads: draw.Percent(c.reads), AboveAlone: c.alone, Blamed: c.blamed,
			Bar: draw.Range{Value: c.share.Value, Low: c.share.Low, High: c.share.High, Top: top, Strong: c.blamed}.Figure(),
		}
		if unit == "Tenant" {
			row.Name, row.Of = row.Of, ""
		}
		if c.unknown > 0.5 {
			row.Reads = "–"
		}
		b.Rows = append(b.Rows, row)
	}
	return b
}

// floor takes a lower bound that nobody could tell from nothing for nothing.
func floor(low float64) float64 {
	if low < 1e-5 {
		return 0
	}
	return low
}
