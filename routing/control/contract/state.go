package contract

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/routing"
	"firebreak/routing/control"
)

// fleet is the one of most cases: its name holds what stores might part names by, and a byte that is not text.
const fleet = "orders/eu#1\\\xff*"

// adopted is a first state of a small fleet.
func adopted(t *testing.T, name string) *control.State {
	t.Helper()
	d, err := routing.Adopt(name, routing.Placement{Bytes: "key", Function: routing.MD5, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	return control.First(d)
}

// full is a valid state that has every part, with bytes that are no text and numbers at the end of their range.
func full(t *testing.T) *control.State {
	t.Helper()
	s := adopted(t, fleet)
	d := s.Document
	d.Epoch, d.Version, d.Tenure, d.Stop = math.MaxUint64-1, math.MaxUint64-7, "tenure\x00\xfe", true
	d.Shards[1].Capacity, d.Shards[2].ReadCapacity, d.Shards[3].WriteCapacity = 8000, 0.1, 1e-7
	d.Shards = append(d.Shards, routing.Shard{Name: "spare\xff", Role: routing.Spare}, routing.Shard{Name: " ", Role: routing.Dedicated, Capacity: 1e21})
	d.Moves = []routing.Move{{VShard: 0, To: 4}, {VShard: 10_239, To: 5}}
	d.Salts = []routing.Salt{{
		Key: "cart\n\"{\xc3", Suffixes: []uint32{0, math.MaxUint32, 7}, Read: 3, Write: 2, Tombstones: []uint32{7, 9},
	}}
	d.Tenants = []routing.TenantPlacement{{Tenant: "acme\\x41", Shards: []routing.ShardID{5, 0}}}
	d.Quotas = []routing.Quota{{Tenant: "acme", Rate: math.Nextafter(0.3, 1)}, {Tenant: "müller 🙂", Rate: 1}}
	d.Cached = []routing.CachedKey{{Key: strings.Repeat("k", 1024), Staleness: time.Millisecond}}
	s.Stopped = &control.Stop{By: "anna\xfe", Reason: "fire\x01", At: time.UnixMilli(1_790_000_000_001).UTC()}
	s.Answers = []control.Answer{{Request: "r\xff", Version: math.MaxUint64 - 8}, {Request: "s", Version: 3, Refused: "because\x00"}}
	s.Outbox = []control.Note{
		{ID: "n1", At: time.UnixMilli(1_790_000_000_123).UTC(), By: "decider", Epoch: 1, Version: 2},
		{
			ID: "n2", At: time.UnixMilli(0).UTC(), Do: control.DoSet, By: "anna\xff", Reason: "too hot", Epoch: math.MaxUint64, Version: 3, More: 4,
			Changes: []routing.Change{{Entry: routing.QuotaEntry("a/b"), Was: "1", Is: ""}, {Entry: routing.VShardEntry(5), Is: "shard-1"}},
		},
	}
	d.Normalize()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// create writes the first state of a fleet.
func create(ctx context.Context, t *testing.T, s Store, name string) *control.State {
	t.Helper()
	state := adopted(t, name)
	mustWrite(ctx, t, s, control.At{}, state)
	return state
}

func mustWrite(ctx context.Context, t *testing.T, s Store, was control.At, next *control.State) control.Written {
	t.Helper()
	w, err := s.Write(ctx, was, next)
	if err != nil {
		t.Fatalf("write %s after %s: %v", next.At(), was, err)
	}
	if w.Attempts < 1 {
		t.Errorf("written at attempt %d, want 1 or more", w.Attempts)
	}
	return w
}

func mustLoad(ctx context.Context, t *testing.T, s Store) *control.State {
	t.Helper()
	state, err := s.Load(ctx)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return state
}

// stands holds what is kept to want.
func stands(ctx context.Context, t *testing.T, s Store, want *control.State) {
	t.Helper()
	if diff := cmp.Diff(want, mustLoad(ctx, t, s)); diff != "" {
		t.Errorf("the state (-want +got):\n%s", diff)
	}
}

// conflicts holds err to a conflict with a state that stands at now.
func conflicts(t *testing.T, err error, now control.At) {
	t.Helper()
	var c *control.Conflict
	if !errors.As(err, &c) {
		t.Fatalf("got %v, want a conflict", err)
	}
	if c.Now != now {
		t.Errorf("the conflict says that it stands at %+v, want %+v", c.Now, now)
	}
}

// set is the next state, with a quota that tells it from others.
func set(t *testing.T, s *control.State, rate int) *control.State {
	t.Helper()
	n := s.Next()
	if err := n.Document.Set(routing.QuotaEntry("acme"), fmt.Sprint(rate)); err != nil {
		t.Fatal(err)
	}
	n.Document.Normalize()
	return n
}

// claimed is s claimed with a tenure.
func claimed(t *testing.T, s *control.State, tenure string) *control.State {
	t.Helper()
	n, err := s.Claim(0, tenure)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
