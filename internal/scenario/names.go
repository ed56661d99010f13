package scenario

import (
	"fmt"
	"slices"
	"strconv"

	"firebreak/routing"
)

// named is one key with its tenant, and where it falls.
type named struct {
	tenant, key string
	shard       routing.ShardID
}

// maxTries bounds the search for names that fall where the story wants them.
const maxTries = 4_000_000

// names finds names for the stream's keys that fall on the shards as the story says.
func (s *streamSpec) names(table *routing.Table) ([]named, error) {
	p := picker{s: s, table: table, want: routing.NoShard, vshard: routing.NoVShard, got: map[routing.ShardID]int{}}
	if table != nil {
		if err := p.aim(); err != nil {
			return nil, err
		}
	}
	for try := 0; len(p.out) < s.keys; try++ {
		if try == maxTries {
			return nil, fmt.Errorf("%s %s: %d of %d keys fall where they should", s.kind, s.name, len(p.out), s.keys)
		}
		p.try(try)
	}
	return p.out, nil
}

type picker struct {
	s       *streamSpec
	table   *routing.Table
	want    routing.ShardID // NoShard: anywhere
	vshard  routing.VShard  // NoVShard: any
	quota   int             // most keys of one shard; 0 = any number
	serving []routing.ShardID
	got     map[routing.ShardID]int
	out     []named
}

// aim finds what the names must fall on.
func (p *picker) aim() error {
	doc := p.table.Document()
	for i, shard := range doc.Shards {
		if shard.Role == routing.Serving {
			p.serving = append(p.serving, routing.ShardID(i))
		}
	}
	if p.s.shard != "" {
		a := newArgs(p.s.kind+" "+p.s.name, nil)
		p.want = shardID(doc, p.s.shard, a)
		return a.done()
	}
	if p.s.zipf == 0 && p.s.keys > 1 && !p.s.vshard && doc.Placement.Map != routing.Ranges {
		p.quota = (p.s.keys + len(p.serving) - 1) / len(p.serving)
	}
	return nil
}

// try takes the next candidate if it falls where it should.
func (p *picker) try(try int) {
	n := named{tenant: p.tenant(try), key: p.s.name, shard: routing.NoShard}
	if p.s.keys > 1 || p.s.kind == "tenant" || try > 0 && !p.byTenant() {
		n.key = p.s.name + "-" + strconv.Itoa(try+1)
	}
	if p.table != nil && !p.falls(&n) {
		return
	}
	p.got[n.shard]++
	p.out = append(p.out, n)
}

// byTenant says that only the tenant decides where a key falls.
func (p *picker) byTenant() bool { return p.table != nil && !p.table.SeparatesKeys() }

// tenant of a candidate. Without a tenant in the story every key of a volume is a tenant's only one.
func (p *picker) tenant(try int) string {
	switch {
	case p.s.tenant != "" && p.byTenant() && p.s.shard != "" && len(p.out) == 0 && try > 0:
		return p.s.tenant + "-" + strconv.Itoa(try)
	case p.s.tenant != "" && p.byTenant() && len(p.out) > 0:
		return p.out[0].tenant
	case p.s.tenant != "":
		return p.s.tenant
	case p.s.tenants > 0:
		return p.s.name + "-" + strconv.Itoa(1+try%p.s.tenants)
	case p.s.keys == 1 && (try == 0 || !p.byTenant()):
		return "of-" + p.s.name
	}
	return p.s.name + "-" + strconv.Itoa(try+1)
}

func (p *picker) falls(n *named) bool {
	at := p.table.Locate([]byte(n.tenant), []byte(n.key))
	if n.shard = at.Shard; n.shard == routing.NoShard {
		n.shard = p.want
		if p.want == routing.NoShard {
			n.shard = p.serving[len(p.out)%len(p.serving)]
		}
		return true
	}
	if _, placed := p.table.PlacedTenant([]byte(n.tenant)); placed {
		return true
	}
	switch {
	case p.want != routing.NoShard && n.shard != p.want:
		return false
	case p.quota > 0 && p.got[n.shard] >= p.quota && !p.mate(n):
		return false
	case p.s.vshard && p.vshard == routing.NoVShard:
		p.vshard = at.VShard
	case p.s.vshard && p.vshard != at.VShard:
		return false
	}
	return true
}

// mate says that a key falls with its tenant, which was taken before.
func (p *picker) mate(n *named) bool {
	return p.byTenant() && slices.ContainsFunc(p.out, func(o named) bool { return o.tenant == n.tenant })
}
