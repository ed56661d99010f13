package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"firebreak/actuator/operation"
	"firebreak/dashboards/draw"
	"firebreak/internal/words"
	"firebreak/policy"
)

// score is what became of the proposals of one fix in a period. A hotspot for which it was planned is one proposal.
type score struct {
	fix       policy.Fix
	proposed  int
	approved  int // by a person, whatever came of it
	carried   int // begun, by a person's approval or without
	effective int // of those
	held      int // of those that were not begun: for another reason than that nobody approved, or nobody may
	reason    string
	left      int // not begun
	cooled    int // of those that were not begun: the plan would have kept the shard under its target at its worst too
}

// scores are those of the fixes that were proposed, in the order of policy.Fixes.
func (w *Week) scores() []score {
	all := map[policy.Fix]*score{}
	reasons := map[policy.Fix]map[string]int{}
	for _, h := range w.within(w.from, w.to) {
		if h.plan == nil {
			continue
		}
		s := all[h.told.Fix]
		if s == nil {
			s = &score{fix: h.told.Fix}
			all[s.fix], reasons[s.fix] = s, map[string]int{}
		}
		s.proposed++
		is := w.fate(h)
		s.approved += count(is.approved)
		s.carried += count(is.carried)
		s.effective += count(is.effective)
		if is.carried {
			continue
		}
		s.left++
		s.cooled += count(h.wouldCool())
		if reason := h.heldBy(); reason != "" {
			s.held++
			reasons[s.fix][reason]++
		}
	}
	var out []score
	for _, s := range all {
		for reason, n := range reasons[s.fix] {
			if was := reasons[s.fix][s.reason]; n > was || n == was && reason < s.reason {
				s.reason = reason
			}
		}
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b score) int { return cmp.Compare(a.fix, b.fix) })
	return out
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// fate is what became of a proposal.
type fate struct{ approved, carried, effective bool }

// fate looks at the operations of the fix that was told last for a hotspot, and at what people said of its plans.
func (w *Week) fate(h *heard) fate {
	is := fate{approved: w.approved[string(h.plan.ID)] || w.approved[string(h.newest)]}
	for _, o := range w.acted {
		if o.began.IsZero() || o.hotspot != h.id || o.fix != h.told.Fix.String() {
			continue
		}
		is.carried = true
		is.approved = is.approved || o.by != ""
		is.effective = is.effective || o.outcome == operation.Effective || o.judgedAs == operation.Effective
	}
	return is
}

// wouldCool applies what the plan promised of the load that was told to the highest load that was measured. What a quota lets through stays
// what it is, whatever comes.
func (h *heard) wouldCool() bool {
	if h.told.Load <= 0 || h.told.Target <= 0 {
		return false
	}
	left := float64(h.plan.Projection.Shard)
	if h.told.Fix != policy.FixQuota && h.told.Fix != policy.FixLimitCaller {
		left *= max(h.peak, h.told.Load) / h.told.Load
	}
	return left <= h.told.Target
}

// heldBy is why nothing was done, but for what a person has to say first; empty = nothing else held it.
func (h *heard) heldBy() string {
	for _, hold := range h.holds {
		switch hold.Reason {
		case policy.HoldObserve.String(), policy.HoldApprovalMissing.String(), policy.HoldApprovalExpired.String():
		default:
			return hold.Reason
		}
	}
	return ""
}

// scoreRow is a fix in the scorecard.
type scoreRow struct {
	Fix      string
	Proposed int
	Approved int
	Carried  string
	Held     string
	Cooled   string
}

func (t *teller) scores() (rows []scoreRow) {
	for _, s := range t.f.Week.scores() {
		row := scoreRow{Fix: words.Fix(s.fix.String()), Proposed: s.proposed, Approved: s.approved, Carried: "–", Held: "–", Cooled: "–"}
		if s.carried > 0 {
			row.Carried = fmt.Sprintf("%d, %d effective", s.carried, s.effective)
		}
		if s.held > 0 {
			row.Held = fmt.Sprintf("%d, mostly: %s", s.held, strings.ReplaceAll(s.reason, "_", " "))
		}
		if s.left > 0 {
			row.Cooled = fmt.Sprintf("%d of %s", s.cooled, draw.Count(s.left, "hotspot"))
		}
		rows = append(rows, row)
	}
	return rows
}

// scoreDocument is a fix as data.
type scoreDocument struct {
	Fix       string `json:"fix"`
	Proposed  int    `json:"proposed"`          // hotspots for which it was planned
	Approved  int    `json:"approved"`          // by a person
	Carried   int    `json:"carried_out"`       // begun
	Effective int    `json:"effective"`         // of those
	Held      int    `json:"held"`              // not begun, for another reason than that a person had to say so
	HeldBy    string `json:"held_by"`           // the most frequent reason; empty = none
	Left      int    `json:"not_carried_out"`   // not begun
	Cooled    int    `json:"would_have_cooled"` // of those, by what the plan promised and the highest load that was measured
}

func (w *Week) scoreDocuments() []scoreDocument {
	out := []scoreDocument{}
	for _, s := range w.scores() {
		out = append(out, scoreDocument{s.fix.String(), s.proposed, s.approved, s.carried, s.effective, s.held, s.reason, s.left, s.cooled})
	}
	return out
}
