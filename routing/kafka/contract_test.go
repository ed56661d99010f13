package kafka

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"firebreak/routing/control/contract"
)

// TestContract: what every store promises. Kafka has one region.
func TestContract(t *testing.T) {
	contract.Run(t, func(t *testing.T) contract.Rig {
		c, w := broker(t), &wire{}
		return contract.Rig{
			Store:     func(t *testing.T, fleet string) contract.Store { return open(t, c, w.opt()).Store(fleet) },
			Source:    func(t *testing.T, fleet string) contract.Source { return open(t, c, w.opt()).Source(fleet) },
			Resends:   true,
			LoseReply: func(*testing.T) { w.set(func() { w.lose = loseReply }) },
			LoseWrite: func(_ *testing.T, instead func()) { w.set(func() { w.lose, w.instead = loseWrite, instead }) },
			Throttle:  throttle(c),
			Slow:      func(_ *testing.T, each time.Duration) { w.set(func() { w.delay = each }) },
			Away: func(*testing.T) (back func()) {
				var away atomic.Bool
				away.Store(true)
				c.Control(func(kmsg.Request) (kmsg.Response, error, bool) {
					c.KeepControl()
					if away.Load() {
						return nil, errors.New("away"), true
					}
					return nil, nil, false
				})
				return func() { away.Store(false) }
			},
		}
	})
}
