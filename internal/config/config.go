// Package config reads the one YAML file of firebreak. It only puts together what other packages own: each declares its
// part, its defaults and what is valid.
//
// It does no I/O. docs/config.md names every field; a test keeps it so.
package config

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"firebreak/internal/strictyaml"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// Config is the whole file. The zero value has no fleet.
type Config struct {
	Fleets []Fleet `yaml:"fleets"`
}

// Fleet is one sharded store and its request log.
type Fleet struct {
	Name      string          `yaml:"name"`
	Record    record.Config   `yaml:"record"`
	Document  string          `yaml:"document"` // path of a control document, instead of Placement and Shards
	Placement Placement       `yaml:"placement"`
	Shards    Shards          `yaml:"shards"`
	Sampling  policy.Sampling `yaml:"sampling"`
	LogPoint  policy.LogPoint `yaml:"log_point"`
	Cost      pipeline.Cost   `yaml:"cost"`
	Pane      time.Duration   `yaml:"pane"`
	Window    time.Duration   `yaml:"window"` // the long one, a whole number of panes
	Warmup    time.Duration   `yaml:"warmup"` // complete panes that must be there before anything fires
	Policy    policy.Config   `yaml:"policy"`
}

// DefaultFleet returns the defaults of the design.
func DefaultFleet() Fleet {
	p := pipeline.DefaultConfig("")
	return Fleet{Record: record.Default(), Pane: p.Pane, Window: p.Window, Warmup: time.Minute, Policy: policy.Default()}
}

// SetDefaults is called before a fleet of the file is read.
func (f *Fleet) SetDefaults() { *f = DefaultFleet() }

// UnmarshalYAML reads a fleet and judges it, so that an error names its place in the file.
func (f *Fleet) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Fleet
	if err := unmarshal((*plain)(f)); err != nil {
		return err
	}
	return f.Validate()
}

// Parse reads a file; name is for messages. Every mistake is one line: file:line:column: what.
func Parse(name string, data []byte) (*Config, error) {
	c := &Config{}
	if err := strictyaml.Decode(name, data, c); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, f := range c.Fleets {
		if seen[f.Name] {
			return nil, fmt.Errorf("%s: two fleets are called %q", name, f.Name)
		}
		seen[f.Name] = true
	}
	if len(c.Fleets) == 0 {
		return nil, fmt.Errorf("%s: no fleet: want fleets: [{name: ..., shards: ..., placement: ...}]", name)
	}
	return c, nil
}

// maxName is the longest name of a fleet, in bytes, that a document can hold.
const maxName = 255

// Validate reports every value that cannot be meant. It fills in nothing.
func (f *Fleet) Validate() error {
	var errs []error
	if f.Name == "" || len(f.Name) > maxName {
		errs = append(errs, fmt.Errorf("name: want 1 to %d bytes", maxName))
	}
	if err := f.validRecord(); err != nil {
		errs = append(errs, fmt.Errorf("record.%w", err))
	}
	if f.Document != "" && (f.Placement.given() || f.Shards.given()) {
		errs = append(errs, errors.New("document: excludes placement and shards, which stand in it"))
	}
	if f.Warmup < 0 {
		errs = append(errs, fmt.Errorf("warmup %v: want 0 or more", f.Warmup))
	}
	p := f.Pipeline()
	if err := p.Validate(); err != nil {
		errs = append(errs, err)
		return errors.Join(errs...)
	}
	judged := f.Judge()
	if err := judged.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("policy: %w", err))
	}
	if f.Document == "" {
		if _, _, err := f.Adopt(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// DetectsFormat says that the file leaves the preset to the first lines of the log: it names neither one nor any field.
func (f *Fleet) DetectsFormat() bool {
	return f.Record.Preset == "" && reflect.DeepEqual(f.Record.Fields, record.Fields{})
}

// validRecord judges the record part; where a preset is still to be found, with one that fits the format.
func (f *Fleet) validRecord() error {
	c := f.Record
	if f.DetectsFormat() {
		if c.Preset = "canonical"; c.Format == "combined" {
			c.Preset = "combined"
		}
	}
	return c.Validate()
}

// fastPanes is the length of the fast window in panes.
const fastPanes = 6

// Judge is the policy with its windows in panes: the fast one is six panes, or the long one if that is shorter.
func (f *Fleet) Judge() policy.Config {
	c := f.Policy
	c.LongPanes = max(1, int(f.Window/f.Pane))
	c.FastPanes = min(fastPanes, c.LongPanes)
	c.WarmPanes = min(max(1, int((f.Warmup+f.Pane-1)/f.Pane)), c.LongPanes)
	return c
}

// Pipeline is the fleet's part of the pipeline, without its document.
func (f *Fleet) Pipeline() pipeline.Config {
	c := pipeline.DefaultConfig(f.Name)
	c.LogPoint, c.Sampling, c.Cost = f.LogPoint, f.Sampling, f.Cost
	c.Pane, c.Window = f.Pane, f.Window
	if f.Record.Rate > 0 {
		c.Rate = f.Record.Rate
	}
	return c
}

// Adopt makes the fleet's first document of its placement and shards. It is nil where there is no placement, or where
// the log names the shards and none is listed; discover tells the latter.
func (f *Fleet) Adopt() (doc *routing.Document, discover bool, err error) {
	if !f.Placement.given() && !f.Shards.given() {
		return nil, false, nil
	}
	p, err := f.Placement.routing()
	if err != nil {
		return nil, false, err
	}
	shards := f.Shards.List
	if len(shards) == 0 {
		shards = routing.NumberedShards(f.Shards.N)
	}
	if len(shards) == 0 && p.Map == routing.Explicit {
		return nil, true, nil
	}
	if len(shards) == 0 {
		return nil, false, errors.New("shards: a placement needs their number, or a list of their names")
	}
	doc, err = routing.Adopt(f.Name, p, shards)
	return doc, false, err
}
