package access

import (
	"cmp"
	"fmt"
	"slices"
)

// Role is what a person may do: all may look, an operator may hold and stop, an approver may do all there is.
type Role uint8

// The roles, each may what those before it may. The zero value may nothing.
const (
	RoleNone Role = iota
	RoleViewer
	RoleOperator
	RoleApprover
)

func roles() []string { return []string{"none", "viewer", "operator", "approver"} }

// String returns the one spelling of r.
func (r Role) String() string {
	if int(r) >= len(roles()) {
		return fmt.Sprintf("invalid(%d)", r)
	}
	return roles()[r]
}

// MarshalText writes the one spelling of r.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads viewer, operator and approver.
func (r *Role) UnmarshalText(text []byte) error {
	i := slices.Index(roles(), string(text))
	if i < int(RoleViewer) {
		return fmt.Errorf("%q: want viewer, operator or approver", text)
	}
	*r = Role(i)
	return nil
}

// or is the role, or the least that may look.
func (r Role) or() Role { return cmp.Or(r, RoleViewer) }
