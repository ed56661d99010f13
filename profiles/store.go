package profiles

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"firebreak/internal/numerals"
	"firebreak/internal/strictyaml"
	"firebreak/policy"
)

// Choice is the profile of a fleet, as its configuration names it. The zero value is none.
type Choice struct {
	Name   string                       `yaml:"name"`   // of one that firebreak brings along
	File   string                       `yaml:"file"`   // of one's own, beside the configuration if relative
	Set    map[string]string            `yaml:"set"`    // settings of the fleet
	Shards map[string]map[string]string `yaml:"shards"` // settings by the name of the shard
}

// Given says whether a fleet names a profile.
func (c *Choice) Given() bool { return c.Name != "" || c.File != "" }

// UnmarshalYAML reads a name, or a mapping, and judges it as far as it can be without reading a file.
func (c *Choice) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&c.Name) != nil {
		type plain Choice
		if err := unmarshal((*plain)(c)); err != nil {
			return err
		}
	}
	switch {
	case c.File != "" && c.Name != "":
		return strictyaml.Conflict("file", []string{"name"}, "excludes name, which stands in it")
	case c.File != "":
		return nil
	case !slices.Contains(Names(), c.Name):
		text := fmt.Sprintf("%q: want one of %s, or file: with one of your own", c.Name, strings.Join(Names(), ", "))
		if near := strictyaml.Nearest(c.Name, Names()); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		return strictyaml.Wrong("", "%s", text)
	}
	p, err := Builtin(c.Name)
	if err != nil {
		return strictyaml.Wrong("", "%v", err)
	}
	return c.fits(p)
}

// fits refuses settings that the profile does not have.
func (c *Choice) fits(p *Profile) error {
	check := func(at string, given, known map[string]string) error {
		for name, value := range given {
			if _, ok := known[name]; !ok {
				return strictyaml.Wrong(at, "profile %s has no setting %q", p.Name, name)
			}
			if strings.IndexByte(value, 0) >= 0 || value == "" {
				return strictyaml.Wrong(at, "%s: want a text", name)
			}
		}
		return nil
	}
	if err := check("set", c.Set, p.Settings.Fleet); err != nil {
		return err
	}
	for _, given := range c.Shards {
		if err := check("shards", given, p.Settings.Shard); err != nil {
			return err
		}
	}
	return nil
}

// Store is a profile as one fleet uses it. nil is a fleet that names none: it has no words of its own.
type Store struct {
	Profile *Profile

	choice Choice
}

// Open gives what a fleet chose; nil where it chose none. A file is read below dir, if relative.
func Open(c Choice, dir string) (*Store, error) {
	if !c.Given() {
		return nil, nil
	}
	if c.File == "" {
		p, err := Builtin(c.Name)
		if err != nil {
			return nil, err
		}
		return &Store{p, c}, c.fits(p)
	}
	file := c.File
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	data, err := os.ReadFile(file) //nolint:gosec // G304: the file that the configuration names
	if err != nil {
		return nil, err
	}
	p, err := Parse(file, data)
	if err != nil {
		return nil, err
	}
	if err := c.fits(p); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return &Store{p, c}, nil
}

// Suggest says which capacity the store's own limits would give a fleet that names none, or that another cost hides them;
// empty where there is nothing to say. It is never applied.
func (s *Store) Suggest(cost string, c policy.Capacity) string {
	if s == nil || c != (policy.Capacity{}) {
		return ""
	}
	if len(s.Profile.Limits) == 0 {
		return ""
	}
	l := s.Profile.Limits[0] // the narrowest
	text := fmt.Sprintf("%s gives a %s at most %s reads and %s writes/s, in %s units: policy.capacity {reads: %s, writes: %s} would judge by that",
		s.Profile.Store, l.Of, numerals.Load(l.Reads), numerals.Load(l.Writes), l.Cost, plain(l.Reads), plain(l.Writes))
	if cost != l.Cost {
		text += fmt.Sprintf(" beside cost: %s", l.Cost)
	}
	return text
}

// plain writes a number as a file has it.
func plain(v float64) string { return fmt.Sprintf("%d", int64(math.Ceil(v))) }
