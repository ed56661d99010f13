package main

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing/client"
	"firebreak/routing/dynamo"
	"firebreak/routing/kafka"
	"firebreak/routing/store"
)

// place is where a rig's fleet has its state.
type place interface {
	// open is the store as a decider reaches it, whose writes are counted and cut; nil = as people do. done ends its connections.
	open(d *decider) (s store.Store, done func())
	// source is where clients look.
	source() client.Source
	close()
}

// dynamoPlace speaks DynamoDB's wire protocol.
type dynamoPlace struct {
	t      *testing.T
	server *fake.Server
}

func newDynamoPlace(t *testing.T) *dynamoPlace {
	t.Helper()
	p := &dynamoPlace{t, fake.New(time.Now)}
	if _, err := dynamo.Create(t.Context(), p.api(p.server), "firebreak"); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *dynamoPlace) api(via http.RoundTripper) *dynamodb.Client {
	return dynamo.Client(aws.Config{
		Region: "eu-west-1", HTTPClient: &http.Client{Transport: via},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}),
	}, "http://dynamo.test")
}

func (p *dynamoPlace) open(d *decider) (s store.Store, done func()) {
	var via http.RoundTripper = p.server
	if d != nil {
		via = &cutHTTP{d, p.server}
	}
	s, err := dynamo.Open(p.api(via), dynamo.Config{Table: "firebreak", Fleet: "orders"})
	if err != nil {
		p.t.Fatal(err)
	}
	return s, func() {}
}

func (p *dynamoPlace) source() client.Source {
	s, err := dynamo.OpenSource(p.api(p.server), dynamo.Config{Table: "firebreak", Fleet: "orders"})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func (p *dynamoPlace) close() {}

// cutHTTP is a decider's way to the table.
type cutHTTP struct {
	*decider

	server *fake.Server
}

// RoundTrip implements http.RoundTripper.
func (c *cutHTTP) RoundTrip(q *http.Request) (*http.Response, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	target := q.Header.Get("X-Amz-Target")
	if !strings.HasSuffix(target, "PutItem") && !strings.HasSuffix(target, "UpdateItem") && !strings.HasSuffix(target, "DeleteItem") {
		return c.server.RoundTrip(q)
	}
	var reply *http.Response
	err := c.write(func() (err error) {
		reply, err = c.server.RoundTrip(q) //nolint:bodyclose // the caller's
		return err
	})
	if err != nil {
		return nil, err
	}
	return reply, nil
}

// kafkaPlace speaks Kafka's.
type kafkaPlace struct {
	t       *testing.T
	network kfake.VirtualNetwork
	cluster *kfake.Cluster
	people  *kafka.Log
}

func newKafkaPlace(t *testing.T) *kafkaPlace {
	t.Helper()
	p := &kafkaPlace{t: t}
	var err error
	if p.cluster, err = kfake.NewCluster(
		kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(p.network.Listen), kfake.SeedTopics(1, kafka.StateTopic("fb"), kafka.ClientsTopic("fb")),
	); err != nil {
		t.Fatal(err)
	}
	p.people = p.log(p.network.DialContext)
	return p
}

func (p *kafkaPlace) log(dial func(ctx context.Context, network, host string) (net.Conn, error)) *kafka.Log {
	l, err := kafka.Open([]kgo.Opt{kgo.SeedBrokers(p.cluster.ListenAddrs()...), kgo.Dialer(dial)}, "fb")
	if err != nil {
		p.t.Fatal(err)
	}
	return l
}

func (p *kafkaPlace) open(d *decider) (s store.Store, done func()) {
	if d == nil {
		return p.people.Store("orders"), func() {}
	}
	l := p.log(func(ctx context.Context, network, host string) (net.Conn, error) {
		conn, err := p.network.DialContext(ctx, network, host)
		if err != nil {
			return nil, err
		}
		return &cutConn{Conn: conn, decider: d}, nil
	})
	return l.Store("orders"), l.Close
}

func (p *kafkaPlace) source() client.Source { return p.people.Source("orders") }

func (p *kafkaPlace) close() {
	p.people.Close()
	p.cluster.Close()
	time.Sleep(time.Minute) // what is left of connections ends
}

// cutConn is a decider's connection to the broker: the client writes one request a call.
type cutConn struct {
	net.Conn

	decider *decider
	mu      sync.Mutex
	deaf    bool // the reply is lost, and the connection with it
}

// Write implements net.Conn.
func (c *cutConn) Write(b []byte) (int, error) {
	if err := c.decider.ctx.Err(); err != nil {
		return 0, errors.Join(err, c.Close())
	}
	if len(b) < 6 || kmsg.Key(binary.BigEndian.Uint16(b[4:6])) != kmsg.Produce {
		return c.Conn.Write(b)
	}
	n, sent := 0, false
	err := c.decider.write(func() (err error) {
		c.mu.Lock()
		c.deaf = c.decider.loses()
		c.mu.Unlock()
		n, err = c.Conn.Write(b)
		sent = true
		return err
	})
	if errors.Is(err, errCut) && sent {
		return n, nil // it is the reply that is lost
	}
	if err != nil {
		return n, errors.Join(err, c.Close())
	}
	return n, nil
}

// Read implements net.Conn.
func (c *cutConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deaf && err == nil {
		return 0, errors.Join(errCut, c.Close())
	}
	return n, err
}
