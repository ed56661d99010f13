package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

var errLost = errors.New("the connection broke")

// wire is what lies between clients and the broker: it loses what is sent, or what comes back, and takes its time.
type wire struct {
	mu      sync.Mutex // all below
	lose    lost       // of the next write
	instead func()
	delay   time.Duration
}

type lost uint8

const (
	loseNothing lost = iota
	loseReply
	loseWrite
)

func (w *wire) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// opt makes a client send over the wire.
func (w *wire) opt() kgo.Opt {
	return kgo.Dialer(func(ctx context.Context, network, host string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, host)
		if err != nil {
			return nil, err
		}
		return &wired{Conn: conn, wire: w}, nil
	})
}

// wired is a connection. The client writes one request a call, and reads and writes in goroutines of their own.
type wired struct {
	net.Conn

	wire *wire
	mu   sync.Mutex
	deaf bool // the next reply is lost
}

// Write implements net.Conn.
func (c *wired) Write(b []byte) (int, error) {
	c.wire.mu.Lock()
	lose, instead, delay := loseNothing, c.wire.instead, c.wire.delay
	if isWrite := len(b) > 6 && kmsg.Key(binary.BigEndian.Uint16(b[4:6])) == kmsg.Produce; isWrite {
		lose, c.wire.lose, c.wire.instead = c.wire.lose, loseNothing, nil
	}
	c.wire.mu.Unlock()
	time.Sleep(delay)
	switch lose {
	case loseWrite:
		if instead != nil {
			instead()
		}
		return 0, errors.Join(errLost, c.Close())
	case loseReply:
		c.mu.Lock()
		c.deaf = true
		c.mu.Unlock()
	case loseNothing:
	}
	return c.Conn.Write(b)
}

// Read implements net.Conn.
func (c *wired) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deaf && err == nil {
		return 0, errors.Join(errLost, c.Close())
	}
	return n, err
}

// throttle has the broker refuse the next writes: too few replicas are in sync to take them, which is what an overloaded cluster says.
// Reads it answers: Kafka's quotas delay calls, and refuse none.
func throttle(c *kfake.Cluster) func(t *testing.T, calls int) {
	var mu sync.Mutex
	left := 0
	c.ControlKey(int16(kmsg.Produce), func(q kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		mu.Lock()
		defer mu.Unlock()
		if left == 0 {
			return nil, nil, false
		}
		left--
		produce := q.(*kmsg.ProduceRequest)
		reply := produce.ResponseKind().(*kmsg.ProduceResponse)
		for _, topic := range produce.Topics {
			t := kmsg.NewProduceResponseTopic()
			t.Topic, t.TopicID = topic.Topic, topic.TopicID
			for _, partition := range topic.Partitions {
				p := kmsg.NewProduceResponseTopicPartition()
				p.Partition, p.ErrorCode = partition.Partition, kerr.NotEnoughReplicas.Code
				t.Partitions = append(t.Partitions, p)
			}
			reply.Topics = append(reply.Topics, t)
		}
		return reply, nil, true
	})
	return func(_ *testing.T, calls int) {
		mu.Lock()
		defer mu.Unlock()
		left = calls
	}
}
