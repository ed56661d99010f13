package sketch

import (
	"fmt"
	"testing"
)

// TestAudit: with room for all names nothing is off; with room for few of them what is not listed counts as not found, and no
// bound is broken.
func TestAudit(t *testing.T) {
	for listed, all := range map[int]bool{512: true, 8: false} {
		cfg := Default(6, 0, 0, 1)
		cfg.Listed = listed
		s := newSliding(t, cfg)
		a := NewAudit(s)
		for pane := range int64(6) {
			for key := range 200 {
				for range 1 + 400/(key+1) {
					sums := Sums{Requests: One, Cost: One, Records: One, Reads: One}
					a.Add(&Event{Pane: pane, VShard: None, Shard: None, Key: fmt.Appendf(nil, "key-%d", key), Sums: sums})
				}
			}
			a.Slide(pane)
			a.Window(listed)
		}
		e := a.Error()
		if e.Windows != 6 || e.Keys != 600 || e.Broken != 0 {
			t.Errorf("listed %d: %+v, want 6 windows of 100 keys and no bound broken", listed, e)
		}
		if exact := e.Found == e.Keys && e.Worst == 0 && e.Mean == 0; exact != all {
			t.Errorf("listed %d: %+v, want all of them without error: %v", listed, e, all)
		}
	}
}
