package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/pipeline"
	"firebreak/policy"
	"firebreak/routing"
)

// setup is one fleet as a story declares it.
type setup struct {
	name     string
	doc      *routing.Document // nil = no placement
	pipeline pipeline.Config
	warmup   time.Duration
	judge    policy.Config
	without  []string // members that the log leaves out: tenant, op, key, time
	named    bool     // the log names the shard, whatever the placement
	drawn    bool     // counts are drawn, not rounded expectations
	seed     uint64
	streams  []streamSpec
}

// parseStory reads the lines of a story directive, and of any line says which one is wrong.
func parseStory(input string) ([]*setup, error) {
	var fleets []*setup
	var errs []error
	for i, line := range strings.Split(input, "\n") {
		name, list, err := ParseLine(line)
		if err != nil || name == "" || strings.HasPrefix(name, "#") {
			errs = append(errs, err)
			continue
		}
		a := newArgs(fmt.Sprintf("story line %d: %s", i+1, name), list)
		switch {
		case name == "fleet":
			fleets = append(fleets, parseFleet(a))
		case len(fleets) == 0:
			a.bad("the first line is a fleet")
		default:
			owner := fleets[len(fleets)-1]
			if of := a.word("fleet", owner.name); of != owner.name {
				at := slices.IndexFunc(fleets, func(f *setup) bool { return f.name == of })
				if at < 0 {
					a.bad("no fleet %q", of)
					at = 0
				}
				owner = fleets[at]
			}
			owner.parse(name, a)
		}
		errs = append(errs, a.done())
	}
	if len(fleets) == 0 {
		errs = append(errs, errors.New("a story has at least one fleet"))
	}
	return fleets, errors.Join(errs...)
}

// parseFleet reads the line that begins a fleet.
func parseFleet(a *args) *setup {
	s := &setup{name: a.name("fleet"), judge: policy.Default()}
	s.pipeline = pipeline.DefaultConfig(s.name)
	s.warmup = a.duration("warmup", time.Minute)
	s.pipeline.Pane = a.duration("pane", s.pipeline.Pane)
	s.pipeline.Whole = a.flag("whole")
	if rate := a.sample("default_rate"); rate > 0 {
		s.pipeline.Rate = rate
	}
	s.pipeline.LogPoint = policy.LogPointClient
	if text := a.word("log", ""); text != "" {
		if err := s.pipeline.LogPoint.UnmarshalText([]byte(text)); err != nil {
			a.bad("log: %w", err)
		}
	}
	if text := a.word("sampling", ""); text != "" {
		if err := s.pipeline.Sampling.UnmarshalText([]byte(text)); err != nil {
			a.bad("sampling: %w", err)
		}
	}
	if text := a.word("mode", ""); text != "" {
		if err := s.judge.Mode.UnmarshalText([]byte(text)); err != nil {
			a.bad("%w", err)
		}
	}
	s.judge.Approvers = a.words("approvers")
	s.judge.Capacity = policy.Capacity{Total: a.rate("capacity"), Reads: a.rate("reads"), Writes: a.rate("writes")}
	s.without = a.words("without")
	s.named = a.flag("named")
	s.adopt(a)
	return s
}

// adopt makes the fleet's document of its shards and placement.
func (s *setup) adopt(a *args) {
	shards := routing.NumberedShards(a.integer("shards", 16))
	for _, extra := range []struct {
		name string
		role routing.Role
	}{{"dedicated", routing.Dedicated}, {"spare", routing.Spare}} {
		for i := range a.integer(extra.name, 0) {
			shards = append(shards, routing.Shard{Name: fmt.Sprintf("%s-%d", extra.name, i), Role: extra.role})
		}
	}
	p := routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}
	if text := a.word("hash", ""); text != "" {
		if err := p.Function.UnmarshalText([]byte(text)); err != nil {
			a.bad("hash: %w", err)
		}
	}
	if place := a.words("place"); len(place) > 0 {
		p.Bytes = strings.Join(place, ",")
	}
	if bounds := a.words("bounds"); len(bounds) > 0 {
		p.Function, p.Map = routing.Identity, routing.Ranges
		for _, b := range bounds {
			p.Bounds = append(p.Bounds, []byte(b))
		}
	}
	switch p.Bytes {
	case "none":
		return
	case "explicit":
		p = routing.Placement{Map: routing.Explicit}
		s.named = true
	}
	doc, err := routing.Adopt(s.name, p, shards)
	if err != nil {
		a.bad("%w", err)
		return
	}
	s.doc = doc
}

// parse reads any other line of a fleet.
func (s *setup) parse(name string, a *args) {
	switch name {
	case "key", "tenant", "volume":
		s.streams = append(s.streams, parseStream(name, a))
	case "draw":
		how := a.name("exact")
		if s.drawn = how == "poisson"; !s.drawn && how != "exact" {
			a.bad("%q: want exact or poisson", how)
		}
		s.seed = uint64(a.integer("seed", 1))
	case "space":
		s.judge.KeySpaces = append(s.judge.KeySpaces, policy.KeySpace{
			Prefix: a.word("prefix", ""), Tenant: a.word("tenant", ""), Merge: a.word("merge", ""), Staleness: a.duration("staleness", 0),
		})
	case "window":
		s.judge.Windows = append(s.judge.Windows, policy.Window{Days: a.words("days"), From: a.word("from", ""), To: a.word("to", "")})
	case "pin":
		p := &s.judge.Pinned
		for key, into := range map[string]*[]string{"key": &p.Keys, "tenant": &p.Tenants, "shard": &p.Shards} {
			*into = append(*into, a.words(key)...)
		}
	case "mode":
		s.parseMode(a)
	case "limit":
		s.judge.PerHour = a.integer("per_hour", s.judge.PerHour)
		s.judge.AtOnce = a.integer("at_once", s.judge.AtOnce)
		s.judge.MovedAtMost = a.share("moved", s.judge.MovedAtMost)
	default:
		s.parseDocument(name, a)
	}
}

// parseMode reads "mode salt auto".
func (s *setup) parseMode(a *args) {
	var fix policy.Fix
	var mode policy.Mode
	if err := errors.Join(fix.UnmarshalText([]byte(a.name(""))), mode.UnmarshalText([]byte(a.second()))); err != nil {
		a.bad("%w", err)
	}
	if s.judge.Modes == nil {
		s.judge.Modes = map[policy.Fix]policy.Mode{}
	}
	s.judge.Modes[fix] = mode
}

// parseDocument reads the lines that change the document.
func (s *setup) parseDocument(name string, a *args) {
	if s.doc == nil {
		a.bad("a fleet without a placement has no document, or the line is not known")
		return
	}
	switch name {
	case "shard":
		shard := s.shard(a.name(""), a)
		shard.Capacity = number(a, "capacity", shard.Capacity, parseRate)
		if role := a.word("role", ""); role != "" {
			if err := shard.Role.UnmarshalText([]byte(role)); err != nil {
				a.bad("%w", err)
			}
		}
	case "salt":
		salt := routing.Salt{Key: a.name(""), Tenant: a.word("tenant", ""), Suffixes: []uint32{0}}
		for _, text := range a.words("suffixes") {
			salt.Suffixes = append(salt.Suffixes, uint32(number(newArgs(a.what, []Arg{{"suffix", []string{text}}}), "suffix", 0, parseRate)))
		}
		salt.Read, salt.Write = len(salt.Suffixes), len(salt.Suffixes)
		s.doc.Salts = append(s.doc.Salts, salt)
	case "placed":
		placed := routing.TenantPlacement{Tenant: a.name("")}
		for _, shard := range a.words("shards") {
			placed.Shards = append(placed.Shards, shardID(s.doc, shard, a))
		}
		s.doc.Tenants = append(s.doc.Tenants, placed)
	case "quota":
		s.doc.Quotas = append(s.doc.Quotas, routing.Quota{Tenant: a.name(""), Rate: a.rate("rate")})
	default:
		a.bad("no such line")
	}
}

func (s *setup) shard(name string, a *args) *routing.Shard {
	if id := shardID(s.doc, name, a); id >= 0 {
		return &s.doc.Shards[id]
	}
	return &routing.Shard{}
}

// shardID finds a shard by its name, or by a bare number where they are numbered.
func shardID(doc *routing.Document, name string, a *args) routing.ShardID {
	for i := range doc.Shards {
		if doc.Shards[i].Name == name || doc.Shards[i].Name == "shard-"+name {
			return routing.ShardID(i)
		}
	}
	a.bad("no shard %q", name)
	return routing.NoShard
}
