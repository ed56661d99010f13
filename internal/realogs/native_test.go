package realogs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The record parts that map the native traces. Callers and shards of the block trace are left out: the canonical form has
// none.
const (
	kvRecord = `    record:
      format: csv
      fields: {time: op_time, tenant: usecase, key: key, op: op, count: op_count}
      time: {unit: s}
`
	blockRecord = `    record:
      format: csv
      fields: {time: op_time, tenant: user_name, key: block_id, op: op_name, count: op_count}
      time: {unit: s}
      ops:
        - {pattern: "^getChunk", op: read}
        - {pattern: "^putChunk", op: write}
`
)

// TestNativeTraces: a native trace and its canonical form give the same verdicts and the same plans, number by number.
func TestNativeTraces(t *testing.T) {
	needShared(t)
	natives := map[string]struct{ file, record string }{
		"meta-kv-1":    {"meta-kv_traces_1.csv", kvRecord},
		"meta-kv-2":    {"meta-kv_traces_2.csv", kvRecord}, // its columns stand in another order
		"meta-block-1": {"meta-block_traces_1.csv", blockRecord},
	}
	for _, r := range metaRows() {
		native := natives[r.file]
		for salt := range 5 {
			p := placement{r.by, salt}
			want := run(t, p, "", r.path(shared+"/norm"), r.replayFlags()...)
			got := run(t, p, native.record, filepath.Join(shared, native.file), r.replayFlags()...)
			same(t, native.file+" by "+p.template(), want, got)
			if len(want.firing) == 0 && r.object != "" {
				t.Errorf("%s by %s: nothing fired, so nothing was compared", r.name, p.template())
			}
		}
	}
}

// TestNativeCombined: the combined access log and its canonical form give the same verdicts where keys are placed. The
// client addresses of the combined log were replaced, so tenants have other names and, placed by tenant, other shards.
func TestNativeCombined(t *testing.T) {
	needShared(t)
	combined := filepath.Join(shared, "apache-access-combined.log.gz")
	for _, r := range siteRows() {
		if r.file != "apache-access" {
			continue
		}
		for salt := range 5 {
			p := placement{r.by, salt}
			want := run(t, p, "", r.path(shared+"/norm"), r.replayFlags()...)
			got := run(t, p, "", combined, r.replayFlags()...)
			if r.by == "key" {
				same(t, r.name+" by "+p.template(), anonymous(want), anonymous(got))
			} else if r.object != "" {
				sameAnswer(t, r.name+" by "+p.template(), want, got)
			}
		}
	}
}

// same holds two replays against each other, but for ids, which hold the fleet's name.
func same(t *testing.T, name string, want, got *said) {
	t.Helper()
	for _, s := range []*said{want, got} {
		ids := map[string]string{}
		for i := range s.firing {
			s.firing[i].Hotspot = rename(ids, s.firing[i].Hotspot)
		}
		for i := range s.plans {
			s.plans[i].Hotspot = rename(ids, s.plans[i].Hotspot)
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(said{})); diff != "" {
		t.Errorf("%s: canonical (-), native (+): %s", name, diff)
	}
}

func rename(ids map[string]string, id string) string {
	if ids[id] == "" {
		ids[id] = "hotspot " + itoa(len(ids))
	}
	return ids[id]
}

// anonymous takes the tenants' names out.
func anonymous(s *said) *said {
	for i := range s.firing {
		v := &s.firing[i]
		v.Tenant, v.Reason = "", ""
		for j := range v.Contributors {
			v.Contributors[j].Tenant = ""
		}
	}
	for i := range s.plans {
		for j := range s.plans[i].Steps {
			s.plans[i].Steps[j].Tenant = ""
		}
	}
	return s
}

// sameAnswer compares causes and fixes alone, hotspot by hotspot in order of time.
func sameAnswer(t *testing.T, name string, want, got *said) {
	t.Helper()
	answers := func(s *said) string {
		var out []string
		for _, v := range s.firing {
			out = append(out, v.Cause+" "+v.Fix)
		}
		return strings.Join(out, ", ")
	}
	if w, g := answers(want), answers(got); w != g || w == "" {
		t.Errorf("%s: canonical %q, combined %q", name, w, g)
	}
}
