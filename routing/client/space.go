package client

import (
	"fmt"

	"firebreak/routing"
)

// Kind is how the pieces of a salted value become one value again. The zero value is unknown: the keys of such a space are never salted.
type Kind = routing.Merge

// The kinds of values that merge.
const (
	KindUnknown = routing.MergeUnknown
	KindCounter = routing.MergeCounter // the sum of the pieces
	KindAppend  = routing.MergeAppend  // one piece's elements behind the other's
	KindSet     = routing.MergeSet     // the union of the pieces
	KindMax     = routing.MergeMax     // the largest piece
)

// ParseKind is the inverse of String for the kinds that merge.
func ParseKind(s string) (Kind, error) { return routing.ParseMerge(s) }

// Space declares keys that may be salted, as policy.key_spaces does in firebreak's configuration. The two must say the same: firebreak
// salts by the one, and a stale Router refuses by the other.
type Space struct {
	// Prefix is of the keys; empty matches all.
	Prefix string
	// Tenant limits the space to one tenant; empty means all.
	Tenant string
	// Kind is how pieces merge.
	Kind Kind
	// StaleAnswers lets a Router that is stale go on with these keys: a read may then miss writes, and says so.
	StaleAnswers bool
}

func (s *Space) matches(tenant, key []byte) bool {
	return len(key) >= len(s.Prefix) && string(key[:len(s.Prefix)]) == s.Prefix && (s.Tenant == "" || s.Tenant == string(tenant))
}

func (s *Space) validate() error {
	if s.Kind == KindUnknown || s.Kind > KindMax {
		return fmt.Errorf("kind: %s, want how the pieces merge", s.Kind)
	}
	return nil
}

// spaceOf is the first space that has the key, nil where none has.
func spaceOf(spaces []Space, tenant, key []byte) *Space {
	for i := range spaces {
		if spaces[i].matches(tenant, key) {
			return &spaces[i]
		}
	}
	return nil
}
