package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"firebreak/pipeline"
)

// errDone ends following in tests.
var errDone = errors.New("done")

// fake starts brokers in a virtual network, and returns the options of their clients.
func fake(t *testing.T, opts ...kfake.Opt) (*kfake.Cluster, []kgo.Opt) {
	t.Helper()
	net := &kfake.VirtualNetwork{}
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.Ports(9092), kfake.ListenFn(net.Listen)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	options, err := Options(Cluster{Brokers: c.ListenAddrs()})
	if err != nil {
		t.Fatal(err)
	}
	return c, append(options, kgo.Dialer(net.DialContext))
}

// open opens a log that ends with the test.
func open(t *testing.T, opts []kgo.Opt, topic string) *Log {
	t.Helper()
	l, err := OpenLog(opts, topic, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// start runs a loop beside the test, and ends it before the brokers end. What it returns comes out of the channel.
func start(t *testing.T, run func(context.Context) error) <-chan error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended, result := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(ended)
		result <- run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return result
}

// appended appends numbered values.
func appended(t *testing.T, l *Log, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if at, err := l.Append(t.Context(), []byte(strconv.Itoa(i))); err != nil {
			t.Fatalf("append %d: offset %d, %v", i, at, err)
		}
	}
}

// read follows until so many values came.
func read(t *testing.T, l *Log, from Start, n int) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var got []string
	err := l.Follow(ctx, from, func(e Entry) error {
		if got = append(got, string(e.Value)); len(got) == n {
			return errDone
		}
		return nil
	})
	if !errors.Is(err, errDone) {
		t.Fatalf("follow: %v after %d entries", err, len(got))
	}
	return got
}

func TestLogAppendsAndFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, opts := fake(t, kfake.SeedTopics(1, "log"))
		l := open(t, opts, "log")
		first, err := l.Append(t.Context(), []byte("0"), []byte("1"), []byte("2"))
		if err != nil || first != 0 {
			t.Fatalf("append: offset %d, %v", first, err)
		}
		time.Sleep(time.Minute)
		middle := time.Now()
		appended(t, l, 3, 6)
		for name, tt := range map[string]struct {
			from Start
			want []string
		}{
			"oldest": {Oldest(), []string{"0", "1", "2", "3", "4", "5"}},
			"offset": {At(2), []string{"2", "3", "4", "5"}},
			"since":  {Since(middle), []string{"3", "4", "5"}},
		} {
			if diff := cmp.Diff(tt.want, read(t, l, tt.from, len(tt.want))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		if end, err := l.End(t.Context()); end != 6 || err != nil {
			t.Errorf("end %d, %v", end, err)
		}
		newest := l.Follower(At(6))
		got := make(chan Entry, 1)
		start(t, func(ctx context.Context) error { return newest.Run(ctx, func(e Entry) error { got <- e; return nil }) })
		synctest.Wait()
		if newest.Position() != 6 {
			t.Errorf("a follower from the end on stands at %d, want the end", newest.Position())
		}
		appended(t, l, 6, 7)
		if e := <-got; string(e.Value) != "6" || e.Offset != 6 || e.Time.IsZero() {
			t.Errorf("entry %+v", e)
		}
		synctest.Wait()
		if newest.Position() != 7 {
			t.Errorf("position %d after the entry of offset 6", newest.Position())
		}
	})
}

// TestFollowerPassesTransactions: what others wrote in transactions moves the position to the end and shows no marker.
func TestFollowerPassesTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, opts := fake(t, kfake.SeedTopics(1, "log"))
		l := open(t, opts, "log")
		appended(t, l, 0, 1)
		for id, commit := range map[string]kgo.TransactionEndTry{"a": kgo.TryAbort, "b": kgo.TryCommit} {
			cl, err := kgo.NewClient(append(opts, kgo.TransactionalID(id), kgo.DefaultProduceTopic("log"))...)
			if err != nil {
				t.Fatal(err)
			}
			if err := cl.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			if err := cl.ProduceSync(t.Context(), kgo.StringRecord(id)).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if err := cl.EndTransaction(t.Context(), commit); err != nil {
				t.Fatal(err)
			}
			cl.Close()
		}
		f := l.Follower(Oldest())
		var got []string
		start(t, func(ctx context.Context) error {
			return f.Run(ctx, func(e Entry) error { got = append(got, string(e.Value)); return nil })
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		end, err := l.End(t.Context())
		if err != nil || f.Position() != end || end != 5 {
			t.Errorf("position %d, end %d, %v", f.Position(), end, err)
		}
		if diff := cmp.Diff([]string{"0", "b"}, got); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	})
}

// TestFollowEnds: each thing that happens to a topic behind a follower's back ends it with the error that says what.
func TestFollowEnds(t *testing.T) {
	remake := func(t *testing.T, adm *kadm.Client) {
		if _, err := adm.DeleteTopic(t.Context(), "log"); err != nil {
			t.Error(err)
		}
		if _, err := adm.CreateTopic(t.Context(), 1, 1, nil, "log"); err != nil {
			t.Error(err)
		}
	}
	cut := func(t *testing.T, adm *kadm.Client, to int64) {
		offsets := kadm.Offsets{}
		offsets.AddOffset("log", 0, to, -1)
		if _, err := adm.DeleteRecords(t.Context(), offsets); err != nil {
			t.Error(err)
		}
	}
	for name, tt := range map[string]struct {
		from   Start
		before func(*testing.T, *kadm.Client) // before following starts
		after  func(*testing.T, *kadm.Client) // once 3 entries were read
		want   error
	}{
		"made anew while following":   {Oldest(), nil, remake, ErrRecreated},
		"made anew before, by offset": {At(3), remake, nil, ErrRecreated},
		"made anew before, by id":     {Oldest().Of(pipeline.TopicID{1}), nil, nil, ErrRecreated},
		"deleted while following": {Oldest(), nil, func(t *testing.T, adm *kadm.Client) {
			if _, err := adm.DeleteTopic(t.Context(), "log"); err != nil {
				t.Error(err)
			}
		}, ErrRecreated},
		"cut before": {At(1), func(t *testing.T, adm *kadm.Client) { cut(t, adm, 2) }, nil, ErrTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, opts := fake(t, kfake.SeedTopics(1, "log"))
				l := open(t, opts, "log")
				appended(t, l, 0, 3)
				if tt.before != nil {
					tt.before(t, kadm.NewClient(l.client))
				}
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
				defer cancel()
				n := 0
				err := l.Follow(ctx, tt.from, func(Entry) error {
					if n++; n == 3 {
						tt.after(t, kadm.NewClient(l.client))
					}
					return nil
				})
				if !errors.Is(err, tt.want) {
					t.Errorf("follow: %v, want %v", err, tt.want)
				}
			})
		})
	}
}

// TestFollowTruncatedBehind: a follower that is held up until its next entries are deleted says so.
func TestFollowTruncatedBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, opts := fake(t, kfake.SeedTopics(1, "log"))
		l := open(t, opts, "log")
		appended(t, l, 0, 1)
		fetching, deleted := false, make(chan struct{})
		fetches := 0
		c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) { // the second fetch comes after the deletion
			c.KeepControl()
			if fetches++; fetches > 1 {
				c.SleepControl(func() { <-deleted })
			}
			return nil, nil, false
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := l.Follow(ctx, Oldest(), func(e Entry) error {
			if !fetching {
				fetching = true
				appended(t, l, 1, 6) //nolint:contextcheck // the context of the test
				offsets := kadm.Offsets{}
				offsets.AddOffset("log", 0, 5, -1)
				if _, err := kadm.NewClient(l.client).DeleteRecords(ctx, offsets); err != nil {
					t.Error(err)
				}
				close(deleted)
				return nil
			}
			return fmt.Errorf("entry %d came although what lies before it was not read", e.Offset)
		})
		if !errors.Is(err, ErrTruncated) {
			t.Errorf("follow: %v", err)
		}
	})
}

// TestFollowThroughOutage: brokers that are gone for a while cost time, no entry.
func TestFollowThroughOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, opts := fake(t, kfake.SeedTopics(1, "log"))
		l := open(t, opts, "log")
		appended(t, l, 0, 2)
		var got []string
		f := l.Follower(Oldest())
		failed := start(t, func(ctx context.Context) error {
			return f.Run(ctx, func(e Entry) error { got = append(got, string(e.Value)); return nil })
		})
		time.Sleep(time.Second)
		var down atomic.Bool
		down.Store(true)
		c.Control(func(kmsg.Request) (kmsg.Response, error, bool) {
			c.KeepControl()
			if down.Load() {
				return nil, errors.New("gone"), true
			}
			return nil, nil, false
		})
		time.Sleep(2 * time.Minute)
		down.Store(false)
		appended(t, l, 2, 4)
		time.Sleep(time.Minute)
		synctest.Wait()
		if diff := cmp.Diff([]string{"0", "1", "2", "3"}, got); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
		select {
		case err := <-failed:
			t.Errorf("the outage ended following: %v", err)
		default:
		}
	})
}

func TestAppendFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, opts := fake(t, kfake.SeedTopics(1, "log"))
		l := open(t, opts, "log")
		if _, err := l.Append(t.Context(), []byte("a"), bytes.Repeat([]byte("x"), MaxEntry+1)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("too large: %v", err)
		}
		if end, err := l.End(t.Context()); end != 0 || err != nil {
			t.Errorf("%d entries were appended, %v", end, err)
		}
		if at, err := l.Append(t.Context(), bytes.Repeat([]byte("x"), MaxEntry)); at != 0 || err != nil {
			t.Errorf("the largest entry: offset %d, %v", at, err)
		}
		if _, err := l.Append(t.Context()); err == nil {
			t.Error("nothing was appended without an error")
		}
		up := make(chan struct{})
		c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
			c.KeepControl()
			c.SleepControl(func() { <-up })
			return nil, nil, false
		})
		from := time.Now()
		if _, err := l.Append(t.Context(), []byte("b")); err == nil || time.Since(from) > 2*AppendTimeout {
			t.Errorf("a broker that does not answer: %v after %v", err, time.Since(from))
		}
		close(up)
	})
}

// TestAppendToAnotherTopic: after its topic was made anew a log says so once, and then appends to the new one.
func TestAppendToAnotherTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, opts := fake(t, kfake.SeedTopics(1, "log"))
		l := open(t, opts, "log")
		appended(t, l, 0, 2)
		before, err := l.ID(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		adm := kadm.NewClient(l.client)
		if _, err := adm.DeleteTopic(t.Context(), "log"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // metadata is younger than its least age
		if _, err := l.ID(t.Context()); !errors.Is(err, kerr.UnknownTopicOrPartition) {
			t.Errorf("id of no topic: %v", err)
		}
		if _, err := adm.CreateTopic(t.Context(), 1, 1, nil, "log"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // the client sees the new id
		if _, err := l.Append(t.Context(), []byte("x")); !errors.Is(err, ErrRecreated) {
			t.Errorf("the first append: %v", err)
		}
		if at, err := l.Append(t.Context(), []byte("y")); at != 0 || err != nil {
			t.Errorf("the second append: offset %d, %v", at, err)
		}
		if after, err := l.ID(t.Context()); after == before || err != nil {
			t.Errorf("id %v after %v, %v", after, before, err)
		}
	})
}
