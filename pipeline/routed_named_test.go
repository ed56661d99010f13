package pipeline

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"firebreak/pipeline/record"
	"firebreak/routing"
)

// TestDisagreementGoesByTheTimeOfRecords: what the log says of shards is held against the document that clients had then, and against
// none while they may have either.
func TestDisagreementGoesByTheTimeOfRecords(t *testing.T) {
	var obeyed func(at float64) string
	r := newRoutedRig(t, nil, func(at float64) []string { return []string{line(at, "acme", "hot", "PUT", obeyed(at), 10)} })
	v, from := r.home("hot")
	to := (from + 1) % 4
	was, is := fmt.Sprint("shard-", from), fmt.Sprint("shard-", to)
	obeyed = func(float64) string { return was }
	r.until(60)
	if got := r.last().Inputs.Disagree; got != 0 {
		t.Fatalf("%.2f disagrees before the change", got)
	}
	changed := r.at - 2
	r.route(func(d *routing.Document) { d.Moves = []routing.Move{{VShard: v, To: to}} })
	obeyed = func(at float64) string { // clients poll, and one record is late by 8 s
		if at < changed+6 {
			return was
		}
		return is
	}
	late := func(shard string) {
		m := &record.Message{Value: []byte(line(changed-8, "acme", "hot", "PUT", shard, 1000)), Time: r.now.UnixNano()}
		if got := r.teller.tick.Offer(r.part, r.part.To(), m); got != Taken {
			t.Fatal(got)
		}
	}
	r.until(80)
	late(was)
	r.until(90)
	if got := r.last().Inputs.Disagree; got != 0 {
		t.Errorf("%.2f disagrees although all clients obeyed within 6 s", got)
	}
	late(is)
	r.until(100)
	if got := r.last().Inputs.Disagree; got < 0.3 {
		t.Errorf("%.2f disagrees where one was served by the document before it was there", got)
	}
	r.until(150)
	if got := r.last().Inputs.Disagree; got != 0 {
		t.Errorf("%.2f disagrees a window later", got)
	}
	obeyed = func(float64) string { return was }
	r.until(230)
	if got := r.last().Inputs.Disagree; got < 0.9 {
		t.Errorf("%.2f disagrees where nobody obeys", got)
	}
}

// TestShardsThatTheLogNames: where the log names the shards the document says what they are for, if it lists them in the log's order.
func TestShardsThatTheLogNames(t *testing.T) {
	explicit := func(names ...string) *routing.Document {
		var shards []routing.Shard
		for _, n := range names {
			shards = append(shards, routing.Shard{Name: n, Role: routing.Serving})
		}
		d, err := routing.Adopt("orders", routing.Placement{Map: routing.Explicit}, shards)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	r := newRoutedRig(t, func(f *LiveFleet) { f.Document = explicit("a", "b") }, func(at float64) []string {
		return []string{line(at, "t", "k", "GET", "a", 1), line(at, "t", "k", "GET", "b", 1), line(at, "t", "k", "GET", "c", 1)}
	})
	r.until(40)
	r.route(func(d *routing.Document) { d.Shards[1].Role = routing.Draining })
	r.until(60)
	roles := func() (all []string) {
		for _, s := range r.last().Table.Document().Shards {
			all = append(all, s.Name+" "+s.Role.String())
		}
		return all
	}
	want := []string{"a serving", "b draining", "c serving"}
	if diff := cmp.Diff(want, roles()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v := r.last().Table.Document().Version; v != r.doc.Version {
		t.Errorf("judged by version %d, want %d", v, r.doc.Version)
	}
	for _, tt := range []struct {
		names []string
		why   error
	}{{[]string{"a", "b", "c", "d"}, errUnnamed}, {[]string{"a", "b", "x"}, errRenamed}} {
		d := explicit(tt.names...)
		d.Epoch, d.Tenure, d.Version = 1, "us", 50
		b, err := Route(d, r.now)
		if err != nil {
			t.Fatal(err)
		}
		if out := r.put(b); !errors.Is(out.Unrouted, tt.why) {
			t.Errorf("%v: %v, want %v", tt.names, out.Unrouted, tt.why)
		}
	}
	r.until(80)
	if diff := cmp.Diff(want, roles()); diff != "" {
		t.Errorf("after what was refused (-want +got):\n%s", diff)
	}
}

// FuzzDecodeRoute: no bytes break it, and what it reads it writes so that it reads the same again.
func FuzzDecodeRoute(f *testing.F) {
	b, err := Route(modelFleet(f, "main/requests").Document, second(3))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte{entryRoute, entryVersion, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		doc, since, err := decodeRoute(b)
		if err != nil {
			return
		}
		again, err := Route(doc, since)
		if err != nil {
			t.Fatalf("what it read it cannot write: %v", err)
		}
		same, at, err := decodeRoute(again)
		if diff := cmp.Diff(doc, same, cmpopts.EquateEmpty()); err != nil || diff != "" || !at.Equal(since) {
			t.Fatalf("%v, %v and %v, (-read +again):\n%s", err, since, at, diff)
		}
	})
}
