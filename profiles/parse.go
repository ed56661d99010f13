package profiles

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"firebreak/internal/strictyaml"
	"firebreak/routing"
)

//go:embed *.yml
var files embed.FS

// Names lists the profiles that firebreak brings along, sorted.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil { // they are part of the program
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yml"))
	}
	slices.Sort(names)
	return names
}

// Builtin is a profile that firebreak brings along.
func Builtin(name string) (*Profile, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("there is no profile %q: want one of %s, or a file", name, strings.Join(Names(), ", "))
	}
	data, err := files.ReadFile(name + ".yml")
	if err != nil {
		return nil, err
	}
	return Parse(name+".yml", data)
}

// Parse reads a profile strictly. Every mistake is one line: file:line:column: what.
func Parse(file string, data []byte) (*Profile, error) {
	p := &document{}
	if err := strictyaml.Decode(file, data, p); err != nil {
		return nil, err
	}
	if p.Name == "" { // of a file that is empty
		return nil, fmt.Errorf("%s: no profile: want name, store and fixes", file)
	}
	return (*Profile)(p), nil
}

// document is a Profile as it stands in a file, judged while it is read so that errors have their place.
type document Profile

// UnmarshalYAML reads a profile and judges it.
func (d *document) UnmarshalYAML(unmarshal func(any) error) error {
	if err := unmarshal((*Profile)(d)); err != nil {
		return err
	}
	return (*Profile)(d).validate()
}

// word is what names of profiles and settings are made of.
func word(text string) bool {
	return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`).MatchString(text)
}

// validate judges a profile and compiles its commands.
func (p *Profile) validate() error {
	var errs []error
	if !word(p.Name) {
		errs = append(errs, strictyaml.Wrong("name", "%q: want a word of a-z 0-9 _ -", p.Name))
	}
	if strings.TrimSpace(p.Store) == "" {
		errs = append(errs, strictyaml.Wrong("store", "want what people call the store"))
	}
	if _, err := routing.ParseFunction(p.Slots); p.Slots != "" && err != nil {
		errs = append(errs, strictyaml.Wrong("slots", "%v", err))
	}
	for kind, settings := range map[string]map[string]string{"fleet": p.Settings.Fleet, "shard": p.Settings.Shard} {
		for name := range settings {
			if !word(name) {
				errs = append(errs, strictyaml.Wrong("settings."+kind, "%q: want words of a-z 0-9 _ -", name))
			}
		}
	}
	for i, l := range p.Limits {
		at := fmt.Sprintf("limits[%d]", i)
		if l.Of == "" || !(l.Reads > 0) || !(l.Writes > 0) || l.Cost == "" {
			errs = append(errs, strictyaml.Wrong(at, "want of, cost, and reads and writes above 0"))
		}
		if !page(l.Source) {
			errs = append(errs, strictyaml.Wrong(at+".source", "%q: want the page that says so (https)", l.Source))
		}
	}
	for _, n := range p.Fixes.all() {
		errs = append(errs, strictyaml.In("fixes."+n.name, p.validWay(n.way)))
	}
	return errors.Join(errs...)
}

// page says whether a text is the address of a page.
func page(text string) bool {
	return strings.HasPrefix(text, "https://") && !strings.ContainsAny(text, " \t\n")
}

// validWay judges a way: what is possible needs commands, what is not needs a reason.
func (p *Profile) validWay(w *Way) error {
	var errs []error
	switch {
	case strings.TrimSpace(w.Called) == "":
		errs = append(errs, strictyaml.Wrong("called", "want what the store calls it"))
	case w.Possible == PossibleYes && len(w.Commands) == 0:
		errs = append(errs, strictyaml.Wrong("commands", "want those that do it, or possible: advice"))
	case w.Possible != PossibleYes && strings.TrimSpace(w.Reason) == "":
		errs = append(errs, strictyaml.Wrong("reason", "want why it is %s", w.Possible))
	case w.Possible == PossibleNever && len(w.Commands) > 0:
		errs = append(errs, strictyaml.Wrong("commands", "what is never possible has none"))
	}
	if w.Source != "" && !page(w.Source) {
		errs = append(errs, strictyaml.Wrong("source", "%q: want the page that says so (https)", w.Source))
	}
	if strings.Contains(w.Called+w.Reason, `"`) {
		errs = append(errs, strictyaml.Wrong("reason", "no quotes: they stand around names that are hidden where names are"))
	}
	for i := range w.Commands {
		c := &w.Commands[i]
		if at, err := p.compile(c); err != nil {
			errs = append(errs, strictyaml.Wrong(fmt.Sprintf("commands[%d].argv[%d]", i, at), "%v", err))
		}
		if c.Each == EachSlot && p.Slots == "" {
			errs = append(errs, strictyaml.Wrong(fmt.Sprintf("commands[%d].each", i), "the store has no slots: want slots, with the placement function that they are of"))
		}
	}
	return errors.Join(errs...)
}
