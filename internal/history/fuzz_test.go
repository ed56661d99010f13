package history

import (
	"bytes"
	"testing"

	"firebreak/policy"
)

// small is evidence of a fleet of two shards, for fuzzing.
func small(tb testing.TB) *Evidence {
	tb.Helper()
	s := big(tb, 2)
	s.Panes = s.Panes[28:]
	for i := range s.Panes {
		s.Panes[i].VShards = s.Panes[i].VShards[:40]
	}
	s.Keys, s.Tenants, s.Pairs = s.Keys[:2], s.Tenants[:2], s.Pairs[:2]
	for _, list := range [][]policy.Contributor{s.Keys, s.Tenants} {
		for i := range list {
			list[i].Panes = list[i].Panes[28:]
		}
	}
	for i := range s.Pairs {
		s.Pairs[i].Panes = s.Pairs[i].Panes[28:]
	}
	cfg := policy.Default()
	var st policy.State
	tick := tickOf(s, &cfg, &st, noon())
	e, err := NewEvidence(&tick, "v1")
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// FuzzRead: any value of the log is counted or an entry, and any entry is an error or what it says.
func FuzzRead(f *testing.F) {
	e := small(f)
	values, err := e.encode()
	if err != nil {
		f.Fatal(err)
	}
	minute, err := (&Minute{Fleet: "a\xff", Start: noon(), Shards: []Shard{{Name: "s"}}, Top: []Heavy{{Tenant: "t"}}}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(values[0])
	f.Add(minute[0])
	r, err := NewReader()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		e, ok := r.Read(value)
		if !ok {
			return
		}
		if m, err := e.Minute(); err == nil && m.head().ID != e.ID {
			t.Error("a minute with another id")
		}
		if ev, err := e.Evidence(); err == nil {
			_, _ = Replay(ev)
		}
	})
}

// FuzzEvidence (with -fuzzminimizetime 5x: the seed is large): any columns are an error or evidence that stays what it is, and that is judged or refused.
func FuzzEvidence(f *testing.F) {
	e := small(f)
	raw, err := marshal(&evidenceWire{*e.Snapshot, *e.Snapshot.Table.Document(), e.Config, e.Before, e.Now, e.Hotspots, e.Digest, e.Build})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := decodeEvidence(raw)
		if err != nil {
			return
		}
		once, err := marshal(&evidenceWire{*e.Snapshot, *e.Snapshot.Table.Document(), e.Config, e.Before, e.Now, e.Hotspots, e.Digest, e.Build})
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeEvidence(once)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := marshal(&evidenceWire{*back.Snapshot, *back.Snapshot.Table.Document(), back.Config, back.Before, back.Now, back.Hotspots, back.Digest, back.Build})
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v: %d bytes become %d, or others", err, len(once), len(twice))
		}
		_, _ = Replay(e)
	})
}
