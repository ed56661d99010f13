package notify

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// TestRecordsFit: what is recorded of a summary of the longest names that there may be is whole, and an instance that reads nothing else
// knows all of it.
func TestRecordsFit(t *testing.T) {
	long := func(n int) string { return strings.Repeat("\xff", 240) + fmt.Sprintf("%05d", n) }
	const hotspots = 2*maxNamed + 1
	q := NewQueue([]Rule{{Name: "hook", Queue: 1}}, quick)
	for n := range hotspots + 1 {
		l, err := line.Encode(&line.Verdict{Head: line.NewHead("verdict", long(0), line.Stamp(start())), Severity: "critical", Shard: line.Name(long(n)), Load: 2, Line: 1})
		if err != nil {
			t.Fatal(err)
		}
		q.Apply(&actuator.Entry{
			ID: actuator.NewID(long(n)), Fleet: long(0), At: start(), Kind: actuator.KindVerdict, Phase: actuator.PhaseFired, Hotspot: long(n), Line: json.RawMessage(l),
		}, start())
	}
	late := NewQueue([]Rule{{Name: "hook", Queue: 1}}, quick)
	records := 0
	for now := start(); now.Before(start().Add(time.Minute)); now = now.Add(time.Second) {
		if _, ok := q.Due("hook", now); !ok {
			continue
		}
		out, err := q.Sent("hook", now, "receipt")
		if err != nil {
			t.Fatal(err)
		}
		for i := range out {
			b, err := actuator.Encode(&out[i])
			if err != nil {
				t.Fatal(err)
			}
			e, err := actuator.Decode(b)
			if err != nil || len(e.Cut) > 0 {
				t.Fatalf("%v is cut, %v", e.Cut, err)
			}
			late.Recall(&e, now)
			records++
		}
	}
	r := late.receivers["hook"]
	if records != 4 || len(r.storms) != 1 || len(r.storms[0].members) != hotspots || r.storms[0].receipt != "receipt" || len(r.told.of) != 1 {
		t.Fatalf("%d records, %d storms", records, len(r.storms))
	}
	m := r.storms[0].members[long(0)+"\x00"+long(7)]
	if m == nil || !m.open() || m.severity != Critical || string(m.shard) != long(7) || m.fleet != long(0) {
		t.Errorf("%+v", m)
	}
}
