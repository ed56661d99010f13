package report

import (
	"errors"
	"slices"

	"firebreak/internal/history"
	"firebreak/policy"
)

// errOther says that the evidence is of another verdict than the one that was told.
var errOther = errors.New("the evidence has no such verdict")

// picture judges the evidence of a hotspot again, for what no line of the journal holds: the loads of all shards now and under
// each fix, and the heaviest keys and tenants of the shard. What a newer judge sees otherwise than the one that told it is not shown.
func (w *Week) picture(h *hotspot, e *history.Entry) error {
	evidence, err := e.Evidence()
	if err != nil {
		return err
	}
	d, err := history.Replay(evidence)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(d.Verdicts, func(v policy.Verdict) bool { return v.Hotspot == h.told.Hotspot && v.Phase == policy.PhaseFiring })
	if at < 0 {
		return errOther
	}
	severity := h.told.Severity
	h.told = d.Verdicts[at]
	h.told.Severity = severity
	s := evidence.Snapshot
	h.picture, h.inputs, h.table = policy.Behind(s, &evidence.Config, &h.told, listed), s.Inputs, s.Table
	return nil
}
