package closedloop_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/internal/closedloop"
)

// TestDeafClients: clients that confirm every document and never route by it. What was begun is judged misrouted, and no other plan is ever
// begun: for four hours nothing follows the operations of the first one, which begin within minutes of each other.
func TestDeafClients(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	var mu sync.Mutex
	judged := 0
	each(t, func(seed uint64) error {
		f, err := closedloop.Draw(seed)
		if err != nil || f.Kind != closedloop.KindVolume {
			return err
		}
		o := options(seed)
		o.Spike, o.Deaf = 0, true
		l, err := closedloop.New(f, o)
		if err != nil {
			return err
		}
		for l.Since() < 4*time.Hour {
			if err := l.Step(); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for i := range l.Began {
			if b := &l.Began[i]; b.Plan != l.Began[0].Plan || b.Machine == operation.MachineMove && b.Began.Sub(l.Began[0].Began) > relief {
				return fmt.Errorf("seed %d: operation %d began %s after the first", seed, b.Number, b.Began.Sub(l.Began[0].Began))
			}
		}
		for i := range l.Ended {
			if e := &l.Ended[i]; e.Machine == operation.MachineMove {
				judged++
				if e.Outcome != operation.Misrouted && e.Outcome != operation.Reverted {
					return fmt.Errorf("seed %d: operation %d is %s", seed, e.Number, e.Outcome)
				}
			}
		}
		return nil
	})
	if judged == 0 {
		t.Fatal("nothing was begun")
	}
	t.Logf("%d operations judged", judged)
}
