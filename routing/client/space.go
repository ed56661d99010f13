package client

import (
	"fmt"
	"strconv"
)

// Kind is how the pieces of a salted value become one value again. The zero value is unknown: the keys of such a space are never salted.
type Kind uint8

// The kinds of values that merge.
const (
	KindUnknown Kind = iota
	KindCounter      // the sum of the pieces
	KindAppend       // one piece's elements behind the other's
	KindSet          // the union of the pieces
	KindMax          // the largest piece
)

func kindNames() [5]string { return [5]string{"unknown", "counter", "append", "set", "max"} }

// String returns the one spelling of k; a value outside the set prints as kind(n).
func (k Kind) String() string {
	names := kindNames()
	if int(k) < len(names) {
		return names[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// ParseKind is the inverse of String for the kinds that merge.
func ParseKind(s string) (Kind, error) {
	for i, name := range kindNames() {
		if i > 0 && s == name {
			return Kind(i), nil
		}
	}
	return KindUnknown, fmt.Errorf("kind: %q is none of counter, append, set, max", s)
}

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
