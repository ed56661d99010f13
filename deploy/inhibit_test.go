//go:build watch && linux

package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"
)

// TestInhibit: in the real Alertmanager, by the deployed configuration, an alert silences what follows from it, of its own group or
// fleet and of no other; what firebreak tells of a hotspot silences what metrics say of hotspots of the same cause that are as grave or less.
func TestInhibit(t *testing.T) {
	r := newRig(t)
	r.alertmanager()
	r.await("Alertmanager answers", 20*time.Second, func() error {
		_, err := r.get("http://" + r.at["alertmanager:9093"] + "/-/ready")
		return err
	})
	type alert struct {
		Labels map[string]string `json:"labels"`
	}
	var all []alert
	add := func(name, job, fleet string, more ...string) {
		labels := map[string]string{"alertname": name, "job": job, "fleet": fleet}
		for i := 0; i < len(more); i += 2 {
			labels[more[i]] = more[i+1]
		}
		for l, v := range labels {
			if v == "" {
				delete(labels, l)
			}
		}
		all = append(all, alert{labels})
	}
	add("FirebreakGone", "one", "")
	for _, job := range []string{"one", "two", "three"} {
		add("FirebreakInstanceDown", job, "")
	}
	add("FirebreakNoDecider", "two", "")
	add("FirebreakBlind", "three", "orders")
	add("FirebreakLag", "three", "orders")
	add("FirebreakLag", "three", "carts")
	add("FirebreakVerdict", "", "orders", "shard", "s1", "cause", "hot_key", "severity", "critical")
	add("FirebreakVerdict", "", "orders", "shard", "s2", "cause", "volume", "severity", "warning")
	for _, cause := range []string{"hot_key", "volume", "whale_tenant"} {
		for _, severity := range []string{"critical", "warning"} {
			add("FirebreakHotspot", "three", "orders", "cause", cause, "severity", severity)
		}
	}
	add("FirebreakHotspot", "three", "carts", "cause", "hot_key", "severity", "critical")
	add("FirebreakCannotJudge", "", "pay")
	add("FirebreakBlind", "three", "pay")
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.at["alertmanager:9093"]+"/api/v2/alerts", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	want := map[string]bool{
		"FirebreakInstanceDown one   ": true, "FirebreakInstanceDown two   ": true, "FirebreakLag three orders  ": true, "FirebreakBlind three pay  ": true,
		// What was critical once and told so is a warning by the metrics when it cools; a warning hides nothing that is critical.
		"FirebreakHotspot three orders hot_key critical": true, "FirebreakHotspot three orders hot_key warning": true, "FirebreakHotspot three orders volume warning": true,
	}
	r.await("each silences its own, and nothing else", 20*time.Second, func() error {
		var got []told
		if err := r.json(r.at["alertmanager:9093"]+"/api/v2/alerts", &got); err != nil {
			return err
		}
		silent := map[string]bool{}
		for _, a := range got {
			if len(a.Status.InhibitedBy) > 0 {
				silent[fmt.Sprintf("%s %s %s %s %s", a.Labels["alertname"], a.Labels["job"], a.Labels["fleet"], a.Labels["cause"], a.Labels["severity"])] = true
			}
		}
		if !maps.Equal(want, silent) || len(got) != len(all) {
			return fmt.Errorf("%d alerts; silent are %v, want %v", len(got), silent, want)
		}
		return nil
	})
}
