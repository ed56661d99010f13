package ingest

import (
	"os"
	"testing"
)

func TestProf(t *testing.T) {
	l := DefaultLoad()
	l.Records = 1_000_000
	b, err := begin(t.Context(), Exec("/tmp/hb/fbi", "bench", "ingest", "--task"), task{Role: roleBroker, Load: l}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var s served
	if err := b.hear(&s); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r, err := Read(t.Context(), Stage(os.Getenv("STAGE")), s.Addr, l)
		t.Log(err, r.nanos(), r)
	}
	b.end()
}
