package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplayProfile: replay says a plan in the words of the fleet's store, in all its forms, with the capacity that the store's own limits would
// give; a profile of one's own is read beside the configuration, and what is wrong in it is told.
func TestReplayProfile(t *testing.T) {
	log := save(t, "log.csv", hotKey().write())
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fleet := func(profile string) string {
		return write("firebreak.yml", "fleets:\n  - name: orders\n    shards: 16\n    placement: {bytes: key}\n    profile: "+profile+"\n")
	}
	report := filepath.Join(dir, "out.html")
	got, err := call(t, "replay --report "+report+" --config "+fleet("dynamodb")+" "+log)
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(got), " ")
	for _, must := range []string{
		"In DynamoDB: a table of its own; by hand: DynamoDB places no key by hand",
		"DynamoDB gives a partition key at most 3,000 reads and 1,000 writes/s, in dynamodb units: policy.capacity {reads: 3000, writes: 1000} would judge by that beside cost: dynamodb",
	} {
		if !strings.Contains(flat, must) {
			t.Errorf("no %q in\n%s", must, got)
		}
	}
	page, err := os.ReadFile(report)
	if err != nil || !strings.Contains(string(page), "In DynamoDB: a table of its own") {
		t.Errorf("the report does not say it: %v", err)
	}
	lines := mustReplay(t, "--config", fleet("dynamodb"), log)
	plan, err := json.Marshal(lines["plan"][0]["steps"])
	if err != nil || !strings.Contains(string(plan), `"possible":"advice"`) {
		t.Errorf("%s, %v", plan, err)
	}
	own, err := os.ReadFile("../../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(own), "```yaml\nname: ours")
	text, _, _ = strings.Cut("name: ours"+text, "```")
	write("ours.yml", strings.Replace(text, "salt: {called: a suffix, reason: the application writes it}",
		`salt: {called: a suffix, reason: the application writes it, commands: [{argv: [ourctl, "--table={set.table}", "--key={key}", "--pieces={pieces}"]}]}`, 1))
	got, err = call(t, "replay --config "+fleet("{file: ours.yml, set: {table: t}}")+" --capacity 720 "+log)
	if err != nil || !strings.Contains(got, "\n                  ourctl --table=t --key=cart:42 --pieces=") {
		t.Errorf("%v in\n%s", err, got)
	}
	write("ours.yml", "name: ours\n")
	if _, err = call(t, "replay --config "+fleet("{file: ours.yml}")+" "+log); exitCode(err) != exitUsage || !strings.Contains(err.Error(), "ours.yml:") {
		t.Errorf("a broken profile: %v", err)
	}
	got, err = call(t, "whatif --share 12% --rate 100000 --shards 16 --profile redis-cluster")
	if err != nil || !strings.Contains(got, "\nIn Redis Cluster: a suffix of the key outside its hash tag; by hand: ") {
		t.Errorf("%v in\n%s", err, got)
	}
	if got, err = call(t, "whatif --share 12% --rate 100000 --shards 16 --profile redis-cluster --output json"); err != nil || !strings.Contains(got, `"in_store":{"store":"Redis Cluster"`) {
		t.Errorf("%v in\n%s", err, got)
	}
	if _, err = call(t, "whatif --share 12% --rate 100000 --shards 16 --profile redis"); exitCode(err) != exitUsage || !strings.Contains(err.Error(), "redis-cluster") {
		t.Errorf("no such profile: %v", err)
	}
}
