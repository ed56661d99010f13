package config

import (
	"errors"
	"fmt"
	"strings"

	"firebreak/internal/strictyaml"
	"firebreak/routing"
)

// Placement is how the store finds a key's shard, see routing.Placement. The zero value is no placement.
type Placement struct {
	Bytes        string           `yaml:"bytes"`         // key, tenant, "tenant,key" or a template; empty = key
	Function     routing.Function `yaml:"function"`      // empty = xxh64
	Map          routing.OwnerMap `yaml:"map"`           // empty = mod-n
	VShards      int              `yaml:"vshards"`       // 0 = see routing.Placement
	Bounds       []string         `yaml:"bounds"`        // of ranges; \xNN escapes a byte, \\ a backslash
	VirtualNodes int              `yaml:"virtual_nodes"` // of a shard on a ring; 0 = 160
	Owners       []Owner          `yaml:"owners"`        // of list and ranges
	Separator    string           `yaml:"separator"`     // between key and suffix of a salted key's piece; empty = #
	TenantKeys   bool             `yaml:"tenant_keys"`   // the same key of two tenants is two keys
}

// Owner gives a run of slots or segments, both ends included, to a shard by its number from 0.
type Owner struct {
	First int             `yaml:"first"`
	Last  int             `yaml:"last"`
	Shard routing.ShardID `yaml:"shard"`
}

func (p *Placement) given() bool {
	return p.Bytes != "" || p.Function != 0 || p.Map != 0 || p.VShards != 0 || len(p.Bounds) > 0 || p.VirtualNodes != 0 ||
		len(p.Owners) > 0 || p.Separator != "" || p.TenantKeys
}

// routing converts to the form of package routing, with the defaults of a store about which only N is known.
func (p *Placement) routing() (routing.Placement, error) {
	out := routing.Placement{
		Bytes: p.Bytes, Function: p.Function, Map: p.Map, VShards: p.VShards, VirtualNodes: p.VirtualNodes,
		Separator: p.Separator, TenantKeys: p.TenantKeys,
	}
	if out.Map == routing.MapUnknown {
		out.Map = routing.ModN
	}
	if out.Map != routing.Explicit {
		if out.Bytes == "" {
			out.Bytes = "key"
		}
		if out.Function == routing.FunctionUnknown {
			out.Function = routing.XXH64
		}
	}
	var errs []error
	for i, b := range p.Bounds {
		raw, err := routing.Unescape(b)
		if err != nil {
			errs = append(errs, strictyaml.In(fmt.Sprintf("placement.bounds[%d]", i), err))
		}
		out.Bounds = append(out.Bounds, []byte(raw))
	}
	for _, o := range p.Owners {
		out.Owners = append(out.Owners, routing.OwnerRun{First: o.First, Last: o.Last, Shard: o.Shard})
	}
	return out, errors.Join(errs...)
}

// fields gives errors of package routing, which begin with "field: ", the paths of their fields.
func fields(err error) error {
	if err == nil {
		return nil
	}
	var errs []error
	for line := range strings.SplitSeq(err.Error(), "\n") {
		path, problem, _ := strings.Cut(line, ": ")
		if !strings.HasPrefix(path, "shards") && !strings.HasPrefix(path, "placement") {
			path, problem = "", line // of the document that would be made
		}
		errs = append(errs, strictyaml.Wrong(path, "%s", problem))
	}
	return errors.Join(errs...)
}

// Shards is their number, or a list of names or of shards with all they have. The zero value is none.
type Shards struct {
	N    int
	List []routing.Shard
}

func (s *Shards) given() bool { return s.N > 0 || len(s.List) > 0 }

// Shard is one entry of a list of shards. In YAML a plain word is its name.
type Shard struct {
	Name          string       `yaml:"name"`
	Role          routing.Role `yaml:"role"`           // serving (if absent), dedicated, spare, draining
	Capacity      float64      `yaml:"capacity"`       // load/s; 0 = the fleet's
	ReadCapacity  float64      `yaml:"read_capacity"`  // load/s
	WriteCapacity float64      `yaml:"write_capacity"` // load/s
}

// UnmarshalYAML reads a name or a mapping.
func (s *Shard) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&s.Name) == nil {
		return nil
	}
	type plain Shard
	return unmarshal((*plain)(s))
}

// UnmarshalYAML reads a number or a list.
func (s *Shards) UnmarshalYAML(unmarshal func(any) error) error {
	var n int
	if unmarshal(&n) == nil {
		if n < 1 || n > routing.MaxShards {
			return fmt.Errorf("%d: want 1 to %d", n, routing.MaxShards)
		}
		*s = Shards{N: n}
		return nil
	}
	var list []Shard
	if err := unmarshal(&list); err != nil {
		return err
	}
	out := Shards{}
	for _, l := range list {
		if l.Role == routing.RoleUnknown {
			l.Role = routing.Serving
		}
		out.List = append(out.List, routing.Shard{
			Name: l.Name, Role: l.Role, Capacity: l.Capacity, ReadCapacity: l.ReadCapacity, WriteCapacity: l.WriteCapacity,
		})
	}
	*s = out
	return nil
}
