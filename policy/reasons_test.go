package policy

import (
	"slices"
	"testing"
)

// TestBlocks: what speaks against a fix is told from what holds back firebreak alone; every reason is one of the two.
func TestBlocks(t *testing.T) {
	waits := []HoldReason{
		HoldEvenlyHot, HoldNotRouted, HoldFootprintInUse, HoldCoolDown, HoldBudget, HoldCap, HoldClientBehind, HoldOutsideWindow, HoldOperator, HoldObserve,
		HoldApprovalMissing, HoldApprovalExpired,
	}
	for _, r := range HoldReasons() {
		if r.Blocks() == slices.Contains(waits, r) {
			t.Errorf("%s blocks: %v", r, r.Blocks())
		}
	}
	if HoldNone.Blocks() {
		t.Error("no reason blocks")
	}
}
