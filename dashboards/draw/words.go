package draw

import (
	"firebreak/internal/words"
	"firebreak/policy"
)

// Cause is a cause for people.
func Cause(c policy.Cause) string { return words.Cause(c.String()) }
