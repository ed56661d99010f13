package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"firebreak/policy"
)

const ways = `
fixes:
  split: {called: s, possible: advice, reason: r, commands: [{argv: [ARGV]}]}
  salt: {called: s, reason: r}
  cache: {called: s, reason: r}
  isolate: {called: s, reason: r}
  quota: {called: s, reason: r}
  limit_caller: {called: s, reason: r}
  scale_out: {called: s, reason: r}
  undo_salt: {called: s, reason: r}
  undo_isolate: {called: s, reason: r}
`

// own is a profile of one's own whose split runs arguments (YAML).
func own(argv string) []byte {
	return []byte("name: ours\nstore: Ours\nsettings: {fleet: {table: t}, shard: {host: h}}" + strings.Replace(ways, "ARGV", argv, 1))
}

// TestParse: what cannot be meant, and every argument in which a name could be more than a value, is refused with its place.
func TestParse(t *testing.T) {
	for _, ok := range []string{`tool`, `tool, "--key={key}"`, `tool, --, "{key}"`, `tool, "{set.table}-{slot}"`, `tool, "{{}}"`, `tool, "{shard.host}:1"`, `tool, "k={tenant}"`} {
		if _, err := Parse("ours.yml", own(ok)); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for _, tt := range []struct{ argv, want string }{
		{`"{key}"`, "the program is no field"},
		{``, "want a program"},
		{`tool, "{key}"`, "bytes that anybody may choose"},
		{`tool, "--key={key}x"`, "bytes that anybody may choose"},
		{`tool, "SELECT '{tenant}'"`, "bytes that anybody may choose"},
		{`tool, "--json={{\"k\":{key}"`, "bytes that anybody may choose"},
		{`tool, "a={shard}{key}"`, "bytes that anybody may choose"},
		{`tool, "{tabel}"`, "there is no field {tabel}"},
		{`tool, "{set.host}"`, "there is no field {set.host}"},
		{`tool, "{other.host}"`, "there is no field"},
		{`tool, "{key"`, "not closed"},
		{`tool, "key}"`, "ends no field"},
		{`/bin/sh, -c, reboot`, "run by no shell"},
		{`env, tool`, "run by no shell"},
	} {
		_, err := Parse("ours.yml", own(tt.argv))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "ours.yml:") {
			t.Errorf("%s: %v, want %q with its place", tt.argv, err, tt.want)
		}
	}
	good := string(own("tool"))
	for _, tt := range []struct{ from, to, want string }{
		{"name: ours", "name: Ours!", "want a word"},
		{"store: Ours", "store: ''", "what people call the store"},
		{"possible: advice", "possible: never", "what is never possible has none"},
		{"possible: advice", "possible: maybe", "want yes, advice or never"},
		{"salt: {called: s, reason: r}", "salt: {called: s}", "want why it is advice"},
		{"salt: {called: s, reason: r}", "salt: {reason: r}", "want what the store calls it"},
		{"salt: {called: s, reason: r}", "salt: {called: s, possible: 'yes'}", "want those that do it"},
		{"salt: {called: s, reason: r}", `salt: {called: s, reason: 'a "b"'}`, "no quotes"},
		{"salt:", "slat:", "salt"},
		{"{argv: [tool]}", "{each: slot, argv: [tool]}", "no slots"},
		{"store: Ours", "store: Ours\nslots: sha1", "sha1"},
		{"store: Ours", "store: Ours\nlimits: [{of: key, reads: 3, writes: 1, cost: requests}]", "the page that says so"},
		{"store: Ours", "store: Ours\nlimits: [{of: key, reads: 3, cost: requests, source: 'https://a'}]", "above 0"},
	} {
		if !strings.Contains(good, tt.from) {
			t.Fatal(tt.from)
		}
		_, err := Parse("ours.yml", []byte(strings.Replace(good, tt.from, tt.to, 1)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.to, err, tt.want)
		}
	}
	if _, err := Parse("ours.yml", nil); err == nil {
		t.Error("an empty file is a profile")
	}
}

// TestOpen: a file of one's own is read beside the configuration, and a setting that the profile does not have is refused.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ours.yml"), own(`tool, "{set.table}"`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(Choice{File: "ours.yml", Set: map[string]string{"table": "orders"}}, dir)
	if err != nil || s.Profile.Name != "ours" {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err := Open(Choice{}, dir); s != nil || err != nil {
		t.Errorf("no choice opens %+v, %v", s, err)
	}
	for _, c := range []Choice{
		{File: "ours.yml", Set: map[string]string{"tabel": "x"}},
		{File: "ours.yml", Shards: map[string]map[string]string{"a": {"port": "x"}}},
		{File: "none.yml"},
		{Name: "none"},
		{File: "ours.yml", Set: map[string]string{"table": "a\x00b"}},
	} {
		if _, err := Open(c, dir); err == nil {
			t.Errorf("%+v opens", c)
		}
	}
}

// TestSuggest: the limits of the store are offered where no capacity is given, with the cost that they are told in, and nowhere else.
func TestSuggest(t *testing.T) {
	s, err := Open(Choice{Name: "dynamodb"}, "")
	if err != nil {
		t.Fatal(err)
	}
	const want = "DynamoDB gives a partition key at most 3,000 reads and 1,000 writes/s, in dynamodb units: policy.capacity {reads: 3000, writes: 1000} would judge by that"
	if got := s.Suggest("dynamodb", policy.Capacity{}); got != want {
		t.Errorf("got %s", got)
	}
	if got := s.Suggest("requests", policy.Capacity{}); got != want+" beside cost: dynamodb" {
		t.Errorf("got %s", got)
	}
	if got := s.Suggest("dynamodb", policy.Capacity{Total: 1}); got != "" {
		t.Errorf("of a fleet with a capacity: %s", got)
	}
	if got := (*Store)(nil).Suggest("requests", policy.Capacity{}); got != "" {
		t.Errorf("of no profile: %s", got)
	}
}

// FuzzParse: any file is a profile or an error.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		data, err := files.ReadFile(name + ".yml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(own(`tool, "--key={key}"`))
	table := slotTable(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("f", data)
		if (err == nil) != (p != nil) {
			t.Fatalf("%v, %v", p, err)
		}
		if err == nil {
			(&Store{Profile: p}).Tell(everything(), Where{Table: table, Hot: "a"})
		}
	})
}
