package rarely

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestSay: at once, and once a minute after that, however often it is asked.
func TestSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			trouble Trouble
			said    []time.Duration
		)
		for begun := time.Now(); time.Since(begun) < 150*time.Second; time.Sleep(time.Second) {
			if trouble.Say() {
				said = append(said, time.Since(begun))
			}
		}
		if len(said) != 3 || said[0] != 0 || said[1] != time.Minute || said[2] != 2*time.Minute {
			t.Errorf("said after %v", said)
		}
	})
}
