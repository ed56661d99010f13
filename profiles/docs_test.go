package profiles

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocs: the profile that docs/profiles.md shows as one's own is one, its table says of every fix what the profiles say, and every field has
// a row.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d examples", len(blocks))
	}
	if _, err := Parse("ours.yml", blocks[1][1]); err != nil {
		t.Error(err)
	}
	for _, field := range plainFields() {
		if !strings.Contains(string(page), "`{"+field+"}`") {
			t.Errorf("no row of {%s}", field)
		}
	}
	rows := map[string]string{
		"split": "split", "salt": "salt", "cache": "cache", "isolate": "isolate", "quota, limit of a caller": "quota", "more shards": "scale_out",
		"unsalt, return of a tenant": "undo_salt",
	}
	for label, fix := range rows {
		row := regexp.MustCompile(`(?m)^\| ` + label + ` \| (.*) \| (.*) \| (.*) \|$`).FindSubmatch(page)
		if row == nil {
			t.Errorf("no row %q", label)
			continue
		}
		for i, name := range []string{"dynamodb", "redis-cluster", "citus"} {
			p, err := Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range p.Fixes.all() {
				if says := strings.Trim(string(row[1+i]), "*"); n.name == fix && !strings.HasPrefix(says, n.way.Possible.String()) {
					t.Errorf("%s of %s is %s, and the page says %s", fix, name, n.way.Possible, says)
				}
			}
		}
	}
}
