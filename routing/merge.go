package routing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Merge is how the pieces of a salted value become one value again. The zero value is unknown: such keys are never salted.
type Merge uint8

// The kinds of values that merge.
const (
	MergeUnknown Merge = iota
	MergeCounter       // the sum of the pieces
	MergeAppend        // one piece's elements behind the other's
	MergeSet           // the union of the pieces
	MergeMax           // the largest piece
)

func mergeNames() []string { return []string{"unknown", "counter", "append", "set", "max"} }

// MergeKinds are the names of the kinds that merge.
func MergeKinds() []string { return mergeNames()[1:] }

// String returns the one spelling of m; a value outside the set prints as merge(n).
func (m Merge) String() string {
	names := mergeNames()
	if int(m) < len(names) {
		return names[m]
	}
	return "merge(" + strconv.Itoa(int(m)) + ")"
}

// ParseMerge is the inverse of String for the kinds that merge.
func ParseMerge(s string) (Merge, error) {
	if i := slices.Index(MergeKinds(), s); i >= 0 {
		return MergeUnknown + 1 + Merge(i), nil
	}
	return MergeUnknown, fmt.Errorf("merge: %q is none of %s", Escape(s), strings.Join(MergeKinds(), ", "))
}
