//go:build watch && linux

package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"firebreak/internal/kafkarig"
)

// TestWatch runs what the compose file wires, without containers: Apache Kafka, the generator, two instances, Prometheus and
// Alertmanager, with the files that compose mounts, in which only addresses are others. Grafana is not run: its queries are, those of
// the dashboard, on both kinds of histogram.
func TestWatch(t *testing.T) {
	binary := buildAsDocker(t)
	broker := kafkarig.Start(t, kafkarig.Options{}) // before our ports are chosen, so that it takes none of them
	r := newRig(t)
	r.binary = binary
	r.at["kafka:9092"] = broker.Addr()
	r.firebreak("log-generator", "demo", "--produce", broker.Addr(), "--topic", "requests", "--admin", r.at["log-generator:9464"])
	for _, name := range []string{"firebreak-1", "firebreak-2"} {
		config := r.config("compose/firebreak.yml", name)
		text, err := os.ReadFile(config)
		if err != nil {
			t.Fatal(err)
		}
		own := strings.NewReplacer("0.0.0.0:9464", r.at[name+":9464"], "0.0.0.0:9465", r.at[name+":9465"], "172.16.0.0/12", "127.0.0.0/8").Replace(string(text))
		if err := os.WriteFile(config, []byte(own), 0o600); err != nil {
			t.Fatal(err)
		}
		r.firebreak(name, "run", "--config", config)
	}
	endAlertmanager := r.alertmanager()
	r.prometheus("native", r.at["prometheus:9090"], "--enable-feature=native-histograms")
	r.prometheus("classic", r.at["classic:9090"])
	servers := map[string]string{"native": r.at["prometheus:9090"], "classic": r.at["classic:9090"]}

	for kind, server := range servers {
		r.await(kind+": every target is up", 40*time.Second, func() error { return r.targets(server) })
		r.await(kind+": every rule is loaded and evaluated", 30*time.Second, func() error { return r.rules(server) })
	}
	r.await("an alert about the hot key is in Alertmanager", 2*time.Minute, r.alerted)
	r.await("each process of ours is ready", 30*time.Second, func() error {
		return errors.Join(r.healthy("log-generator"), r.healthy("firebreak-1"), r.healthy("firebreak-2"))
	})
	r.await("firebreak itself has told Alertmanager of the hot key, with a link to its page", 20*time.Second, r.toldItself)
	r.await("it is not told by the rule as well", 20*time.Second, r.once)
	r.await("the two have one decider", 10*time.Second, func() error { return r.one(servers["native"], "sum(firebreak_decider)") })
	r.await("the detection delay is in both kinds of histogram", 30*time.Second, func() error {
		if err := r.one(servers["native"], "max(histogram_count(firebreak_detection_delay_seconds))"); err != nil {
			return err
		}
		return r.one(servers["classic"], `max(firebreak_detection_delay_seconds_bucket{le="+Inf"})`)
	})
	r.await("every panel has what it must have", 60*time.Second, func() error {
		for kind, server := range servers {
			if err := r.dashboard(server); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
		}
		return nil
	})
	for _, name := range []string{"firebreak-1", "firebreak-2"} {
		if _, err := r.get("http://" + r.at[name+":9464"] + "/-/ready?verbose"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for path, want := range map[string]string{"/": "counter:", "/api/v1/hotspots": `"cause":"hot_key"`} {
			if page, err := r.get("http://" + r.at[name+":9465"] + path); err != nil || !strings.Contains(string(page), want) {
				t.Errorf("the live page of %s: %s: %v\n%s", name, path, err, page)
			}
		}
	}
	for kind, server := range servers {
		r.await(kind+": nothing but FirebreakHotspot fires", 30*time.Second, func() error {
			firing, err := r.firing(server)
			if err == nil && (len(firing) != 1 || firing[0] != "FirebreakHotspot") {
				err = fmt.Errorf("firing: %v", firing)
			}
			return err
		})
	}
	endAlertmanager()
	r.alertmanager()
	r.await("an Alertmanager that was started anew knows of the hot key by firebreak itself", 90*time.Second, r.toldItself)
}

// targets wants every target of every job up.
func (r *rig) targets(server string) error {
	var got struct {
		Data struct {
			ActiveTargets []struct{ Health, LastError, ScrapePool, ScrapeURL string }
		}
	}
	if err := r.json(server+"/api/v1/targets?state=active", &got); err != nil {
		return err
	}
	jobs := map[string]int{}
	for _, one := range got.Data.ActiveTargets {
		if one.Health != "up" {
			return fmt.Errorf("%s is %s: %s", one.ScrapeURL, one.Health, one.LastError)
		}
		jobs[one.ScrapePool]++
	}
	if jobs["firebreak"] != 2 || jobs["prometheus"] != 1 || jobs["alertmanager"] != 1 {
		return fmt.Errorf("targets by job: %v", jobs)
	}
	return nil
}

// rules wants as many rules as the files hold, each of them evaluated without an error.
func (r *rig) rules(server string) error {
	files, err := filepath.Glob("prometheus/rules/*.yml")
	if err != nil {
		return err
	}
	want := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		want += strings.Count(string(text), "- alert: ") + strings.Count(string(text), "- record: ")
	}
	var got struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	if err := r.json(server+"/api/v1/rules", &got); err != nil {
		return err
	}
	loaded := 0
	for _, g := range got.Data.Groups {
		for _, rule := range g.Rules {
			if rule.Health != "ok" {
				return fmt.Errorf("%s is %s: %s", rule.Name, rule.Health, rule.LastError)
			}
			loaded++
		}
	}
	if loaded != want || want == 0 {
		return fmt.Errorf("%d rules are loaded, %d stand in the files", loaded, want)
	}
	return nil
}

// alerted wants the generator's hot key in Alertmanager, by its real name, cause and severity.
func (r *rig) alerted() error {
	var got []struct{ Labels map[string]string }
	if err := r.json(r.at["alertmanager:9093"]+"/api/v2/alerts", &got); err != nil {
		return err
	}
	for _, a := range got {
		if a.Labels["alertname"] == "FirebreakHotspot" && a.Labels["fleet"] == "demo" && a.Labels["cause"] == "hot_key" && a.Labels["severity"] == "critical" {
			return nil
		}
	}
	return fmt.Errorf("%d alerts, none of a hot key: %v", len(got), got)
}

// told is an alert of Alertmanager.
type told struct {
	Labels, Annotations map[string]string
	GeneratorURL        string
	Status              struct{ InhibitedBy []string }
}

// alerts are those of Alertmanager by a name.
func (r *rig) alerts(name string) (found []told, err error) {
	var got []told
	if err := r.json(r.at["alertmanager:9093"]+"/api/v2/alerts", &got); err != nil {
		return nil, err
	}
	for _, a := range got {
		if a.Labels["alertname"] == name {
			found = append(found, a)
		}
	}
	return found, nil
}

// toldItself wants the generator's hot key in Alertmanager, by firebreak's own receiver: with the shard, the key and a link.
func (r *rig) toldItself() error {
	found, err := r.alerts("FirebreakVerdict")
	if err != nil {
		return err
	}
	for _, a := range found {
		if a.Annotations["cause"] == "hot_key" && a.Labels["fleet"] == "demo" && a.Labels["shard"] != "" && strings.HasPrefix(a.Annotations["key"], "counter:") {
			if want := "http://" + r.at["firebreak-1:9465"] + "/fleets/demo/hotspots/" + a.Labels["subject"]; a.GeneratorURL != want {
				return fmt.Errorf("the link is %s, want %s", a.GeneratorURL, want)
			}
			_, err := r.get(a.GeneratorURL)
			return err
		}
	}
	return fmt.Errorf("%d alerts, none of a hot key: %v", len(found), found)
}

// once wants the rule's alert about hotspots to be inhibited.
func (r *rig) once() error {
	found, err := r.alerts("FirebreakHotspot")
	for _, a := range found {
		if len(a.Status.InhibitedBy) == 0 {
			err = fmt.Errorf("not inhibited: %v", a)
		}
	}
	return err
}

// firing lists the alerts that a Prometheus says fire.
func (r *rig) firing(server string) (names []string, err error) {
	series, err := r.query(server, `ALERTS{alertstate="firing"}`, time.Now())
	for _, s := range series {
		names = append(names, s.Metric["alertname"])
	}
	return names, err
}

// dashboard runs every query of the dashboard as Grafana does, and wants data of those that must have some.
func (r *rig) dashboard(server string) error {
	panels, err := readPanels()
	if err != nil {
		return err
	}
	empty := map[string]bool{}
	for _, p := range panels {
		known := false
		for _, expr := range p.exprs {
			series, err := r.query(server, expr, time.Now())
			if err != nil {
				return fmt.Errorf("%s: %s: %w", p.title, expr, err)
			}
			for _, s := range series {
				known = known || s.Value[1] != "NaN"
			}
		}
		if !known {
			empty[p.title] = true
		}
	}
	for _, may := range []string{
		"Advice, by topic", "Records refused, by reason", "Records left out or ignored", "Offsets skipped, by reason",
		"Age of the newest weekly report", "Weekly reports that failed, by reason", // no week ends in it
	} {
		delete(empty, may) // nothing of it is in the story
	}
	if len(empty) > 0 {
		return fmt.Errorf("no data in %v", empty)
	}
	return nil
}

// one wants a query to give one series with the value 1.
func (r *rig) one(server, expr string) error {
	series, err := r.query(server, expr, time.Now())
	if err != nil {
		return err
	}
	if len(series) != 1 || fmt.Sprint(series[0].Value[1]) != "1" {
		return fmt.Errorf("%s is %v", expr, series)
	}
	return nil
}

// drawn is a panel of the dashboard and its queries, with values for its variables.
type drawn struct {
	title string
	exprs []string
}

func readPanels() ([]drawn, error) {
	raw, err := os.ReadFile("../dashboards/grafana/firebreak.json")
	if err != nil {
		return nil, err
	}
	type panel struct {
		Type, Title string
		Targets     []struct{ Expr string }
		Panels      []json.RawMessage
	}
	var board struct{ Panels []json.RawMessage }
	if err := json.Unmarshal(raw, &board); err != nil {
		return nil, err
	}
	var out []drawn
	var walk func([]json.RawMessage) error
	walk = func(all []json.RawMessage) error {
		for _, one := range all {
			var p panel
			if err := json.Unmarshal(one, &p); err != nil {
				return err
			}
			if p.Type != "row" {
				d := drawn{title: p.Title}
				for _, target := range p.Targets {
					d.exprs = append(d.exprs, strings.NewReplacer("$__rate_interval", "1m", "$job", "firebreak", "$fleet", ".+").Replace(target.Expr))
				}
				out = append(out, d)
			}
			if err := walk(p.Panels); err != nil {
				return err
			}
		}
		return nil
	}
	err = walk(board.Panels)
	if len(out) < 25 {
		return nil, fmt.Errorf("%d panels were found", len(out))
	}
	return out, err
}

// await asks again and again until there is no error.
func (r *rig) await(what string, within time.Duration, ask func() error) {
	r.t.Helper()
	began := time.Now()
	ctx, stop := context.WithTimeout(r.t.Context(), within)
	defer stop()
	for {
		err := ask()
		if err == nil {
			r.t.Logf("%5.1f s  %s", time.Since(r.began).Seconds(), what)
			return
		}
		select {
		case <-ctx.Done():
			r.t.Fatalf("after %v it is not so that %s: %v", time.Since(began).Round(time.Second), what, err)
		case <-time.After(time.Second):
		}
	}
}
