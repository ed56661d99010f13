package record

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// parseConfig reads YAML as strictly as the loader does.
func parseConfig(text string) (Config, error) {
	cfg := Default()
	err := yaml.NewDecoder(bytes.NewReader([]byte(text)), yaml.Strict()).Decode(&cfg)
	return cfg, err
}

func TestConfigFromYAML(t *testing.T) {
	got, err := parseConfig(`
format: json
fields:
  key: {path: http.path, regex: "^(/[^/]*)"}
  tenant: labels.tenant
  time: {path: ts, or: [time]}
match:
  - {field: fleet, in: [a, b]}
ops:
  - {on: key, value: /adclick.php, op: write}
rate: 0.01
time: {unit: ms}
strip_query: false
`)
	off := false
	want := Config{
		Format: "json", Rate: 0.01, MaxLine: 1 << 20, Time: TimeConfig{Unit: "ms"}, StripQuery: &off,
		Fields: Fields{
			Key:    Field{Path: "http.path", Regex: "^(/[^/]*)"},
			Tenant: Field{Path: "labels.tenant"},
			Time:   Field{Path: "ts", Or: []string{"time"}},
		},
		Match: []Match{{Field: "fleet", In: []string{"a", "b"}}},
		Ops:   []OpRule{{On: "key", Value: "/adclick.php", Op: "write"}},
	}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
	for _, text := range []string{"fields: {kee: a}", "fields: {key: {pth: a}}", "match: [{feild: a}]", "rate: often", "fields: {key: [a]}", "time: {units: ms}"} {
		if _, err := parseConfig(text); err == nil || !strings.Contains(err.Error(), "[1:") {
			t.Errorf("%s: error %v names no line and column", text, err)
		}
	}
}

func TestValidateNamesThePlace(t *testing.T) {
	for _, c := range []struct{ text, path string }{
		{"preset: apache", "preset"},
		{"preset: combined\nformat: json", "format"},
		{"format: xml\nfields: {key: a}", "format"},
		{"format: json", "fields"},
		{"format: json\nfields: {op: a}", "fields"},
		{"format: json\nfields: {key: a.}", "fields.key"},
		{"format: json\nfields: {key: a, tenant: {regex: '(x)'}}", "fields.tenant.path"},
		{"format: json\nfields: {key: {path: a, regex: '('}}", "fields.key.regex"},
		{"format: json\nfields: {key: {path: a, regex: 'abc'}}", "fields.key.regex"},
		{"format: json\nfields: {key: a, time: t}", "time"},
		{"time: {unit: m}", "time.unit"},
		{"time: {unit: s, layout: clf}", "time"},
		{"time: {layout: 'yyyy-mm-dd'}", "time.layout"},
		{"time: {layout: '2006-01-02'}", "time.layout"},
		{"time: {layout: RFC3339, zone: Mars/Olympus}", "time.zone"},
		{"latency_unit: minutes", "latency_unit"},
		{"rate: -1", "rate"},
		{"rate: 1.5", "rate"},
		{"rate: .nan", "rate"},
		{"max_line: 10", "max_line"},
		{"max_line: 1000000000", "max_line"},
		{"preset: combined\nno_header: true", "no_header"},
		{"format: csv\nno_header: true\nfields: {key: name}", "fields.key"},
		{"format: csv\nno_header: true\nfields: {key: '0'}", "fields.key"},
		{"preset: combined\nfields: {key: url}", "fields.key"},
		{"match: [{field: a}]", "match[0]"},
		{"match: [{field: a, equals: b}, {field: a, equals: b, regex: c}]", "match[1]"},
		{"match: [{equals: b}]", "match[0].field"},
		{"match: [{field: a, regex: '('}]", "match[0].regex"},
		{"ops: [{op: read}]", "ops[0]"},
		{"ops: [{value: a, pattern: b, op: read}]", "ops[0]"},
		{"ops: [{value: a, op: reed}]", "ops[0].op"},
		{"ops: [{on: path, value: a, op: read}]", "ops[0].on"},
		{"ops: [{pattern: '(', op: read}]", "ops[0].pattern"},
		{"throttled: ['']", "throttled[0]"},
		{"format: json\nfields: {key: {path: a, or: [b, c.]}}", "fields.key.or[1]"},
		{"format: json\nfields: {key: {path: a., regex: '(b)'}}", "fields.key.path"},
	} {
		cfg, err := parseConfig(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var at *ConfigError
		if err := cfg.Validate(); !errors.As(err, &at) || at.Path != c.path || at.Problem == "" {
			t.Errorf("%q: %v, want a problem at %s", c.text, err, c.path)
		}
	}
}

// Validate fills nothing and changes nothing; the zero Config, Default and every preset are valid.
func TestValidConfigs(t *testing.T) {
	configs := []Config{{}, Default()}
	for _, name := range Presets() {
		configs = append(configs, Config{Preset: name})
	}
	for _, format := range []string{"json", "csv", "tsv", "logfmt"} {
		configs = append(configs, Config{Preset: "canonical", Format: format})
	}
	for _, cfg := range configs {
		before := cfg
		if err := cfg.Validate(); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
		if !cmp.Equal(before, cfg) {
			t.Errorf("Validate changed %s", cmp.Diff(before, cfg))
		}
	}
	if !slices.IsSorted(Presets()) {
		t.Errorf("presets are not sorted: %q", Presets())
	}
}

// Every problem is named at once, so that a file is mended in one go.
func TestValidateJoinsProblems(t *testing.T) {
	cfg := Config{Format: "json", Fields: Fields{Key: Field{Path: "a."}}, Rate: 7, Ops: []OpRule{{}}, LatencyUnit: "h"}
	err := cfg.Validate()
	for _, path := range []string{"fields.key", "rate", "ops[0]", "latency_unit"} {
		if err == nil || !strings.Contains(err.Error(), path+": ") {
			t.Errorf("%v does not name %s", err, path)
		}
	}
}

func TestOpWords(t *testing.T) {
	for op, words := range map[Op]string{
		OpRead:    "GET get HEAD OPTIONS READ GET_LEASE getLease QUERY SCAN BATCHGET BatchGetItem hgetall Multi-Get",
		OpWrite:   "PUT POST PATCH DELETE SET SET_LEASE WRITE write INCR hincrby BatchWriteItem upsert",
		OpUnknown: "PushEvent getChunkData.Permanent GETX CONNECT _ GÉT G\x00ET 1 " + strings.Repeat("GET", 40),
	} {
		for word := range strings.SplitSeq(words, " ") {
			if got := opOfWord([]byte(word)); got != op {
				t.Errorf("%q is %v, want %v", word, got, op)
			}
		}
	}
	if got := opOfWord(nil); got != OpUnknown {
		t.Errorf("no word is %v", got)
	}
}
