package console

import (
	"strings"
	"testing"

	"firebreak/policy"
)

// TestUnread: what is asked for of the shards and not known stands on the page and in the answer, also while nothing can be judged.
func TestUnread(t *testing.T) {
	f := watch(t, 4, "key").looked(nil).run(12)
	h := served(t, f.model, &oracle{})
	if got := read[fleetsAnswer](t, h, "/api/v1/fleets").Fleets[0].Unread; got == nil || len(got) > 0 {
		t.Errorf("all is known, and unread is %#v", got)
	}
	for _, blind := range []bool{false, true} {
		d := &policy.Decision{Unread: []policy.Unread{{Shard: "shard-2", Metric: policy.MetricStorage}}, Blind: blind}
		f.model.Judged(&Tick{Snapshot: f.snapshot(), Config: &f.cfg, Now: f.now(), Decision: d, State: &f.state})
		const want = "othing is known of storage of shard-2"
		if got := read[fleetsAnswer](t, h, "/api/v1/fleets").Fleets[0].Unread; len(got) != 1 || !strings.Contains(string(got[0]), want) {
			t.Errorf("blind %v: %q", blind, got)
		}
		if page := textOf(t, get(t, h, "/").Body.String()); !strings.Contains(page, "N"+want) || !strings.Contains(page, "Not read") {
			t.Errorf("blind %v: the page says nothing of it", blind)
		}
	}
}
