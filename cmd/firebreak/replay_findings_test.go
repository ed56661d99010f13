package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// findings are those of the summary, one a line.
func findings(t *testing.T, args ...string) string {
	t.Helper()
	var b strings.Builder
	for _, f := range summaryOf(t, mustReplay(t, args...))["findings"].([]any) {
		n := f.(map[string]any)
		fmt.Fprintf(&b, "%s: %s\n", n["shard"], n["reason"])
	}
	return b.String()
}

// TestNothingMatched: a fleet whose rule no line satisfies says so; one that has its records does not.
func TestNothingMatched(t *testing.T) {
	path := save(t, "log.csv", traffic{seconds: 60, perSecond: 5}.write())
	for caller, want := range map[string]bool{"nobody": true, "web-1": false} {
		cfg := save(t, "c.yml", []byte("fleets: [{name: a, shards: 4, record: {match: [{field: caller, equals: "+caller+"}]}}]"))
		got := findings(t, "--config", cfg, path)
		if strings.Contains(got, "record.match: no line of the log satisfies it, 300 are taken for those of other fleets") != want {
			t.Errorf("caller %s: %q", caller, got)
		}
	}
}

// TestPinsOfUnknownShards: a pin that names no shard is refused where the shards are known, and said where the log names them.
func TestPinsOfUnknownShards(t *testing.T) {
	tr := traffic{seconds: 60, perSecond: 5}
	tr.line = func(l *logLine) { l.shard = "db-" + l.tenant[len(l.tenant)-1:] }
	path := save(t, "log.csv", tr.write())
	pinned := func(place, shard string) string {
		return save(t, "c.yml", []byte("fleets: [{name: a, "+place+", policy: {pinned: {shards: ["+shard+"]}}}]"))
	}
	_, err := call(t, "replay --config "+pinned("shards: 4", "shard-9")+" "+path)
	if exitCode(err) != exitUsage || !strings.Contains(err.Error(), `fleets[0].policy.pinned.shards[0]: "shard-9" is no shard of the fleet`) {
		t.Errorf("four shards: %v", err)
	}
	if got := findings(t, "--config", pinned("placement: {map: explicit}", "db_3"), path); !strings.Contains(got, `policy.pinned.shards[0]: "db_3" is no shard of the fleet; did you mean "db-3"?`) {
		t.Errorf("shards of the log: %q", got)
	}
	if got := findings(t, "--config", pinned("placement: {map: explicit}", "db-3"), path); strings.Contains(got, "pinned") {
		t.Errorf("a shard of the log: %q", got)
	}
}

// TestSharedKey: where the log names the shard, a key that many tenants use is volume; that it would be a hot key as one is
// said, and how to have it so. The same load on as many keys says nothing.
func TestSharedKey(t *testing.T) {
	for _, one := range []bool{true, false} {
		tr := hotKey()
		tr.hot = ""
		n := 0
		tr.line = func(l *logLine) {
			n++
			l.shard = fmt.Sprint("db-", n%6)
			if n > hotKeyRecords/4 && n%3 > 0 {
				l.shard = "db-hot"
				if n%3 == 1 {
					l.key, l.tenant = fmt.Sprint("item:", n%4000), fmt.Sprint("shop-", n/3%40)
					if one {
						l.key = "global:flags"
					}
				}
			}
		}
		path := save(t, "log.csv", tr.write())
		got := findings(t, "--place", "explicit", path)
		if told := strings.Contains(got, `db-hot: key "global:flags" of 40 listed tenants is`) && strings.Contains(got, "bytes: key} and a list of shards"); told != one {
			t.Errorf("one key %v: %q", one, got)
		}
		if !one {
			continue
		}
		cfg := save(t, "c.yml", []byte("fleets: [{name: a, shards: [db-0], placement: {map: explicit, bytes: key}}]"))
		v := mustReplay(t, "--config", cfg, path)["verdict"]
		if len(v) == 0 || v[len(v)-1]["cause"] != "hot_key" || v[len(v)-1]["key"] != "global:flags" {
			t.Errorf("as one key: %.300v", v)
		}
		if got := findings(t, "--config", cfg, path); strings.Contains(got, "listed tenants") {
			t.Errorf("as one key: %q", got)
		}
	}
}

// TestMethodsOfHTTP: a cache that rests on the methods of HTTP is doubted, in the summary and in the report, unless a rule
// looks at keys or the ops are none of HTTP's.
func TestMethodsOfHTTP(t *testing.T) {
	tr := hotKey()
	tr.hot, tr.reads = "/adclick.php", 1
	tr.form = func(l logLine) string {
		return fmt.Sprintf(`{"ts_ms":%d,"tenant":"%s","key":"/%s","op":"%s","rate":0.01}`+"\n", l.ms, l.tenant, strings.Trim(l.key, "/"), l.op)
	}
	path := save(t, "log.json", tr.write())
	const doubt = `a cache or a salt was told for "/adclick.php" (whose name says that it writes)`
	page := t.TempDir() + "/out.html"
	if got := findings(t, "--shards", "16", "--report", page, path); !strings.Contains(got, doubt) {
		t.Errorf("methods of HTTP: %q", got)
	}
	if report, err := os.ReadFile(page); err != nil || !strings.Contains(string(report), "if a GET of it writes") {
		t.Errorf("the report does not doubt the cache (%v)", err)
	}
	ruled := save(t, "c.yml", []byte(`fleets: [{name: a, shards: 16, record: {preset: canonical, format: json, ops: [{on: key, pattern: "^/api/", op: read}]}}]`))
	if got := findings(t, "--config", ruled, path); strings.Contains(got, "HTTP") {
		t.Errorf("a rule looks at keys: %q", got)
	}
	plain := hotKey()
	plain.reads = 1
	if got := findings(t, "--shards", "16", save(t, "log.csv", plain.write())); strings.Contains(got, "HTTP") {
		t.Errorf("keys that are no paths: %q", got)
	}
}
