package strictyaml_test

import (
	"errors"
	"strings"
	"testing"

	"firebreak/internal/strictyaml"
)

// judged is a type that judges itself: every error that its check gives for what was read.
type judged struct {
	Name  string           `yaml:"name"`
	Low   int              `yaml:"low"`
	High  int              `yaml:"high"`
	Parts []part           `yaml:"parts"`
	By    map[string]*part `yaml:"by"`
	Auth  auth             `yaml:"auth"`
}

type part struct {
	Size int `yaml:"size"`
}

type auth struct {
	Token string `yaml:"token" secret:"true"`
	Inner struct {
		Pin string `yaml:"pin"`
	} `yaml:"inner" secret:"true"`
}

func (j *judged) UnmarshalYAML(decode func(any) error) error {
	type plain judged
	return errors.Join(decode((*plain)(j)), j.check())
}

func (j *judged) check() error {
	var errs []error
	if j.Name == "" {
		errs = append(errs, strictyaml.Wrong("name", "must be set"))
	}
	if j.Low > j.High {
		errs = append(errs, strictyaml.Conflict("low", []string{"high"}, "%d is above high", j.Low))
	}
	for i, p := range j.Parts {
		if p.Size < 0 {
			errs = append(errs, strictyaml.In("parts", strictyaml.In([]string{"[0]", "[1]", "[2]"}[i], strictyaml.Wrong("size", "%d is negative", p.Size))))
		}
	}
	for name, p := range j.By {
		if p.Size < 0 {
			errs = append(errs, strictyaml.Wrong("by."+name+".size", "%d is negative", p.Size))
		}
	}
	if j.Auth.Token == "short" {
		errs = append(errs, strictyaml.Wrong("auth.token", "%q is too short", j.Auth.Token))
	}
	if j.Auth.Inner.Pin == "short" {
		errs = append(errs, strictyaml.Wrong("auth.inner.pin", "%q is too short", j.Auth.Inner.Pin))
	}
	if j.Name == "plain" {
		errs = append(errs, errors.New("an error without a field"))
	}
	return errors.Join(errs...)
}

// TestJudgement: what a type finds wrong stands where its field stands, or where the field would stand; what may follow from a
// field that could not be read is not said; a secret is not shown.
func TestJudgement(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"name: a\nlow: 3\nhigh: 9\nparts: [{size: 1}]\n", ""},
		{"low: 0\n", "f.yml:1:1: name: must be set"},
		{"name: a\nlow: 3\nhigh: 2\n", "f.yml:2:6: low: 3 is above high"},
		{"name: a\nlow: 3\n", "f.yml:2:6: low: 3 is above high"},
		{"name: a\nlow: 3\nhigh: x\n", "f.yml:3:7: high: want a whole number, got text \"x\""},
		{"low: 3\nnam: a\n", "f.yml:1:6: low: 3 is above high\nf.yml:2:1: unknown field \"nam\"; did you mean \"name\"?"},
		{"name: [a]\nlow: 3\nhigh: 2\n", "f.yml:1:7: name: want text (in quotes), got a list\nf.yml:2:6: low: 3 is above high"},
		{"name: a\nparts:\n  - {size: 1}\n  - {size: -2}\n  - size: -3\n", "f.yml:4:12: parts[1].size: -2 is negative\nf.yml:5:11: parts[2].size: -3 is negative"},
		{"name: a\nparts: [{size: x}, {size: -2}]\n", "f.yml:2:16: parts[0].size: want a whole number, got text \"x\"\nf.yml:2:27: parts[1].size: -2 is negative"},
		{"name: a\nby: {left: {size: -1}}\n", "f.yml:2:19: by.left.size: -1 is negative"},
		{"name: a\nauth: {token: short}\n", "f.yml:2:15: auth.token: is not valid (the value is not shown)"},
		{"name: a\nauth: {inner: {pin: short}}\n", "f.yml:2:21: auth.inner.pin: is not valid (the value is not shown)"},
		{"name: plain\n", "f.yml:1:1: an error without a field"},
		{"just: [text\n", "f.yml:1:7: YAML syntax"},
	} {
		err := strictyaml.Decode("f.yml", []byte(tt.file), &judged{})
		switch {
		case tt.want == "" && err != nil, tt.want != "" && err == nil:
			t.Errorf("%q: %v, want %q", tt.file, err, tt.want)
		case err != nil && !strings.HasPrefix(err.Error(), tt.want), err != nil && strings.Count(err.Error(), "\n") != strings.Count(tt.want, "\n"):
			t.Errorf("%q: got\n%v\nwant\n%s", tt.file, err, tt.want)
		}
	}
}

// TestProblemsNameTheirField: the path of each problem's field is there for machines too.
func TestProblemsNameTheirField(t *testing.T) {
	err := strictyaml.Decode("f.yml", []byte("parts: [{size: -2}, {siez: 1}]\n"), &judged{})
	var report strictyaml.Report
	if !errors.As(err, &report) {
		t.Fatalf("%T", err)
	}
	var paths []string
	for _, p := range report {
		paths = append(paths, p.Path)
	}
	if got := strings.Join(paths, " "); got != "name parts[0].size parts[1].?" {
		t.Errorf("paths %s in\n%v", got, err)
	}
}

// TestInKeepsWhatItWraps: an error put into a field is still found, and so is the word that was meant.
func TestInKeepsWhatItWraps(t *testing.T) {
	cause := errors.New("broken")
	err := strictyaml.In("a", errors.Join(cause, strictyaml.In("b[1]", strictyaml.Wrong("c", "no"))))
	if !errors.Is(err, cause) || err.Error() != "a: broken\na.b[1].c: no" {
		t.Errorf("%v", err)
	}
	if strictyaml.In("a", nil) != nil {
		t.Error("no error in a field is an error")
	}
}
