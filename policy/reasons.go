package policy

// HoldReason is why firebreak does not act. The list is closed.
type HoldReason uint8

// The reasons, in the order in which holds of one plan are listed.
const (
	HoldNone HoldReason = iota
	HoldStale
	HoldPartial
	HoldWarmingUp
	HoldLittleEvidence
	HoldSamplingByKey
	HoldMisrouted
	HoldNothingFeasible
	HoldVShardFloor
	HoldOpUnknown
	HoldReadHot
	HoldEvenlyHot
	HoldNotRouted
	HoldNotDeclared
	HoldDoesNotMerge
	HoldPinned
	HoldNoEffect
	HoldFootprintInUse
	HoldCoolDown
	HoldBudget
	HoldCap
	HoldClientBehind
	HoldOutsideWindow
	HoldOperator
	HoldObserve
	HoldApprovalMissing
	HoldApprovalExpired
)

// HoldReasons lists every reason but HoldNone, in order.
func HoldReasons() []HoldReason {
	var all []HoldReason
	for r := HoldStale; r <= HoldApprovalExpired; r++ {
		all = append(all, r)
	}
	return all
}

// String returns the one spelling of r.
func (r HoldReason) String() string {
	return name([]string{
		"none", "stale", "partial", "warming_up", "little_evidence", "sampling_by_key", "misrouted",
		"nothing_feasible", "vshard_floor", "op_unknown", "read_hot", "evenly_hot",
		"not_routed_by_us", "key_space_not_declared", "value_does_not_merge", "pinned",
		"no_effect", "footprint_in_use", "cool_down", "budget_reached", "cap_reached", "client_behind",
		"outside_window", "operator_hold", "observe_mode", "approval_missing", "approval_expired",
	}, int(r))
}

// Blocks says that the fix must not be made by anybody while r stands, because it would not help or do harm: an approval does not lift
// it. The other reasons hold back firebreak alone (it may not, or has to wait), and a person may make the fix.
func (r HoldReason) Blocks() bool {
	switch r {
	case HoldStale, HoldPartial, HoldWarmingUp, HoldLittleEvidence, HoldSamplingByKey, HoldMisrouted, HoldNothingFeasible, HoldVShardFloor, HoldOpUnknown,
		HoldReadHot, HoldNotDeclared, HoldDoesNotMerge, HoldPinned, HoldNoEffect:
		return true
	case HoldNone, HoldEvenlyHot, HoldNotRouted, HoldFootprintInUse, HoldCoolDown, HoldBudget, HoldCap, HoldClientBehind, HoldOutsideWindow, HoldOperator,
		HoldObserve, HoldApprovalMissing, HoldApprovalExpired:
	}
	return false
}
