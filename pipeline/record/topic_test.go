package record

import (
	"errors"
	"strings"
	"testing"

	"firebreak/internal/strictyaml"
)

// TestExplicitZeroRate: a rate of 0 is refused where it stands; without one there is no problem, and other mistakes are
// said beside it.
func TestExplicitZeroRate(t *testing.T) {
	for text, want := range map[string]string{
		"record:\n  preset: combined\n  rate: 0\n":                        "f.yml:3:9: record.rate: 0 is not a probability in (0, 1]",
		"record:\n  rate: 0.0\n  fields: {key: k}\n":                      "f.yml:2:9: record.rate: 0 is not a probability in (0, 1]",
		"record: {preset: combined}":                                      "",
		"record: {preset: combined, rate: 0.5}":                           "",
		"record: {rate: 0, latency_unit: 3, latency_units: us}":           `f.yml:1:36: record: unknown field "latency_units"`,
		"record:\n  rate:\n  fields: {key: k}\n  format: [json]\n":        "f.yml:4:11: record.format: ",
		"record: {rate: often}":                                           `f.yml:1:16: record.rate: want a number`,
		"record:\n  fields: {key: k}\n  time: {unit: ms}\n  rate: -0.0\n": "f.yml:4:9: record.rate: 0 is not a probability in (0, 1]",
	} {
		var file struct {
			Record Config `yaml:"record"`
		}
		err := strictyaml.Decode("f.yml", []byte(text), &file)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s got %v\nwant %s", text, err, want)
		}
		if strings.Contains(text, "rate: 0,") && !strings.Contains(err.Error(), "1:16: record.rate: 0 is no") {
			t.Errorf("%s: only one of two mistakes is named: %v", text, err)
		}
	}
	// What a program leaves at its zero value is not given.
	if err := (Config{}).Validate(); err != nil {
		t.Error(err)
	}
	// A file replaces what was there; what it does not say stays.
	kept := Config{Rate: 0.25}
	if err := kept.UnmarshalYAML(func(any) error { return nil }); err != nil || kept.Rate != 0.25 {
		t.Errorf("%v, rate %v", err, kept.Rate)
	}
	failed := errors.New("unreadable")
	if err := new(Config).UnmarshalYAML(func(any) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("%v hides what the file said", err)
	}
}

// TestLiteral: the path of any name in a line is one that means it there and nothing beside it.
func TestLiteral(t *testing.T) {
	for _, path := range []string{"@key", "@time", "@header", "@header.tenant", "@key.id", "@timestamp", "key", "@", "@headers.x"} {
		if _, ok, err := partOf(Literal(path)); ok || err != nil || literal(Literal(path)) != path {
			t.Errorf("%s is written %s, which means %s (%v)", path, Literal(path), literal(Literal(path)), err)
		}
	}
}
