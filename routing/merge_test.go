package routing

import (
	"fmt"
	"testing"
)

func TestMerge(t *testing.T) {
	for m := MergeUnknown; m <= MergeMax+1; m++ {
		got, err := ParseMerge(m.String())
		if known := m > MergeUnknown && m <= MergeMax; known != (err == nil) || known && got != m {
			t.Errorf("%s is read as %s, %v", m, got, err)
		}
	}
	if got := fmt.Sprint(Merge(9)); got != "merge(9)" {
		t.Error(got)
	}
	if got := MergeKinds(); len(got) != int(MergeMax) || got[0] != MergeCounter.String() || got[len(got)-1] != MergeMax.String() {
		t.Errorf("%v merge", got)
	}
}
