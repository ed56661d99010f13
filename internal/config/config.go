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

	"firebreak/actuator/mover"
	"firebreak/internal/strictyaml"
	"firebreak/pipeline"
	"firebreak/pipeline/health"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/profiles"
	"firebreak/routing"
)

// Config is the whole file. The zero value has no fleet.
type Config struct {
	Fleets []Fleet `yaml:"fleets"`

	Live `yaml:",inline"`
}

// Fleet is one sharded store and its request log.
type Fleet struct {
	Name      string          `yaml:"name"`
	Topics    []Topic         `yaml:"topics"` // of its request log; for run only
	Record    record.Config   `yaml:"record"`
	Document  string          `yaml:"document"` // path of a control document, instead of Placement and Shards
	Placement Placement       `yaml:"placement"`
	Shards    Shards          `yaml:"shards"`
	Sampling  policy.Sampling `yaml:"sampling"`
	LogPoint  policy.LogPoint `yaml:"log_point"`
	Cost      pipeline.Cost   `yaml:"cost"`
	Pane      time.Duration   `yaml:"pane"`
	Window    time.Duration   `yaml:"window"` // the long one, a whole number of panes
	Warmup    *time.Duration  `yaml:"warmup"` // complete panes that must be there before anything fires, at most Window; nil = a minute, or Window if that is less
	Policy    policy.Config   `yaml:"policy"`
	Health    health.Config   `yaml:"health"`  // readings of the shards from outside the log; for run only
	Profile   profiles.Choice `yaml:"profile"` // of its kind of store; the zero value is none
	Mover     mover.Config    `yaml:"mover"`   // who carries data, folds pieces and makes shards
}

// DefaultFleet returns the defaults of the design.
func DefaultFleet() Fleet {
	p := pipeline.DefaultConfig("")
	return Fleet{Record: record.Default(), Pane: p.Pane, Window: p.Window, Policy: policy.Default()}
}

// SetDefaults is called before a fleet of the file is read.
func (f *Fleet) SetDefaults() { *f = DefaultFleet() }

// UnmarshalYAML reads a fleet and judges it, so that an error names its place in the file.
func (f *Fleet) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Fleet
	err := unmarshal((*plain)(f))
	return errors.Join(err, f.Validate())
}

// UnmarshalYAML reads the fleets and judges them beside each other.
func (c *Config) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Config
	err := unmarshal((*plain)(c))
	c.nameClusters()
	return errors.Join(err, c.validate(), c.validateLive())
}

// Parse reads a file; name is for messages. Every mistake is one line: file:line:column: path: what.
func Parse(name string, data []byte) (*Config, error) {
	c := &Config{Live: DefaultLive()}
	if err := strictyaml.Decode(name, data, c); err != nil {
		return nil, err
	}
	if err := c.validate(); err != nil { // of a file that is empty
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// validate judges the fleets beside each other.
func (c *Config) validate() error {
	if len(c.Fleets) == 0 {
		return strictyaml.Wrong("fleets", "no fleet: want fleets: [{name: ..., shards: ..., placement: ...}]")
	}
	var errs []error
	first := map[string]int{}
	for i, f := range c.Fleets {
		if at, twice := first[f.Name]; twice && f.Name != "" {
			path := fmt.Sprintf("fleets[%d].name", i)
			errs = append(errs, strictyaml.Wrong(path, "%q is the name of fleets[%d] too", f.Name, at))
			continue
		}
		first[f.Name] = i
	}
	return errors.Join(errs...)
}

// maxName is the longest name of a fleet, in bytes, that a document can hold.
const maxName = 255

// Validate reports every value that cannot be meant, each with the path of its field. It fills in nothing.
func (f *Fleet) Validate() error {
	var errs []error
	if f.Name == "" || len(f.Name) > maxName {
		errs = append(errs, strictyaml.Wrong("name", "want 1 to %d bytes", maxName))
	}
	if f.Name == "." || f.Name == ".." {
		errs = append(errs, strictyaml.Wrong("name", "%q cannot stand in the address of a page", f.Name))
	}
	errs = append(errs, strictyaml.In("record", f.validRecord()))
	p := f.Pipeline()
	p.Rate = 1 // the record part judges it
	unfit := p.Validate()
	errs = append(errs, strictyaml.In("", unfit), f.validWarmup())
	judged := f.Policy
	if unfit == nil {
		judged = f.Judge()
	}
	errs = append(errs, strictyaml.In("policy", judged.Validate()), f.validPlacement(), f.validPins(), strictyaml.In("health", f.Health.Validate(f.shardNames())),
		f.validMover())
	return errors.Join(errs...)
}

// validWarmup judges the warm-up: what is older than the window is forgotten, so no longer one can be waited for.
func (f *Fleet) validWarmup() error {
	switch {
	case f.Warmup == nil:
		return nil
	case *f.Warmup < 0:
		return strictyaml.Wrong("warmup", "%v: want 0 or more", *f.Warmup)
	case *f.Warmup > f.Window:
		return strictyaml.Conflict("warmup", []string{"window"}, "%v: want at most the window of %v, beyond which nothing is kept", *f.Warmup, f.Window)
	}
	return nil
}

// validPlacement judges the placement and the shards.
func (f *Fleet) validPlacement() error {
	if f.Document == "" {
		_, discover, err := f.Adopt()
		if bytes := f.Placement.Bytes; err == nil && discover && bytes != "" && bytes != "tenant,key" {
			return strictyaml.Conflict("placement.bytes", []string{"shards"}, "%q: where the log names the shards it holds only beside a list of them; name one under shards, others join it", bytes)
		}
		return err
	}
	if f.Placement.given() || f.Shards.given() {
		return strictyaml.Conflict("document", []string{"placement", "shards"}, "excludes placement and shards, which stand in it")
	}
	return nil
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
	c.WarmPanes = max(1, int((f.warmup()+f.Pane-1)/f.Pane))
	return c
}

// warmup is the warm-up that was asked for, or the default.
func (f *Fleet) warmup() time.Duration {
	if f.Warmup != nil {
		return *f.Warmup
	}
	return min(time.Minute, f.Window)
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
// the log names the shards and none is listed; discover tells the latter. Errors have the paths of their fields.
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
		return nil, false, strictyaml.Wrong("shards", "a placement needs their number, or a list of their names")
	}
	name := f.Name
	if name == "" || len(name) > maxName { // a mistake of the fleet, which is none of the placement's
		name = "fleet"
	}
	doc, err = routing.Adopt(name, p, shards)
	return doc, false, fields(err)
}
