package draw

import (
	"strings"
	"testing"
)

func TestLabelFits(t *testing.T) {
	for _, name := range []string{"shard-1", strings.Repeat("x", 300), strings.Repeat("長", 90), strings.Repeat("\x01", 40)} {
		if label := Label(name); wide(label) > MaxLabel+8 {
			t.Errorf("Label(%q) = %q is %d columns wide", name, label, wide(label))
		}
	}
}
