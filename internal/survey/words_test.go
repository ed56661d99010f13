package survey

import (
	"strings"
	"testing"
)

func TestSpell(t *testing.T) {
	tests := []struct{ path, format, own, unit string }{
		{"op_time", "csv", "op time", ""},
		{"startTimeMs", "json", "start time", "ms"},
		{"latency_us", "csv", "latency", "us"},
		{"HTTPMethod", "json", "http method", ""},
		{"http.request.method", "json", "method", ""},
		{`a\.b.userId`, "json", "user", ""},
		{"@timestamp", "json", "timestamp", ""},
		{"id", "csv", "id", ""},
		{"rs_shard_id", "csv", "rs shard", ""},
		{"x-envoy-origin-path", "json", "x envoy origin path", ""},
		{"a.b", "csv", "a b", ""},
		{"ms", "csv", "ms", ""},
	}
	for _, tt := range tests {
		got := spell(tt.path, tt.format)
		if own := strings.Join(got.own, " "); own != tt.own || got.unit != tt.unit {
			t.Errorf("spell(%q, %s) = %q, unit %q; want %q, unit %q", tt.path, tt.format, own, got.unit, tt.own, tt.unit)
		}
	}
}

// TestScores: the roles that names are told apart by.
func TestScores(t *testing.T) {
	d := newDictionary()
	for r := range role(roles) {
		if len(d[r]) == 0 {
			t.Errorf("no names for %s", r)
		}
		for phrase, weight := range d[r] {
			if weight < 1 || weight > 100 || strings.Trim(phrase, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
				t.Errorf("%s: %q has weight %d", r, phrase, weight)
			}
		}
	}
	for name, want := range map[string]role{
		"start_time": roleTime, "customer_id": roleTenant, "request_uri": roleKey, "http_method": roleOp, "op_count": roleCount,
		"sampling_rate": roleRate, "partition": roleShard, "partition_key": roleKey, "calling_service": roleCaller, "body_bytes_sent": roleBytes,
		"response_time_ms": roleLatency, "status_code": roleStatus, "api_key": roleTenant,
	} {
		s := spell(name, formatCSV)
		for r := range role(roles) {
			if r != want && d.score(r, &s) >= d.score(want, &s) {
				t.Errorf("%s: %d as %s, %d as %s", name, d.score(r, &s), r, d.score(want, &s), want)
			}
		}
	}
	for _, name := range []string{"key_size", "retry_count", "rs_shard_id"} {
		s := spell(name, formatCSV)
		for _, r := range []role{roleBytes, roleCount, roleShard} {
			if d.exact(r, &s) {
				t.Errorf("%s is %s without more", name, r)
			}
		}
	}
}

// TestKnownName: words that name a column, and values that do not.
func TestKnownName(t *testing.T) {
	for cell, want := range map[string]bool{
		"key": true, "op_time": true, "UserId": true, "GET": false, "/items/key": false, "user:1": false, "comhem.se": false, "2026-03-01": false, "": false,
	} {
		if got := knownName(cell); got != want {
			t.Errorf("knownName(%q) = %v", cell, got)
		}
	}
}
