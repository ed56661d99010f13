package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.uber.org/goleak"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing/control"
	"firebreak/routing/dynamo"
)

const table = "counters"

func TestMain(m *testing.M) {
	if os.Getenv("COUNTER_RUN") != "" { // this binary is the command
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// slow is a way to a server that takes up to a tenth of a second there, and as long back.
type slow struct{ via http.RoundTripper }

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(rand.N(100 * time.Millisecond))
	resp, err := s.via.RoundTrip(r)
	time.Sleep(rand.N(100 * time.Millisecond))
	return resp, err
}

func api(via http.RoundTripper) *dynamodb.Client {
	return dynamo.Client(aws.Config{
		Region: "eu-west-1", HTTPClient: &http.Client{Transport: via},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}),
	}, "http://dynamo.test")
}

// newServer is a server with the table and the fleet. Its cheap reads lag.
func newServer(t *testing.T) *fake.Server {
	t.Helper()
	s := fake.New(time.Now)
	s.Lag(300 * time.Millisecond)
	if err := adopt(t.Context(), api(s), table); err != nil {
		t.Fatal(err)
	}
	return s
}

// process is a client of the server, which makes the faults of this client alone.
func process(t *testing.T, s *fake.Server) (*fake.Server, *counters) {
	t.Helper()
	own := fake.Before(time.Now, s)
	c, err := open(t.Context(), api(slow{own}), table)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.router.Close)
	return own, c
}

func newDecider(t *testing.T, s *fake.Server) *decider {
	t.Helper()
	d, err := claim(t.Context(), api(slow{s}), table, control.NoLongerLive)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ledger is what was counted, as those know who counted and read.
type ledger struct {
	mu sync.Mutex
	// sent and acknowledged are sums of increments that began and were not refused, and of those that were acknowledged.
	sent, acknowledged int64
	reads, writes      int
}

func (l *ledger) do(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// count adds n. An increment that fails is taken for refused, which the sum at the end tells from one that is lost.
func (l *ledger) count(ctx context.Context, t *testing.T, c *counters, key string, n int64) error {
	l.do(func() { l.sent += n })
	err := c.increment(ctx, key, n)
	l.do(func() {
		if err == nil {
			l.acknowledged += n
			l.writes++
		} else {
			l.sent -= n
		}
	})
	if err != nil {
		t.Logf("refused: %v", err)
	}
	return err
}

// look reads: never less than was acknowledged before it began, never more than was sent until it ended.
func (l *ledger) look(ctx context.Context, t *testing.T, c *counters, key string) {
	var least, most int64
	l.do(func() { least = l.acknowledged })
	got, err := c.read(ctx, key)
	l.do(func() { most, l.reads = l.sent, l.reads+1 })
	if err != nil {
		t.Errorf("read: %v", err)
	} else if got < least || got > most {
		t.Errorf("%d is read; %d were acknowledged before, %d sent", got, least, most)
	}
}

// traffic counts and reads by these clients until it is stopped.
func (l *ledger) traffic(t *testing.T, key string, clients ...*counters) (stop func()) {
	on, off := context.WithCancel(t.Context())
	var all sync.WaitGroup
	rest := func() { _ = sleep(on, rand.N(time.Second)) }
	for _, c := range clients {
		for range 3 {
			all.Go(func() {
				for ; on.Err() == nil; rest() {
					_ = l.count(context.WithoutCancel(on), t, c, key, 1+rand.Int64N(5))
				}
			})
		}
		all.Go(func() {
			for ; on.Err() == nil; rest() {
				l.look(context.WithoutCancel(on), t, c, key)
			}
		})
	}
	return func() { off(); all.Wait() }
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exact says that a key is what was acknowledged, and nothing else was sent.
func (l *ledger) exact(t *testing.T, c *counters, key string) {
	t.Helper()
	got, err := c.read(t.Context(), key)
	if err != nil || got != l.acknowledged || l.sent != l.acknowledged {
		t.Errorf("%d at the end, %v; %d acknowledged of %d sent", got, err, l.acknowledged, l.sent)
	}
}

// standing is the value of the item of a piece.
func standing(t *testing.T, c *counters, key string, suffix uint32) int64 {
	t.Helper()
	name := partition(c.router.Table().AppendPieceKey(nil, []byte(key), suffix))
	items, err := c.batch(t.Context(), []string{name})
	if err != nil {
		t.Fatal(err)
	}
	n, err := value(items[name])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// piecesOf is how many pieces a client's readers and writers use of a key.
func piecesOf(c *counters, key string) (read, write int) {
	salt, ok := c.router.Table().Salt(nil, []byte(key))
	if !ok {
		return 1, 1
	}
	return salt.Read, salt.Write
}

func getItem(partition string) *dynamodb.GetItemInput {
	return &dynamodb.GetItemInput{TableName: aws.String(table), Key: keyOf(partition), ConsistentRead: aws.Bool(true)}
}

func folded(suffixes ...string) types.AttributeValue {
	return &types.AttributeValueMemberNS{Value: suffixes}
}
