package kafka

import (
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// lease says whether this member may still believe that its partitions are its own: its coordinator answered a heartbeat
// within the session. A member without one publishes nothing, or a frozen one that wakes up would go on for ever where the
// broker does not fence it.
type lease struct {
	session time.Duration
	renewed atomic.Int64 // unix ns: when the request of the newest answer was sent
}

// Keys of the requests that renew a lease.
const (
	keyJoinGroup              = 11
	keyHeartbeat              = 12
	keySyncGroup              = 14
	keyConsumerGroupHeartbeat = 68
)

// OnBrokerE2E implements kgo.HookBrokerE2E.
func (l *lease) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	switch key {
	case keyJoinGroup, keyHeartbeat, keySyncGroup, keyConsumerGroupHeartbeat:
		if e2e.Err() == nil && e2e.BytesRead > 0 {
			// The broker's session runs from when it read the request, which is no earlier than when it was sent.
			l.renewed.Store(time.Now().Add(-e2e.DurationE2E()).UnixNano())
		}
	}
}

// holds tells whether the lease is still good.
func (l *lease) holds() bool {
	return time.Since(time.Unix(0, l.renewed.Load())) < l.session
}
