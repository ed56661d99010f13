package draw

import "firebreak/policy"

// Cause is a cause for people.
func Cause(c policy.Cause) string {
	switch c {
	case policy.CauseVolume:
		return "volume"
	case policy.CauseHotKey:
		return "hot key"
	case policy.CauseWhaleTenant:
		return "whale tenant"
	case policy.CauseUnknown:
	}
	return "cause unknown"
}
