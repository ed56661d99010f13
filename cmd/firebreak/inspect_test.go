package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"firebreak/pipeline/record"
)

// inspected runs inspect.
func inspected(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var out strings.Builder
	if err := run(t.Context(), append([]string{"inspect"}, args...), strings.NewReader(stdin), &out, &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestInspect: without a configuration the log is read as init proposes; what it lacks is said.
func TestInspect(t *testing.T) {
	out := inspected(t, initLog(0)+"1772366400,shop-1\nsoon,shop-1,item:1,GET\n")
	for _, want := range []string{
		"402 lines, 400 read as records", "truncated, the line ends too early (line 402)", "time, the time is not of the form that record.time says (line 403)",
		"every line is in order", "7 tenants", "cache or salt: 50 % reads, 50 % writes", "whether one caller sends most of it: no caller in the log",
		"by key on 16 shards", "at these 1 records/s on 16 shards", "MiB for the window of 5m0s, fixed",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q:\n%s", want, out)
		}
	}
}

// TestInspectConfig: with a configuration the log is read as it says, fleet by fleet, and a preset that it leaves open is
// found.
func TestInspectConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.yml")
	err := os.WriteFile(path, []byte(`fleets:
  - name: reads
    record: {format: csv, fields: {key: item_key, tenant: customer}, match: [{field: verb, equals: GET}]}
  - name: writes
    record: {format: csv, fields: {key: item_key, shard: shard_no}, match: [{field: verb, equals: SET}]}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	out := inspected(t, initLog(0), "--config", path)
	for _, want := range []string{
		`Fleet "reads": 400 lines, 200 read`, `Fleet "writes": 400 lines, 200 read`, "200 lines of other fleets", "no column shard_no", "no time in the log",
		"no shard in the log and no placement",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q:\n%s", want, out)
		}
	}
	if err := os.WriteFile(path, []byte("fleets: [{name: open, shards: 4}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	out = inspected(t, "ts_ms,tenant,key,op,weight\n1772366400000,t,k,GET,1\n", "--config", path)
	if !strings.Contains(out, "1 line, 1 read as records") || !strings.Contains(out, "by key on 4 shards") {
		t.Errorf("the preset was not found:\n%s", out)
	}
}

// TestRefusalTexts: every reason to refuse a record is explained, each in its own words.
func TestRefusalTexts(t *testing.T) {
	of := map[string]record.Reason{}
	for _, r := range record.Reasons() {
		if !r.Refusal() {
			continue
		}
		name, text, _ := strings.Cut(refusalText(r), ", ")
		if other, twice := of[text]; name != r.String() || text == "" || twice {
			t.Errorf("%v is explained as %q, %v too", r, text, other)
		}
		of[text] = r
	}
}

// TestInspectExtent: how much of the log was looked at is said first; long lines do not end it before the lines that were
// asked for.
func TestInspectExtent(t *testing.T) {
	if out := inspected(t, initLog(0), "--lines", "50"); !strings.HasPrefix(out, "Looked at the first 50 lines; the log goes on.\n") {
		t.Errorf("50 lines:\n%.200s", out)
	}
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, `{"ts":%d,"key":"k%d","pad":"%s"}`+"\n", 1700000000+i, i%3, strings.Repeat("x", 900_000))
	}
	if out := inspected(t, b.String()); !strings.HasPrefix(out, "Looked at the whole log, 12 lines.\n") {
		t.Errorf("12 lines of 900 kB:\n%.200s", out)
	}
}

// TestInspectHostile: names come out escaped, whatever they are.
func TestInspectHostile(t *testing.T) {
	out := inspected(t, "ts_ms,tenant,key,op,weight\n1772366400000,\x1b[2J,\x00\xff\u202e"+strings.Repeat("k", 5000)+",GET,1\n")
	if strings.ContainsAny(out, "\x00\x1b\u202e") || !utf8.ValidString(out) || !strings.Contains(out, `\u{1b}[2J`) || !strings.Contains(out, `\xff`) {
		t.Errorf("not escaped: %q", out)
	}
	for line := range strings.SplitSeq(out, "\n") {
		if len(line) > 300 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}
