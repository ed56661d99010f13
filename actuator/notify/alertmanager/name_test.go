package alertmanager

import (
	"os"
	"regexp"
	"testing"

	"firebreak/actuator/notify"
)

// TestNames: no rule for Prometheus gives an alert the name of one of ours: routes and silences could not tell them apart.
func TestNames(t *testing.T) {
	rules, err := os.ReadFile("../../../deploy/prometheus/rules/firebreak.yml")
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^ *- alert: (\w+)$`).FindAllStringSubmatch(string(rules), -1) {
		taken[m[1]] = true
	}
	if len(taken) < 10 {
		t.Fatalf("%d alerts in the rules", len(taken))
	}
	for _, m := range []notify.Message{{Shard: "s1"}, {Blind: true}, {State: notify.Note}, {State: notify.Firing}} {
		if n := name(&m); taken[n] {
			t.Errorf("%s is a rule's too", n)
		}
	}
}
