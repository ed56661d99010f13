package config

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestExampleOfTheConsole: what its page shows as configuration is valid.
func TestExampleOfTheConsole(t *testing.T) {
	text, err := os.ReadFile("../../docs/console.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Error("it shows none")
	}
	for _, block := range blocks {
		if _, err := Parse("console", append(block[1], "fleets: [{name: orders}]\n"...)); err != nil {
			t.Error(err)
		}
	}
}

// TestExamplesOfHealth: each example of reading shards is one that a run takes.
func TestExamplesOfHealth(t *testing.T) {
	text, err := os.ReadFile("../../docs/health.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) < 4 {
		t.Errorf("%d examples, want Prometheus, Redis, RDS and DynamoDB", len(blocks))
	}
	for _, block := range blocks {
		c, err := Parse("health", block[1])
		if err != nil {
			t.Error(err)
			continue
		}
		if !c.Fleets[0].Health.On() {
			t.Errorf("%s reads no shards", c.Fleets[0].Name)
		}
	}
}

// TestExamplesOfReceivers: what the pages about receivers show as configuration is valid.
func TestExamplesOfReceivers(t *testing.T) {
	for _, page := range []string{"slack", "pagerduty", "alertmanager", "config"} {
		text, err := os.ReadFile("../../docs/" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
			example := string(block[1])
			if !strings.Contains(example, "notify:") {
				continue
			}
			if n++; !strings.Contains(example, "fleets:") {
				example += "fleets: [{name: orders}]\n"
			}
			if _, err := Parse(page, []byte(example)); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
		if n == 0 {
			t.Errorf("%s shows no receiver", page)
		}
	}
}
