package slack

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/slack"
)

// summaries are the messages of a channel that are about several hotspots.
func summaries(in []*fake.Message) (out []*fake.Message) {
	for _, m := range in {
		if strings.Contains(m.Shown[0], " more ") {
			out = append(out, m)
		}
	}
	return out
}

// TestStormOfOwners: each channel is told of the storm of its own hotspots only, with fleets, shards and teams; hostile names are text; when
// the one channel's are over its message is green, whatever the other's are, also by an instance that takes over.
func TestStormOfOwners(t *testing.T) {
	guide := &notify.Guide{Owners: notify.Owners{{Tenants: []string{"shop-*"}, Team: "carts", Channel: "#carts"}, {Tenants: []string{"cart-*"}, Team: "checkout", Channel: "carts"}}}
	w := newWorld(t, guide)
	r := notify.Receiver{Name: "slack", Slack: &notify.Slack{Channel: "C1", APIURL: w.slack.API()}}
	w.rule = r.Rule(guide)
	w.log.Queues = nil
	w.log.Join(w.rule)
	tell := func(i int, p actuator.Phase) {
		tenant := []string{"shop-7", "other", "cart-1", "other"}[i%4]
		v := news.Verdict([]string{"orders", "pay<!channel>"}[i%2], fmt.Sprint("h", i), fmt.Sprint("<!here> shard ", i), tenant, "k")
		w.log.Tell(news.Hotspot(v, p, w.now.Sub(news.Start())))
	}
	for i := range 60 {
		tell(i, actuator.PhaseFired)
	}
	w.run(2 * time.Minute)
	for channel, want := range map[string]struct{ has, not string }{"C1": {"Fleet `pay&lt;!channel&gt;`: ", "`orders`"}, "C2": {"Fleet `orders`: ", "pay"}} {
		all := summaries(w.slack.In(channel))
		if len(all) != 1 || all[0].Colour != red || len(all[0].Pinged) != 0 {
			t.Fatalf("%s: %+v", channel, all)
		}
		text := strings.ReplaceAll(strings.Join(all[0].Shown[1:], "\n"), "\u00a0", " ")
		if !strings.Contains(text, want.has) || strings.Contains(text, want.not) || strings.Count(text, "its line") != 3 || !strings.Contains(text, "worst: `&lt;!here&gt; shard ") {
			t.Errorf("%s is told:\n%s", channel, text)
		}
		if channel == "C2" && (!strings.Contains(text, "team `carts`") || !strings.Contains(text, "team `checkout`")) {
			t.Errorf("no teams in:\n%s", text)
		}
	}
	w.log.Join(w.rule)
	for i := range 60 {
		if i%2 == 0 {
			tell(i, actuator.PhaseResolved)
		}
	}
	w.run(2 * time.Minute)
	if one, other := summaries(w.slack.In("C1")), summaries(w.slack.In("C2")); len(one) != 1 || len(other) != 1 || one[0].Colour != red || other[0].Colour != green {
		t.Errorf("%+v, %+v", one, other)
	}
}
