package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
)

// command runs the program with the configuration of a run.
func (r *running) command(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if err := run(t.Context(), append(args, "--config", r.path), nil, &out, &errs); err != nil {
		t.Errorf("%v: %v\n%s", args, err, errs.String())
	}
	return out.String()
}

// speaks is a person who accepts the open hotspot, which every instance shows, and reads the report of the last hour, which every
// instance makes as the command does.
func speaks(t *testing.T, instances ...*running) {
	t.Helper()
	id := regexp.MustCompile(`"hotspot":"([0-9a-f]+)"`).FindStringSubmatch(instances[0].ask("console", "/api/v1/hotspots"))
	if id == nil {
		t.Fatal("there is no hotspot")
	}
	instances[0].command(t, "accept", id[1], "--until", "2h", "--reason", "a <test>", "--by", "ann")
	for _, r := range instances {
		eventually(t, 10*time.Second, "what was said is on the page", func() bool {
			return strings.Contains(r.ask("console", "/"), "until 20") && strings.Contains(r.ask("console", "/fleets/orders/hotspots/"+id[1]), "a &lt;test&gt;") &&
				strings.Contains(r.ask("console", "/api/v1/hotspots/"+id[1]), `"accepted":{"by":"ann","reason":"a <test>"`)
		})
		eventually(t, 100*time.Second, "the report of the last hour, once its last minute is over, is that of the command", func() bool {
			to := time.Now().UTC().Truncate(time.Minute)
			from := to.Add(-time.Hour)
			made := r.ask("console", "/reports/json?from="+from.Format(time.RFC3339)+"&to="+to.Format(time.RFC3339))
			want := r.command(t, "report", "--from", from.Format(time.RFC3339), "--to", to.Format(time.RFC3339), "-o", "json")
			return strings.Contains(want, "the-hot-one") && strings.Contains(want, `"by":"ann"`) && made == "200 OK\n"+want
		})
		if page := r.ask("console", "/reports/html?last=1h"); !strings.Contains(page, "Service levels") || !strings.Contains(page, "the-hot-one") {
			t.Errorf("the page of the report: %.500s", page)
		}
	}
}
