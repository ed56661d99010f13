package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnreadHides: an advice may stand unseen where any metric that can give it is not read, of its shard or of none.
func TestUnreadHides(t *testing.T) {
	for _, tt := range []struct {
		unread Unread
		shard  string
		hides  []Topic
	}{
		{Unread{"a", MetricStorage}, "a", []Topic{TopicStorage}},
		{Unread{"a", MetricStorage}, "b", nil},
		{Unread{"", MetricStorage}, "b", []Topic{TopicStorage}},
		{Unread{"a", MetricErrors}, "a", []Topic{TopicNotTraffic, TopicErrors}},
		{Unread{"a", MetricLatency}, "a", []Topic{TopicNotTraffic}},
		{Unread{"a", MetricUtilization}, "a", []Topic{TopicNotTraffic}},
		{Unread{"a", MetricThrottled}, "a", []Topic{TopicThrottled}},
		{Unread{"", MetricRows}, "a", []Topic{TopicRebalance}},
		{Unread{"", MetricUnknown}, "a", nil},
	} {
		var hides []Topic
		for _, topic := range append(Topics(), TopicNone) {
			if tt.unread.Hides(tt.shard, topic) {
				hides = append(hides, topic)
			}
		}
		if diff := cmp.Diff(tt.hides, hides); diff != "" {
			t.Errorf("%+v of %s (-want +got):\n%s", tt.unread, tt.shard, diff)
		}
	}
}

// TestEveryMetricIsHidden: no metric gives an advice that its silence would not keep.
func TestEveryMetricIsHidden(t *testing.T) {
	for _, m := range Metrics() {
		for _, hot := range []bool{false, true} {
			if topic, _ := action(m, hot); topic != TopicNone && !(Unread{"a", m}).Hides("a", topic) {
				t.Errorf("%s, hot %v: %s ends when it is not read", m, hot, topic)
			}
		}
	}
}

// TestUnreadIsTold: what is not read is a finding a metric, stands in the decision, and is no advice.
func TestUnreadIsTold(t *testing.T) {
	unread := []Unread{{"d", MetricPool}, {"a", MetricPool}, {"c", MetricPool}, {"b", MetricPool}, {"", MetricStorage}, {"b", MetricDisk}}
	want := []Finding{
		{Reason: "nothing is known of connection_pool of a, b, c and 1 more, though it is asked for: what it would advise is not seen"},
		{Reason: "no shard's storage is known, though it is asked for: what it would advise is not seen"},
		{Reason: "nothing is known of disk_io of b, though it is asked for: what it would advise is not seen"},
	}
	if diff := cmp.Diff(want, UnreadFindings(unread)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	f := newTestFleet(t, 4, "key", even(400, 8000)...)
	f.world.Unread = unread
	if _, d := f.run(8); cmp.Diff(unread, d.Unread) != "" || len(d.Advice) > 0 || cmp.Diff(want, d.Findings) != "" {
		t.Errorf("advice %v, unread %v, findings %v", d.Advice, d.Unread, d.Findings)
	}
}

// TestReadingsChangeNoState: instances that read at other moments judge on alike.
func TestReadingsChangeNoState(t *testing.T) {
	with, without := newTestFleet(t, 4, "key", even(400, 8000)...), newTestFleet(t, 4, "key", even(400, 8000)...)
	for _, m := range Metrics() {
		with.world.Health = append(with.world.Health, Reading{Shard: "shard-1", Metric: m, Value: 1000})
	}
	with.world.Unread = []Unread{{"shard-2", MetricPool}}
	_, d := with.run(8)
	without.run(8)
	if diff := cmp.Diff(without.state, with.state); diff != "" || len(d.Advice) == 0 {
		t.Errorf("advice %v, state (-without +with):\n%s", d.Advice, diff)
	}
}
