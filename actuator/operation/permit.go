package operation

import (
	"errors"
	"fmt"
	"slices"

	"firebreak/policy"
	"firebreak/routing/control"
)

// Permit says why a person's word does not count; nil = it does. Anybody may stop or hold, or change the document, as far as key spaces
// declare what would be cached or salted; who approves, rejects, takes back or lets acting go on must be one of the fleet's approvers. n is
// the last judgement, of which a plan must be; without one any plan may be meant. cfg is what the fleet is configured with.
func Permit(s *control.State, r *control.Request, n *Numbers, cfg *policy.Config) error {
	switch r.Do {
	case control.DoApprove, control.DoReject, control.DoRollback, control.DoResume:
	case control.DoSet, control.DoImport:
		return undeclared(s, r, cfg)
	case control.DoUnknown, control.DoStop, control.DoHold, control.DoAct:
		return nil
	}
	if len(cfg.Approvers) == 0 && r.Do == control.DoResume {
		return nil // nobody is listed where nothing is approved
	}
	if !slices.Contains(cfg.Approvers, r.By) {
		return fmt.Errorf("%s is none of the fleet's approvers", r.By)
	}
	switch {
	case r.Do == control.DoRollback:
		return canGoBack(s, r.Operation)
	case r.Plan == "" || n.Decision == nil:
		return nil
	}
	if !slices.ContainsFunc(n.Decision.Plans, func(p policy.Plan) bool { return p.ID == r.Plan }) {
		return errors.New("there is no such plan now: it changed, or its hotspot is over")
	}
	return nil
}

// canGoBack says why an operation has no way back.
func canGoBack(s *control.State, number uint64) error {
	o := s.Operation(number)
	if o == nil {
		return fmt.Errorf("there is no operation %d, or its way back is over", number)
	}
	m, ok := machineOf(Machines(), o.Machine)
	at := m.at(o.Phase)
	if !ok || at < 0 {
		return fmt.Errorf("operation %d: %s/%s is no phase that this version knows", number, o.Machine, o.Phase)
	}
	if p := &m.Phases[at]; p.Back == "" {
		return errors.New(p.NoBack)
	}
	return nil
}
