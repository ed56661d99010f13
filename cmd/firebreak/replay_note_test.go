package main

import (
	"fmt"
	"strings"
	"testing"

	"firebreak/routing"
)

// keysOn are n keys that 16 shards place by key on one.
func keysOn(t *testing.T, shard routing.ShardID, n int) (keys []string) {
	t.Helper()
	doc, err := routing.Adopt("f", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(16))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; len(keys) < n; i++ {
		if key := fmt.Sprint("cart:", i); table.Locate(nil, []byte(key)).Shard == shard {
			keys = append(keys, key)
		}
	}
	return keys
}

// note is the text of a replay on 16 shards, unwrapped.
func note(t *testing.T, log []byte) string {
	t.Helper()
	out, err := call(t, "replay --shards 16 "+save(t, "log.csv", log))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(out), " ")
}

// TestSeveralKeysNote: what a plan of several keys brings is said of all its steps.
func TestSeveralKeysNote(t *testing.T) {
	keys := keysOn(t, 3, 2)
	tr := hotKey()
	tr.hot = keys[0]
	n := 0
	tr.line = func(l *logLine) {
		if n++; n > hotKeyRecords/4 && n%4 == 0 {
			l.key = keys[1]
		}
	}
	if got := note(t, tr.write()); !strings.Contains(got, "fix isolate, all 2 steps of the plan together: ") || !strings.Contains(got, "2. salt key") {
		t.Errorf("no word of two steps in\n%s", got)
	}
	if got := note(t, hotKey().write()); strings.Contains(got, "steps of the plan together") || !strings.Contains(got, "fix isolate: ") {
		t.Errorf("one step is told as several:\n%s", got)
	}
}

// TestRevisedNote: the line of a revised verdict is not of the window that its mean is of, and the note says so.
func TestRevisedNote(t *testing.T) {
	keys := keysOn(t, 3, 2)
	tr := traffic{seconds: 1000, perSecond: 40}
	n := 0
	tr.line = func(l *logLine) {
		n++
		switch at := n / 40; {
		case n%3 > 0 || at < 60:
		case at < 400:
			l.key = keys[0]
		default:
			l.key = keys[1]
		}
	}
	fired := strings.Split(note(t, tr.write()), " FIRING ")
	if len(fired) < 3 {
		t.Fatalf("%d verdicts, want one and a revised one", len(fired)-1)
	}
	for i, told := range fired[1:] {
		if strings.Contains(told, "both of the mean when it fired") != (i > 0) {
			t.Errorf("verdict %d: %.400s", i, told)
		}
	}
}
