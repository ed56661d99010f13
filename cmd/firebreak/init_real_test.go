package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// proposedRow is one row of the real logs' table: how it is replayed, and what is right, by key and by tenant. What the
// table leaves to the placement is held against the canonical form of the log alone, whose answers internal/realogs
// judges by brute force.
type proposedRow struct {
	name, canonical, native string   // files; native empty = the log has no other form
	flags                   []string // of the table
	byKey, byTenant         rightAnswer
	renamed                 bool // the native form has other tenants
}

// rightAnswer is what the table says of the hottest shard.
type rightAnswer struct {
	silent           bool   // nothing may fire
	cause, key, gold string // gold is the tenant
	fix              string
}

func proposedRows() []proposedRow {
	eight := strings.Fields("--pane 1s --window 8s --for 2s --warmup 0s")
	cut := func(from, to string) []string { return []string{"--from", from, "--to", to} }
	lease := rightAnswer{cause: "hot_key", key: "40e66a458581a103", fix: "cache"}
	return []proposedRow{
		{
			name: "wiki by account", canonical: "wiki-edits-by-account", flags: cut("2015-09-12T06:55:00Z", "2015-09-12T07:00:00Z"),
			byKey: rightAnswer{silent: true}, byTenant: rightAnswer{cause: "whale_tenant", gold: "TuanUt-Bot!", fix: "isolate"},
		},
		{
			name: "wiki by wiki", canonical: "wiki-edits-by-wiki", flags: cut("2015-09-12T06:50:00Z", "2015-09-12T06:55:00Z"),
			byKey: rightAnswer{silent: true}, byTenant: rightAnswer{cause: "whale_tenant", gold: "vi.wikipedia", fix: "isolate"},
		},
		{name: "meta-kv-1", canonical: "meta-kv-1", native: "meta-kv_traces_1.csv", flags: eight, byKey: lease, byTenant: lease},
		{
			name: "meta-kv-2", canonical: "meta-kv-2", native: "meta-kv_traces_2.csv", flags: []string{"--whole"},
			byKey:    rightAnswer{cause: "hot_key", key: "2748459421"},
			byTenant: rightAnswer{cause: "whale_tenant", gold: "2777918327", fix: "isolate"},
		},
		{
			name: "meta-block-1", canonical: "meta-block-1", native: "meta-block_traces_1.csv", flags: eight,
			byTenant: rightAnswer{cause: "whale_tenant", gold: "4235083322", fix: "isolate"},
		},
		{
			name: "apache minute", canonical: "apache-access", native: "apache-access-combined.log.gz", renamed: true,
			flags:    append(cut("2015-05-18T08:05:00Z", "2015-05-18T08:06:00Z"), "--warmup", "0s"),
			byTenant: rightAnswer{cause: "whale_tenant", fix: "isolate"},
		},
		{name: "apache whole", canonical: "apache-access", native: "apache-access-combined.log.gz", renamed: true, flags: []string{"--whole"}},
		{name: "adserver", canonical: "adserver-access", byKey: rightAnswer{cause: "hot_key", key: "/adclick.php", fix: "cache"}},
		{name: "github", canonical: "github-events", byKey: rightAnswer{silent: true}},
	}
}

// TestInitRealLogs: on each real log and its native form the proposed configuration runs unchanged and gives the replied of
// the canonical form with the flags that say everything, which is the right one; where the store places by tenant, the
// line that init marks is the one to change.
func TestInitRealLogs(t *testing.T) {
	data := sharedData(t)
	for _, row := range proposedRows() {
		if testing.Short() && row.canonical == "github-events" {
			continue // thousands of ticks
		}
		files := []string{filepath.Join(data, "norm", row.canonical+".csv.gz")}
		if row.native != "" {
			files = append(files, filepath.Join(data, row.native))
		}
		for _, file := range files {
			t.Run(row.name+"/"+filepath.Base(file), func(t *testing.T) {
				config, decided := initConfig(t, file)
				for _, by := range []string{"key", "tenant"} {
					want := replies(t, slices.Concat([]string{"--place", by, "--shards", "16"}, row.flags, files[:1])...)
					args := slices.Concat([]string{"--config", config}, row.flags, []string{file})
					right := row.byKey
					if by == "tenant" {
						right = row.byTenant
						args = append([]string{"--config", placedBy(t, config, decided, by)}, args[2:]...)
					}
					got := replies(t, args...)
					row.compare(t, by, file == files[0], want, got)
					right.hold(t, by, got, row.renamed && file != files[0])
				}
			})
		}
	}
}

// initConfig writes what init proposes for a log and checks that it names the line to decide. It returns the file and
// that line's number.
func initConfig(t *testing.T, log string) (path string, decided int) {
	t.Helper()
	var out, said strings.Builder
	if err := run(t.Context(), []string{"init", log}, nil, &out, &said); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "firebreak.yml")
	if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(out.String(), "\n") {
		if strings.Contains(line, "# DECIDE: ") {
			if decided != 0 {
				t.Errorf("lines %d and %d are both to be decided", decided, i+1)
			}
			decided = i + 1
		}
	}
	if want := "decide line " + strconv.Itoa(decided) + ", shards: 16: "; decided == 0 || !strings.Contains(said.String(), want) {
		t.Fatalf("no line of the file, or not %q, is to be decided:\n%s", want, said.String())
	}
	return path, decided
}

// placedBy does what a person does at the line to decide, and at the one above it that it points at.
func placedBy(t *testing.T, config string, decided int, by string) string {
	t.Helper()
	data, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	if lines[decided-2] != "    placement: {bytes: key, function: xxh64}" {
		t.Fatalf("line %d is %q", decided-1, lines[decided-2])
	}
	lines[decided-2] = "    placement: {bytes: " + by + ", function: xxh64}"
	path := filepath.Join(t.TempDir(), "decided.yml")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// answer is what is right or wrong about a verdict or plan.
type replied struct {
	Type, Time, Shard, Cause, Key, Tenant, Fix string
	Load                                       float64
}

// replies are the verdicts and plans of a replay.
func replies(t *testing.T, args ...string) []replied {
	t.Helper()
	var out, said strings.Builder
	if err := run(t.Context(), append([]string{"replay", "--output", "json"}, args...), nil, &out, &said); err != nil {
		t.Fatalf("replay %v: %v", args, err)
	}
	var found []replied
	for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
		var a replied
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if a.Type == "verdict" || a.Type == "plan" {
			found = append(found, a)
		}
	}
	return found
}

// compare holds the answers against those of the canonical form: number by number, but where the native form has other
// tenants, by cause and fix.
func (r *proposedRow) compare(t *testing.T, by string, canonical bool, want, got []replied) {
	t.Helper()
	if r.renamed && !canonical {
		anonymous := func(list []replied) (out []replied) {
			for _, a := range list {
				a.Tenant = ""
				if by == "tenant" {
					a = replied{Type: a.Type, Cause: a.Cause, Fix: a.Fix}
				}
				out = append(out, a)
			}
			return out
		}
		want, got = anonymous(want), anonymous(got)
		if by == "tenant" && r.byTenant.cause == "" {
			return // other tenants collide
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by %s: with flags (-), with the proposal (+): %s", by, diff)
	}
}

// hold checks the answer that the table names: the verdict of the hottest shard, the last one.
func (a *rightAnswer) hold(t *testing.T, by string, got []replied, renamed bool) {
	t.Helper()
	fired := slices.DeleteFunc(slices.Clone(got), func(x replied) bool { return x.Type != "verdict" })
	switch {
	case a.silent && len(fired) > 0:
		t.Errorf("by %s: right is silence, got %+v", by, fired)
	case a.cause == "":
	case !slices.ContainsFunc(fired, func(x replied) bool {
		return x.Cause == a.cause && (a.key == "" || x.Key == a.key) && (a.gold == "" || renamed || x.Tenant == a.gold) && (a.fix == "" || x.Fix == a.fix)
	}):
		t.Errorf("by %s: no verdict is %+v: %+v", by, *a, fired)
	}
}

// TestInitOtherFiles: on what lies beside those logs init says what is missing, or what it is instead.
func TestInitOtherFiles(t *testing.T) {
	data := sharedData(t)
	tests := []struct{ file, want, refused string }{
		{file: "gotopk-domains.txt.gz", want: "# Missing: no time"},
		{file: "gotopk-domains.txt.gz", want: "# Missing: no tenant"},
		{file: "gotopk-domains.txt.gz", want: "# Missing: no op"},
		{file: "norm/meta-block-2.csv.gz", want: "preset: canonical"},
		{file: "meta-block_traces_1.csv", want: `CHECK: "rs_shard_id" could be the shard`},
		{file: "meta-kv_traces_1.csv", want: `CHECK: "cache_hits" looks like a count`},
		{file: "norm/adserver-access.csv.gz", want: `CHECK: "/adclick.php" is fetched, but its name says that it writes.`},
		{file: "cache2k-orm-busy.trace.xz", refused: "binary, not lines of text"},
		{file: "cache2k-LICENSE.txt", refused: "no format that is known"},
		{file: "README.md", refused: "no format that is known"},
		{file: "truth/meta-kv-1.json", refused: "one object a line"},
	}
	for _, tt := range tests {
		var out strings.Builder
		err := run(t.Context(), []string{"init", filepath.Join(data, tt.file)}, nil, &out, &strings.Builder{})
		if tt.refused == "" && (err != nil || !strings.Contains(strings.Join(strings.Fields(out.String()), " "), tt.want)) {
			t.Errorf("%s: %v, and the file does not say %q:\n%s", tt.file, err, tt.want, out.String())
		}
		if tt.refused != "" && (exitCode(err) != exitError || !strings.Contains(err.Error(), tt.refused)) {
			t.Errorf("%s: %v, want %q", tt.file, err, tt.refused)
		}
	}
}

// TestInitCommandLine: the command that init ends with judges the log: the keys that are known to be hot are found.
func TestInitCommandLine(t *testing.T) {
	data := sharedData(t)
	for file, key := range map[string]string{
		"gotopk-domains.txt.gz": "hotmail.com", "meta-kv_traces_1.csv": "40e66a458581a103", "norm/adserver-access.csv.gz": "/adclick.php",
	} {
		log := filepath.Join(data, file)
		var out, said strings.Builder
		if err := run(t.Context(), []string{"init", log}, nil, &out, &said); err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(t.TempDir(), "firebreak.yml")
		if err := os.WriteFile(config, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		_, command, _ := strings.Cut(said.String(), "then: firebreak replay --config firebreak.yml ")
		got := replies(t, append([]string{"--config", config}, strings.Fields(command)...)...)
		if !slices.ContainsFunc(got, func(x replied) bool { return x.Type == "verdict" && x.Cause == "hot_key" && x.Key == key }) {
			t.Errorf("%s: %q does not find %s: %+v", file, command, key, got)
		}
	}
}
