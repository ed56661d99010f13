package survey

import (
	"fmt"
	"strings"
	"testing"

	"firebreak/pipeline/record"
)

// TestPresets: what is said here of the presets of package record is what its decoder does.
func TestPresets(t *testing.T) {
	known := record.Presets()
	if len(known) != len(presets()) {
		t.Errorf("%d presets here, %d in package record", len(presets()), len(known))
	}
	for _, p := range presets() {
		if p.formats[0] == formatCombined {
			continue // has no names of its own
		}
		for r := range role(roles) {
			for _, path := range p.paths[r] {
				t.Run(fmt.Sprintf("%s/%s/%s", p.name, r, path), func(t *testing.T) { readsAt(t, &p, r, path) })
			}
		}
	}
}

// readsAt reads a JSON line that has a value at a path, with and without it.
func readsAt(t *testing.T, p *preset, r role, path string) {
	t.Helper()
	cfg := record.Config{Preset: p.name}
	if p.name == "canonical" {
		cfg.Format = formatJSON
	}
	d, err := record.NewDecoder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	value := map[role]string{
		roleCount: "7", roleRate: "0.5", roleBytes: "7", roleLatency: "7", roleStatus: "429", roleOp: `"PUT"`, roleTime: `"2026-03-01T12:00:00Z"`,
	}[r]
	if value == "" {
		value = `"v"`
	}
	if r == roleTime && p.time.Unit != "" {
		value = "1772366400000"
	}
	other := p.paths[roleKey][0]
	if r == roleKey {
		other = p.paths[roleTenant][0]
	}
	var without, with record.Record
	if reason := d.Decode(fmt.Appendf(nil, `{"%s":"o"}`, other), &without); reason != record.ReasonNone {
		t.Fatalf("without: %s", reason)
	}
	if before := has(&without, r); before {
		t.Fatalf("a line without it has a %s", r)
	}
	if reason := d.Decode(fmt.Appendf(nil, `{"%s":"o","%s":%s}`, other, strings.ReplaceAll(path, `"`, ""), value), &with); reason != record.ReasonNone || !has(&with, r) {
		t.Errorf("%s at %q: %s, has it: %v", r, path, reason, has(&with, r))
	}
}

// has says whether a record has a field.
func has(rec *record.Record, r role) bool {
	return [roles]bool{
		roleTime: rec.Time != record.NoTime, roleTenant: rec.Tenant != nil, roleKey: rec.Key != nil, roleOp: rec.Op != record.OpUnknown, roleCount: rec.Count != 1,
		roleRate: rec.Rate != 0, roleShard: rec.Shard != nil, roleCaller: rec.Caller != nil, roleBytes: rec.Bytes != 0, roleLatency: rec.Latency != 0,
		roleStatus: rec.Status != 0,
	}[r]
}
