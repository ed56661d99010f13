package quality

import (
	"strconv"

	"firebreak/routing"
)

// planter adds a hotspot to one shard.
type planter struct {
	f     *Fleet
	s     source
	shard routing.ShardID
	names int     // handed out so far
	extra float64 // requests/s to add on the shard
}

// plantHotspot brings one shard to about ratio times its line in the way of the fleet's kind.
func (f *Fleet) plantHotspot(s source, ratio float64) {
	f.drawOnset(s)
	f.Planted = f.anyShard(s)
	f.Callers = s.chance(0.5)
	if f.Callers && s.chance(2*withCaller) {
		f.Caller, f.CallerShare = "batch", s.between(0.2, 0.9)
	}
	p := &planter{f: f, s: s, shard: f.Planted}
	p.extra = f.excess(p.shard, ratio)
	switch f.Kind {
	case KindVolume:
		p.volume()
	case KindWrittenKey:
		p.key(p.extra, s.between(0, 0.1))
	case KindReadKey:
		p.key(p.extra, s.between(0.9, 1))
	case KindMixedKey:
		p.key(p.extra, s.between(0.1, 0.9))
	case KindWhale:
		p.whale(p.extra, 0)
	case KindWhaleKey:
		p.whale(p.extra, s.between(0.4, 0.9))
	case KindSeveral:
		p.several()
	case KindWarmKeys:
		p.warmKeys()
	case KindHeavyVShard:
		p.heavyVShard()
	case KindCalm, KindNatural, KindEvenlyHot:
	}
}

// add appends a key that carries load from the onset on.
func (p *planter) add(k Key, load float64) {
	k.After = load
	if p.f.Onset == 0 {
		k.Before = load
	}
	p.f.Keys = append(p.f.Keys, k)
}

// tenant adds a tenant of that name.
func (p *planter) tenant(name string) int32 {
	p.f.Tenants = append(p.f.Tenants, name)
	return int32(len(p.f.Tenants) - 1)
}

// home says whether a virtual shard is the planted shard's.
func (p *planter) home(v routing.VShard) bool { return p.f.Table.Owner(v) == p.shard }

// seekKey returns a key name of the tenant that lies on a wanted virtual shard. Where the placement hashes the tenant
// alone every key does or none.
func (p *planter) seekKey(prefix string, tenant int32, wanted func(routing.VShard) bool) (string, routing.VShard) {
	for {
		name := prefix + strconv.Itoa(p.names)
		p.names++
		v := p.f.place(p.shard, p.f.Tenants[tenant], name)
		if p.f.byTenant() || wanted(v) {
			return name, v
		}
	}
}

// seekTenant adds a tenant; where placement is by tenant, one that lies on a wanted virtual shard.
func (p *planter) seekTenant(prefix string, wanted func(routing.VShard) bool) int32 {
	for {
		name := prefix + strconv.Itoa(p.names)
		p.names++
		if !p.f.byTenant() || wanted(p.f.place(p.shard, name, "")) {
			return p.tenant(name)
		}
	}
}

// key adds one key of that load and share of reads, of a tenant with nothing else.
func (p *planter) key(load, reads float64) {
	t := p.seekTenant("owner-", p.home)
	name, v := p.seekKey("hot-", t, p.home)
	p.add(Key{Name: name, Tenant: t, VShard: v, Reads: reads, Called: p.f.Caller != ""}, load)
}

// volume makes the small keys of the shard busier; where they carry too little for that, it adds new small ones.
func (p *planter) volume() {
	f := p.f
	small := 0.02 * f.sum(func(k *Key) float64 { return k.After }).Total / float64(f.Shards)
	var has float64
	for i := range f.Keys {
		if k := &f.Keys[i]; p.home(k.VShard) && k.After < small {
			has += k.After
		}
	}
	if has <= 0 || p.extra > 8*has {
		p.smallKeys(400, p.home)
		return
	}
	for i := range f.Keys {
		k := &f.Keys[i]
		if !p.home(k.VShard) || k.After >= small {
			continue
		}
		k.After *= 1 + p.extra/has
		if f.Onset == 0 {
			k.Before = k.After
		}
	}
}

// smallKeys adds n keys on wanted virtual shards, each with a tenant of its own where placement is by tenant.
func (p *planter) smallKeys(n int, wanted func(routing.VShard) bool) {
	for _, part := range p.s.shares(n) {
		var t int32
		if p.f.byTenant() {
			t = p.seekTenant("small-", wanted)
		} else {
			t = int32(p.s.IntN(len(p.f.Tenants)))
		}
		name, v := p.seekKey("new-", t, wanted)
		p.add(Key{Name: name, Tenant: t, VShard: v, Reads: p.f.Reads}, part*p.extra)
	}
}

// heavyVShard adds small tenants to one virtual shard.
func (p *planter) heavyVShard() {
	var own []routing.VShard
	for v := range routing.VShard(p.f.Table.VShards()) {
		if p.home(v) {
			own = append(own, v)
		}
	}
	chosen := own[p.s.IntN(len(own))]
	p.smallKeys(p.s.logInt(20, 60), func(v routing.VShard) bool { return v == chosen })
}

// whale adds one tenant with 30 to 300 keys on the shard, of which one may dominate; where placement separates keys, a
// third of the whales have keys elsewhere too.
func (p *planter) whale(load, dominant float64) {
	t := p.seekTenant("whale-", p.home)
	called := p.f.Caller != ""
	if dominant > 0 {
		name, v := p.seekKey("big-", t, p.home)
		p.add(Key{Name: name, Tenant: t, VShard: v, Reads: p.s.Float64(), Called: called}, dominant*load)
	}
	for _, part := range p.s.shares(p.s.logInt(30, 300)) {
		name, v := p.seekKey("many-", t, p.home)
		p.add(Key{Name: name, Tenant: t, VShard: v, Reads: p.f.Reads, Called: called}, part*(1-dominant)*load)
	}
	if p.f.byTenant() || !p.s.chance(0.33) {
		return
	}
	elsewhere := load * p.s.between(0.1, 0.5)
	for _, part := range p.s.shares(50) {
		name := "spread-" + strconv.Itoa(p.names)
		p.names++
		v := p.f.place(p.f.anyShard(p.s), p.f.Tenants[t], name)
		p.add(Key{Name: name, Tenant: t, VShard: v, Reads: p.f.Reads, Called: called}, part*elsewhere)
	}
}

// several adds two to four contributors, keys and tenants mixed.
func (p *planter) several() {
	for _, part := range p.s.shares(2 + p.s.IntN(3)) {
		if p.s.chance(0.3) {
			p.whale(part*p.extra, 0)
		} else {
			p.key(part*p.extra, p.s.Float64())
		}
	}
}

// warmKeys adds four to twelve keys.
func (p *planter) warmKeys() {
	for _, part := range p.s.shares(4 + p.s.IntN(9)) {
		p.key(part*p.extra, p.s.Float64())
	}
}
