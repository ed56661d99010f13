package kafka

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"firebreak/routing/control/contract"
)

// TestContract: what every store promises. Kafka has one region; lost replies the client itself sends again, under the same number.
func TestContract(t *testing.T) {
	contract.Run(t, func(t *testing.T) contract.Rig {
		c := broker(t)
		return contract.Rig{
			Store:  func(t *testing.T, fleet string) contract.Store { return open(t, c).Store(fleet) },
			Source: func(t *testing.T, fleet string) contract.Source { return open(t, c).Source(fleet) },
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
