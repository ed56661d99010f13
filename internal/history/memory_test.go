package history

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/policy"
)

// TestMemoryPassesOn: whoever took the memory over at any moment gives the same histories and remembers the same from then on.
func TestMemoryPassesOn(t *testing.T) {
	judged := story(t, 60, config(policy.Capacity{Total: 1e6}), unchanged)
	for i := range judged { // an hour a minute, or nothing would be history yet
		shifted := *judged[i].Snapshot
		shifted.Panes = append([]policy.Pane(nil), shifted.Panes...)
		for k := range shifted.Panes {
			shifted.Panes[k].Start = shifted.Panes[k].Start.Add(time.Duration(i/6) * 59 * time.Minute)
		}
		judged[i].Snapshot = &shifted
	}
	first := NewKeeper(Options{})
	others := map[int]*Keeper{}
	known := 0
	for i := range judged {
		want := first.Histories(judged[i].Snapshot, judged[i].Before)
		known += len(want)
		for at, other := range others {
			if diff := cmp.Diff(want, other.Histories(judged[i].Snapshot, judged[i].Before)); diff != "" {
				t.Fatalf("tick %d, passed on at %d (-first +other):\n%s", i, at, diff)
			}
			if err := other.Judged(&judged[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := first.Judged(&judged[i]); err != nil {
			t.Fatal(err)
		}
		saved := savedBy(t, first)
		for at, other := range others {
			if !bytes.Equal(saved, savedBy(t, other)) {
				t.Fatalf("tick %d, passed on at %d: another memory", i, at)
			}
		}
		if i%7 == 0 {
			others[i] = NewKeeper(Options{})
			if err := others[i].Load(saved); err != nil {
				t.Fatal(err)
			}
		}
	}
	if known == 0 {
		t.Error("nobody had a history: the test shows nothing")
	}
}

func savedBy(t *testing.T, k *Keeper) []byte {
	t.Helper()
	b, err := k.Save()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
