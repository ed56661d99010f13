package main

import (
	"strings"
	"testing"

	"firebreak/policy"
)

// TestWrongFormat: a file that is not what --format says is refused with what it looks like and with advice that helps; nobody is
// told to say what he said.
func TestWrongFormat(t *testing.T) {
	csv := save(t, "a.csv", []byte(canonicalHeader+"1772366400000,t,k,GET,1,1,,\n"))
	tsv := save(t, "a.tsv", []byte(strings.ReplaceAll(canonicalHeader+"1772366400000,t,k,GET,1,1,,\n", ",", "\t")))
	json := save(t, "a.json", []byte(`{"ts_ms":1772366400000,"tenant":"t","key":"k"}`+"\n"))
	other := save(t, "other.json", []byte(`{"when":1,"who":"t","what \"x\"":"k"}`+"\n"))
	table := save(t, "other.csv", []byte("when,who,what\n1,t,k\n"))
	access := save(t, "access.log", []byte(`10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 17 "-" "-"`+"\n"))
	prose := save(t, "notes.txt", []byte("Dear all,\nthe shards are hot.\n"))
	cfg := save(t, "c.yml", []byte("fleets: [{name: a, record: {format: csv}}]"))
	for _, tt := range []struct{ args, want string }{
		{"--format csv " + tsv, `--format csv does not read it: the first line looks like tab-separated columns "ts_ms", "tenant", "key", "op", "weight", "rate", "shard", "caller"; say --format tsv`},
		{"--format json " + tsv, "say --format tsv"},
		{"--format canonical " + tsv, "--format canonical does not read it: the first line looks like tab-separated columns"},
		{"--format tsv " + csv, "looks like comma-separated columns"},
		{"--format csv " + json, `looks like JSON with the members "key", "tenant", "ts_ms"; say --format json`},
		{"--format envoy-json " + csv, "say --format csv"},
		{"--format envoy-json " + other, `--format envoy-json does not read it: the first line looks like JSON with the members "what \"x\"", "when", "who", of which none is known; map its fields`},
		{"--format json " + other, "--format json does not know its names: JSON with the members"},
		{"--format logfmt " + access, "looks like an access log"},
		{"--format logfmt " + access, "say --format combined"},
		{"--format csv " + prose, `--format csv does not read it: the first line is "Dear all,"`},
		{"--config " + cfg + " " + json, "record.format csv does not read it: the first line looks like JSON"},
		{table, `comma-separated columns "when", "who", "what", of which none is known; map its fields in a configuration, which firebreak init proposes`},
		{save(t, "dup.csv", []byte("ts_ms,tenant,key,key,op\n1767571200000,a,b,c,read\n")), `the header names the column "key" twice`},
		{prose, `the format is not one that the first lines give away: "Dear all," is no JSON`},
	} {
		out, err := call(t, "replay "+tt.args)
		if exitCode(err) != exitError || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") || out != "" {
			t.Errorf("replay %s: %v (exit %d), want %q", tt.args, err, exitCode(err), tt.want)
			continue
		}
		if flag, _, given := strings.Cut(tt.args, " /"); given && strings.Contains(err.Error(), "say "+flag) {
			t.Errorf("replay %s: it is told to say what it says: %v", tt.args, err)
		}
	}
	// A preset whose fleet picks none of the first lines is no wrong format.
	mine := save(t, "m.yml", []byte("fleets: [{name: a, record: {match: [{field: tenant, equals: other}]}}]"))
	if _, err := call(t, "replay --format canonical --config "+mine+" "+csv); err != nil {
		t.Errorf("a fleet without records: %v", err)
	}
}

// TestCauseAtTheEnd: a hotspot whose cause is revised counts once, for the cause with which it ended.
func TestCauseAtTheEnd(t *testing.T) {
	s := newSaid()
	for _, v := range []policy.Verdict{
		{Hotspot: "a", Phase: policy.PhaseFiring, Cause: policy.CauseUnknown},
		{Hotspot: "b", Phase: policy.PhaseFiring, Cause: policy.CauseVolume},
		{Hotspot: "a", Phase: policy.PhaseFiring, Cause: policy.CauseHotKey},
		{Hotspot: "a", Phase: policy.PhaseResolved, Cause: policy.CauseUnknown},
	} {
		s.count(&v)
	}
	if len(s.causes) != 2 || s.causes["a"] != policy.CauseHotKey || s.causes["b"] != policy.CauseVolume || len(s.delays) != 2 {
		t.Errorf("causes %v, %d delays", s.causes, len(s.delays))
	}
}

// TestBoardNamesTenants: without a placement the heaviest keys stand with the tenant that sends most of each, and its share of it.
func TestBoardNamesTenants(t *testing.T) {
	tr := hotKey()
	n := 0
	tr.line = func(l *logLine) {
		if n++; l.key == "cart:42" && n%4 == 0 {
			l.tenant = "shop-8"
		}
	}
	path := save(t, "log.csv", tr.write())
	top := summaryOf(t, mustReplay(t, path))["window"].(map[string]any)["top_keys"].([]any)[0].(map[string]any)
	if share := top["tenant_share"].(float64); top["key"] != "cart:42" || top["tenant"] != "shop-7" || share < 0.7 || share > 0.8 {
		t.Errorf("top key %v, want three quarters of it by shop-7", top)
	}
	out, err := call(t, "replay "+path)
	if err != nil || !strings.Contains(out, `"cart:42" (tenant "shop-7": 7`) {
		t.Errorf("%v, no dominant tenant with its share in\n%s", err, out)
	}
}

// TestLimitCallerSaysTheRate: the caller to limit comes with the rate to limit it to, in the plan, the projection and the note.
func TestLimitCallerSaysTheRate(t *testing.T) {
	tr := hotKey()
	tr.line = func(l *logLine) {
		if l.key == "cart:42" {
			l.caller = "batch"
		}
	}
	path := save(t, "log.csv", tr.write())
	lines := mustReplay(t, "--shards", "16", path)
	if len(lines["verdict"]) == 0 || lines["verdict"][0]["fix"] != "limit_caller" || len(lines["plan"]) == 0 {
		t.Fatalf("%v", lines["verdict"])
	}
	step := lines["plan"][0]["steps"].([]any)[0].(map[string]any)
	projection := lines["plan"][0]["projection"].(map[string]any)
	const sent = 0.3 * 4000 // requests/s of the key
	rate, refused := step["rate"].(float64), step["refused"].(float64)
	if step["kind"] != "limit_caller" || step["caller"] != "batch" || rate <= 0 || refused <= 0 || rate+refused < 0.9*sent || rate+refused > 1.1*sent {
		t.Errorf("step %v, want a rate and what it refuses of %v/s", step, sent)
	}
	if projection["rate"] != rate {
		t.Errorf("the projection limits to %v, the step to %v", projection["rate"], rate)
	}
	out, err := call(t, "replay --shards 16 "+path)
	if want := `limit caller "batch" to ` + grouped(rate) + `/s of key "cart:42"`; err != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
		t.Errorf("%v, no %q in\n%s", err, want, out)
	}
}
