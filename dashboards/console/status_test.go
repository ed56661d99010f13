package console

import (
	"strings"
	"testing"
	"time"
)

// TestStatusOfRouting: the status page says where the routing stands, since when its store is in trouble, and who stopped acting and why.
func TestStatusOfRouting(t *testing.T) {
	at := time.Date(2026, 11, 30, 3, 4, 5, 0, time.UTC)
	h := served(t, hotKey(t).looked(nil).run(1).model, &oracle{status: Status{Routing: []Routing{
		{Fleet: "orders", Epoch: 3, Version: 17, Trouble: "paused: throttled", Since: at},
		{Fleet: "users", Epoch: 1, Version: 2, Stopped: true, By: "ann", Reason: "the import runs", At: at},
		{Fleet: "new"},
		{Fleet: "old", Version: 5, Stopped: true},
	}}})
	text := get(t, h, "/status").Body.String()
	for _, want := range []string{
		"epoch 3, version 17", "paused: throttled, since 2026-11-30 03:04:05Z", "by ann at 2026-11-30 03:04:05Z", ": the import runs", "not read yet", "nobody knows by whom",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("not said: %q", want)
		}
	}
	if strings.Count(text, ">serves<") != 3 || strings.Count(text, ">not stopped<") != 2 {
		t.Errorf("of those without trouble or a stop:\n%s", text)
	}
}
