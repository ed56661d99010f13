package main

import (
	"firebreak/actuator"
	"firebreak/actuator/notify"
	wording "firebreak/internal/words"
)

// ownerOf is who answers for what in a fleet, as the page and the report want it. redact is how names were redacted; nil = they were not.
func ownerOf(all notify.Owners, fleet string, redact actuator.Redact) func(tenant, key string) wording.Owner {
	return func(tenant, key string) wording.Owner {
		if o := all.Of(fleet, tenant, key, redact); o != nil {
			return wording.Owner{Team: o.Team, Channel: o.Channel, Runbook: o.Runbook}
		}
		return wording.Owner{}
	}
}
