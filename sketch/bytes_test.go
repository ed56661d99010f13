package sketch

import (
	"testing"
	"unsafe"
)

// TestSizes: the sizes that Bytes adds up are the compiler's, rounded up at most.
func TestSizes(t *testing.T) {
	for name, v := range map[string][2]uintptr{
		"row": {rowSize, unsafe.Sizeof(row{})}, "sums": {sumsSize, unsafe.Sizeof(Sums{})}, "piece": {pieceSize, unsafe.Sizeof(piece{})},
		"votes": {votesSize, unsafe.Sizeof(votes{})}, "known": {knownSize, unsafe.Sizeof(context{})}, "kept": {keptSize, unsafe.Sizeof(kept{})},
		"merged": {mergedSize, unsafe.Sizeof(merged{})}, "crowd": {crowdSize, unsafe.Sizeof(paneCrowd{})},
		"load": {loadSize, unsafe.Sizeof(VShardSums{})}, "string": {stringSize, unsafe.Sizeof("")},
	} {
		if v[0] != v[1] {
			t.Errorf("%s: %d bytes, the compiler says %d", name, v[0], v[1])
		}
	}
}

// TestBytesCountsPanesBeforeTheyAreMade: making all panes does not change what the window says it takes.
func TestBytesCountsPanesBeforeTheyAreMade(t *testing.T) {
	s := newSliding(t, Default(20, 16, 1024, 1))
	before := s.Bytes()
	for i := range int64(28) {
		if s.pane(i) == nil {
			t.Fatalf("no room for pane %d", i)
		}
	}
	if after := s.Bytes(); after != before {
		t.Errorf("%d bytes before, %d after", before, after)
	}
	if s.pane(28) != nil {
		t.Error("there is room for a pane too many")
	}
}
