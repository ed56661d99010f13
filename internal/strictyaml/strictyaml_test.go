package strictyaml_test

import (
	"encoding"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"firebreak/internal/strictyaml"
)

// config is the shape that the golden file's inputs are read into; it has every kind of field that configurations use.
type config struct {
	Fleets   map[string]fleet  `yaml:"fleets"`
	For      time.Duration     `yaml:"for"`
	Share    strictyaml.Ratio  `yaml:"share"`
	Shards   int               `yaml:"shards"`
	Small    int8              `yaml:"small"`
	Version  uint64            `yaml:"version"`
	Rate     float64           `yaml:"rate"`
	Enabled  bool              `yaml:"enabled"`
	Topics   []string          `yaml:"topics"`
	Ops      map[string]string `yaml:"ops"`
	Mode     mode              `yaml:"mode"`
	Token    string            `yaml:"token" secret:"true"`
	Pin      int               `yaml:"pin" secret:"true"`
	Receiver *receiver         `yaml:"receiver"`
	Keys     []receiver        `yaml:"keys" secret:"true"`
	Path     path              `yaml:"path"`
	Hook     func()            `yaml:"hook"`
	Hidden   string            `yaml:"-"`
	Logging  `yaml:",inline"`
}

type Logging struct {
	Level string
	JSON  bool
}

type fleet struct {
	Capacity float64       `yaml:"capacity"`
	Topic    string        `yaml:"topic"`
	For      time.Duration `yaml:"for"`
}

func (f *fleet) SetDefaults() { f.For = 30 * time.Second }

type receiver struct {
	URL      string        `yaml:"url"`
	Password string        `yaml:"password" secret:"true"`
	Wait     time.Duration `yaml:"wait" secret:"true"`
}

// mode is an enum that reads itself; its error shows the word.
type mode int

var _ encoding.TextUnmarshaler = (*mode)(nil)

func (m *mode) UnmarshalText(text []byte) error {
	switch string(text) {
	case "observe":
		*m = 1
	case "auto":
		*m = 2
	default:
		return fmt.Errorf("unknown mode %q; did you mean %q?", text, strictyaml.Nearest(string(text), []string{"observe", "auto"}))
	}
	return nil
}

// path has two shapes: a word, or a mapping.
type path struct {
	Name  string
	Regex string
}

func (p *path) UnmarshalYAML(decode func(any) error) error {
	if decode(&p.Name) == nil {
		return nil
	}
	type long path
	if err := decode((*long)(p)); err != nil {
		return err
	}
	var errs []error
	if p.Name == "" {
		errs = append(errs, errors.New("name: must be set"))
	}
	if p.Regex == "(" {
		errs = append(errs, errors.New("regex: must be closed"))
	}
	return errors.Join(errs...)
}

// TestGolden has one input and everything that is said about it in each case; -rewrite writes what is said now.
func TestGolden(t *testing.T) {
	datadriven.RunTest(t, "testdata/problems.txt", func(t *testing.T, td *datadriven.TestData) string {
		input := strings.NewReplacer("<tab>", "\t", "<crlf>", "\r", "<bom>", "\ufeff", "<nul>", "\x00", "<bad>", "\xff").Replace(td.Input)
		got := config{Shards: 16}
		err := strictyaml.Decode("f.yml", []byte(input), &got)
		if err == nil {
			return fmt.Sprintf("ok: %+v", got)
		}
		if diff := cmp.Diff(16, got.Shards); diff != "" || len(got.Fleets) != 0 {
			t.Errorf("Decode changed its target although it failed: %+v", got)
		}
		return err.Error()
	})
}

func TestDecodeKeepsWhatTheFileDoesNotSay(t *testing.T) {
	before := &receiver{URL: "a", Password: "b"}
	got := config{
		Fleets: map[string]fleet{"old": {}}, For: time.Minute, Shards: 16, Receiver: before, Topics: []string{"x", "y"},
		Logging: Logging{Level: "info"},
	}
	file := "fleets: {orders: {capacity: 8_000}}\nshare: 12%\nreceiver: {url: c}\nfor:\ntopics: [z]\njson: true\npath: {name: n, regex: r}\n"
	if err := strictyaml.Decode("f.yml", []byte(file), &got); err != nil {
		t.Fatal(err)
	}
	want := config{
		Fleets: map[string]fleet{"orders": {Capacity: 8000, For: 30 * time.Second}}, For: time.Minute, Share: 0.12, Shards: 16,
		Receiver: &receiver{URL: "c", Password: "b"}, Topics: []string{"z"}, Logging: Logging{Level: "info", JSON: true},
		Path: path{Name: "n", Regex: "r"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
	if before.URL != "a" {
		t.Errorf("the struct behind the default pointer was written to: %+v", before)
	}
}

func TestReportIsSortedAndUnwraps(t *testing.T) {
	file := "shards: x\nenabled: 3\nfleets:\n  a: {topic: 1, capacity: k}\nshards: 4\n"
	err := strictyaml.Decode("f.yml", []byte(file), &config{})
	var report strictyaml.Report
	if !errors.As(err, &report) {
		t.Fatalf("Decode returned %T, want a Report", err)
	}
	var places [][2]int
	for _, p := range report {
		places = append(places, [2]int{p.Line, p.Col})
	}
	if diff := cmp.Diff([][2]int{{1, 9}, {2, 10}, {4, 14}, {4, 27}, {5, 1}}, places); diff != "" {
		t.Errorf("places of the problems (-want +got):\n%s", diff)
	}
	var first strictyaml.Problem
	if !errors.As(err, &first) || first != report[0] {
		t.Errorf("errors.As gives %v, want the first problem %v", first, report[0])
	}
}

func TestDecodeRefusesUnfitTargets(t *testing.T) {
	for _, into := range []any{nil, config{}, (*config)(nil), new(int)} {
		if err := strictyaml.Decode("f.yml", []byte("a: 1"), into); err == nil {
			t.Errorf("Decode into %T: no error", into)
		}
	}
}

// TestBounds has inputs that cost a naive reader its stack, its memory or its time.
func TestBounds(t *testing.T) {
	laughs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'k'; i++ {
		laughs += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", i, i, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1)
	}
	for name, c := range map[string]struct{ file, want string }{
		"billion laughs": {laughs, "f.yml:1:4: anchors (&)"},
		"brackets":       {"a: " + strings.Repeat("[", 100_000), "f.yml:1:68: nested more than 64 deep"},
		"braces":         {strings.Repeat("{a: ", 50_000), "nested more than 64 deep"},
		"list entries":   {"a:\n  " + strings.Repeat("- ", 100_000), "f.yml:2:131: nested more than 64 deep"},
		"complex keys":   {strings.Repeat("? ", 100_000), "f.yml:1:1: complex keys (?)"},
		"tags":           {"a: " + strings.Repeat("!x ", 50_000), "f.yml:1:4: tags (!)"},
		"size":           {strings.Repeat("#", 256<<10+1), "f.yml: is too large: 262145 bytes in 0 lines"},
		"lines":          {strings.Repeat("\n", 10_001), "f.yml: is too large: 10001 bytes in 10001 lines"},
		"words":          {"topics: [" + strings.Repeat("x,", 25_000) + "]", "f.yml: is too large: 50004 words"},
	} {
		err := strictyaml.Decode("f.yml", []byte(c.file), &config{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	for _, file := range []string{strings.Repeat("#", 256<<10), "topics:\n" + strings.Repeat("-  a\n", 9_999)} {
		if err := strictyaml.Decode("f.yml", []byte(file), &config{}); err != nil {
			t.Errorf("a file of just the greatest size: %v", err)
		}
	}
}

// TestSecretsStaySecret misplaces, misspells and breaks a secret in every way that people do.
func TestSecretsStaySecret(t *testing.T) {
	for _, file := range []string{
		"pin: hunter2", "token: {hunter2: x}", "token: [hunter2]", "token: 0hunter2\ntoken: hunter2", "pin: \"hunter2\"",
		"tokn: hunter2", "token:hunter2", "token:hunter2\nshards: 1", "shards: 1\ntoken:hunter2", "receiver: password:hunter2",
		"receiver: {password: [hunter2]}", "receiver: {wait: hunter2}", "receiver: {pasword: hunter2}", "receiver: {password:hunter2}",
		"receiver:\n  password = hunter2: x", "receiver:\n  password:hunter2: x", "token: 'hunter2", "token: \"hunter2\\q\"",
		"token: hunter2: x", "token: &hunter2 x", "token: *hunter2", "token: !hunter2 x", "token: %hunter2", "token: @hunter2",
		"keys: hunter2", "keys: {hunter2: 1}", "keys: [hunter2]", "keys: [{hunter2: x}]", "keys: [{url: 7, url: hunter2}]",
		"keys: [{? hunter2 : 1}]", "token: |\n hunter2\n   x\n y", "token: hunter2\n  - x", "- token: hunter2", "token: hunter2\n---\na: b",
		"\ttoken: hunter2", "token: hunter2\n\tx: y", "keys: [{hunter2: x, hunter2: y}]",
	} {
		err := strictyaml.Decode("f.yml", []byte(file), &config{})
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the error shows the secret: %v", file, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"fleets:\n  a: {capacity: 8000, for: 30s}\nshare: 12%\ntopics: [a, 'b', \"c\\n\"]\n", "a: &a [*a]\n", "? a\n: b\n", "a: |\n  x\n",
		"path: {name: x}\nmode: auto\n", "%YAML 1.2\n---\nshards: 0x1F\n...\n", "token: !!binary aGk=\n", "\ufeffshards: 1\r\n", "[]: 1\n- a\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got config
		err := strictyaml.Decode("f.yml", data, &got)
		if err == nil {
			return
		}
		var report strictyaml.Report
		if !errors.As(err, &report) || len(report) == 0 {
			t.Fatalf("error %T %v, want a Report with problems", err, err)
		}
		for _, p := range report {
			if p.File != "f.yml" || p.Line < 0 || p.Col < 0 {
				t.Errorf("problem without a place: %+v", p)
			}
		}
	})
}
