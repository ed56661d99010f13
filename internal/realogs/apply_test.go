package realogs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"firebreak/routing"
)

// opTable says what an op of the logs is: read, write or unknown. It is written down from the logs' own documentation.
type opTable func(r *request) string

func builtinOps(r *request) string {
	switch r.op {
	case "GET", "GET_LEASE", "HEAD", "OPTIONS", "read":
		return "read"
	case "SET", "SET_LEASE", "DELETE", "POST", "write":
		return "write"
	default:
		return "unknown"
	}
}

// outcome is what a plan makes of the exact loads.
type outcome struct {
	hot   float64 // the hot shard's load afterwards, x target
	worst float64 // highest load of the hot shard and of those that gained, x target; dedicated shards may run hot
	at    string
	err   error // the plan cannot be carried out
}

func (o outcome) meets() bool { return o.err == nil && o.worst <= 1+1e-9 }

// applied carries out a plan on the records and counts every shard again.
func (e *exact) applied(hot int, steps []step, ops opTable) outcome {
	doc := e.table.Document().Clone()
	cached := map[thing]bool{}
	left := map[string]float64{} // tenants under a quota: what it lets through
	for i := range steps {
		if err := e.lay(doc, &steps[i], cached, left); err != nil {
			return outcome{err: err}
		}
	}
	doc.Normalize()
	doc.Version++
	table, err := routing.NewTable(doc)
	if err != nil {
		return outcome{err: err}
	}
	loads := make([]float64, len(doc.Shards))
	for i := range e.log {
		e.place(table, &e.log[i], ops(&e.log[i]), cached, left, loads)
	}
	return e.compare(hot, doc, loads)
}

// compare looks at the hot shard and at every shard that gained.
func (e *exact) compare(hot int, doc *routing.Document, loads []float64) outcome {
	o := outcome{hot: loads[hot] / e.line()}
	for i, load := range loads {
		had := 0.0
		if i < shards {
			had = e.loads[i]
		}
		if i != hot && load <= had || doc.Shards[i].Role == routing.Dedicated {
			continue
		}
		if ratio := load / e.line(); ratio > o.worst {
			o.worst, o.at = ratio, doc.Shards[i].Name
		}
	}
	return o
}

// lay writes one step into the document.
func (e *exact) lay(doc *routing.Document, s *step, cached map[thing]bool, left map[string]float64) error {
	switch s.Kind {
	case "move":
	case "cache":
		cached[e.identity(s.Key, s.Tenant)] = true
	case "salt":
		id := e.identity(s.Key, s.Tenant)
		n := len(s.Suffixes)
		doc.Salts = append(doc.Salts, routing.Salt{Tenant: id.tenant, Key: id.key, Suffixes: s.Suffixes, Read: n, Write: n})
	case "place_tenant":
		doc.Tenants = append(doc.Tenants, routing.TenantPlacement{Tenant: s.Tenant, Shards: shardIDs(doc, s.Shards, routing.Dedicated)})
		delete(left, s.Tenant)
	case "place_key":
		shardIDs(doc, s.Shards, routing.Dedicated)
	case "add_shards":
		shardIDs(doc, s.Shards, routing.Serving)
	case "quota":
		left[s.Tenant] = e.passes(s.Tenant, s.Rate)
	default:
		return fmt.Errorf("no record can be placed after a step %q", s.Kind)
	}
	return layMoves(doc, s)
}

func layMoves(doc *routing.Document, s *step) error {
	for _, m := range s.Moves {
		to := shardNamed(doc, m.To)
		if m.To == "" && len(doc.Shards) == shards+1 {
			to = shards // the one shard that the plan adds
		}
		if to < 0 {
			return fmt.Errorf("moves virtual shard %d to %q: no such shard", m.VShard, m.To)
		}
		doc.Moves = slices.DeleteFunc(doc.Moves, func(o routing.Move) bool { return o.VShard == m.VShard })
		doc.Moves = append(doc.Moves, routing.Move{VShard: m.VShard, To: to})
	}
	return nil
}

func (e *exact) identity(key, tenant string) thing {
	if e.by == "tenant" {
		return thing{key: key, tenant: tenant}
	}
	return thing{key: key}
}

func shardNamed(doc *routing.Document, name string) routing.ShardID {
	return routing.ShardID(slices.IndexFunc(doc.Shards, func(s routing.Shard) bool { return s.Name == name }))
}

// shardIDs finds shards by name, adding those that are new.
func shardIDs(doc *routing.Document, names []string, role routing.Role) []routing.ShardID {
	var out []routing.ShardID
	for _, name := range names {
		id := shardNamed(doc, name)
		if id < 0 {
			id = routing.ShardID(len(doc.Shards))
			doc.Shards = append(doc.Shards, routing.Shard{Name: name})
		}
		if id >= shards {
			doc.Shards[id].Role = role
		}
		out = append(out, id)
	}
	return out
}

// passes is the share of a tenant's requests that a quota of rate requests/s lets through.
func (e *exact) passes(tenant string, rate float64) float64 {
	first, last := bounds(e.log)
	seconds := float64(last-first)/1000 + 1
	var load float64
	for _, r := range e.log {
		if r.tenant == tenant {
			load += r.count
		}
	}
	return min(1, rate*seconds/max(load, 1e-9))
}

// place adds one request to the shards that bear it: a write goes to one piece of a salted key, at random, a read (or
// what may be one) to all of them; a cached read goes nowhere.
func (e *exact) place(table *routing.Table, r *request, op string, cached map[thing]bool, left map[string]float64, loads []float64) {
	count := r.count
	if part, limited := left[r.tenant]; limited {
		count *= part
	}
	if op == "read" && cached[e.identity(r.key, r.tenant)] {
		return
	}
	pieces := table.Pieces([]byte(r.tenant), []byte(r.key), nil)
	for _, p := range pieces {
		if op == "write" {
			loads[p.Shard] += count / float64(len(pieces))
		} else {
			loads[p.Shard] += count
		}
	}
}

// describe writes a plan in one line.
func describe(steps []step) string {
	var out []string
	for _, s := range steps {
		text := s.Kind
		if name := s.Key + s.Tenant; name != "" && len(name) < 60 {
			text += " " + strconv.Quote(name)
		}
		for i, m := range s.Moves {
			if i == 4 {
				text += fmt.Sprintf(" (%d in all)", len(s.Moves))
				break
			}
			text += fmt.Sprintf(" %d>%s", m.VShard, m.To)
		}
		if len(s.Suffixes) > 0 {
			text += fmt.Sprintf(" x%d", len(s.Suffixes))
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}
