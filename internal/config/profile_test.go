package config

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestProfile: a fleet names a profile by a word or with settings; what is none, or has no such setting, is told with its place.
func TestProfile(t *testing.T) {
	page, err := os.ReadFile("../../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(fleets:.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("docs/profiles.md shows no fleet")
	}
	c, err := Parse("profiles.md", example[1])
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Fleets[0].Profile; p.Name != "redis-cluster" || p.Set["entry"] != "10.0.0.1:6379" || p.Shards["shard-1"]["host"] != "10.0.0.2" {
		t.Errorf("%+v", p)
	}
	with := func(profile string) (*Config, error) {
		return Parse("f.yml", []byte("fleets:\n  - name: f\n    profile: "+profile+"\n"))
	}
	for _, ok := range []string{"dynamodb", "{name: citus}", "{file: ours.yml, set: {any: thing}}"} {
		if c, err := with(ok); err != nil || !c.Fleets[0].Profile.Given() {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for _, tt := range []struct{ profile, want string }{
		{"dynamo", `did you mean "dynamodb"?`},
		{"{name: dynamodb, set: {tabel: x}}", `profile dynamodb has no setting "tabel"`},
		{"{name: redis-cluster, shards: {a: {hots: x}}}", `has no setting "hots"`},
		{"{name: dynamodb, file: ours.yml}", "excludes name"},
		{"{set: {a: b}}", "want one of"},
		{"{nam: dynamodb}", "nam"},
	} {
		_, err := with(tt.profile)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "f.yml:3:") {
			t.Errorf("%s: %v, want %q with its place", tt.profile, err, tt.want)
		}
	}
}
