package quality

import (
	"fmt"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// Pane is the length of a pane.
const Pane = 10 * time.Second

// Kind says what was planted in a fleet. What is true of it follows from the rates, not from the kind.
type Kind uint8

// The kinds.
const (
	KindCalm        Kind = iota // nothing planted, no key or tenant heavier than 0.01 to 0.15 x a shard's mean
	KindNatural                 // nothing planted, Zipf uncut: its heavy keys and tenants make shards hot from the start
	KindEvenlyHot               // nothing planted, the mean itself is near the line of the capacity
	KindVolume                  // one shard's many small keys are busier, or it has more of them
	KindWrittenKey              // one key, at most 10 % reads
	KindReadKey                 // one key, at least 90 % reads
	KindMixedKey                // one key, 10-90 % reads
	KindWhale                   // one tenant with many keys on the shard
	KindWhaleKey                // one tenant, most of it one key
	KindSeveral                 // two to four keys or tenants
	KindWarmKeys                // four to twelve keys, each under the target
	KindHeavyVShard             // many small tenants on one virtual shard; placement by tenant only
)

func kindNames() [12]string {
	return [12]string{
		"calm", "natural", "evenly_hot", "volume", "written_key", "read_key", "mixed_key", "whale", "whale_key",
		"several", "warm_keys", "heavy_vshard",
	}
}

// String returns the kind's one spelling.
func (k Kind) String() string {
	if names := kindNames(); int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// planted says whether the kind makes one shard hot on purpose.
func (k Kind) planted() bool { return k >= KindVolume }

// Key is one key of a fleet with its exact rates.
type Key struct {
	Name   string
	Tenant int32 // index into Fleet.Tenants
	VShard routing.VShard
	Before float64 // requests/s until the onset
	After  float64 // requests/s from it on; the same as Before where nothing changes
	Reads  float64 // share of its requests that are reads
	Called bool    // Fleet.Caller sends Fleet.CallerShare of it
}

// Header is what a fleet was drawn as.
type Header struct {
	Seed        uint64
	Kind        Kind
	Shards      int
	Placement   string          // "key xxh64 mod-n", "explicit"
	Capacity    float64         // of each shard, requests/s; 0 = the line is a multiple of the mean
	Samples     float64         // records/s a shard that the log has, before anything was planted
	ZipfKeys    float64         // exponent over keys
	ZipfTenants float64         // exponent over tenants
	Reads       float64         // share of reads of all keys that were not planted
	Rate        float64         // probability with which a request is logged
	Clump       int             // requests of one key that arrive together
	ByTrace     bool            // all requests of a clump are logged, or none
	Callers     bool            // the log names callers
	Caller      string          // the one that sends much of what was planted; empty = there is none
	CallerShare float64         // of the keys that are Called
	Planted     routing.ShardID // the shard that something was planted on; NoShard where nothing was
	Onset       time.Duration   // since the start of the first pane; 0 = from the start
	Panes       int             // complete panes that are drawn
}

// Fleet is a sharded store with all its keys. Its fields are not to be changed once Draw returned it.
type Fleet struct {
	Header
	Table   *routing.Table
	Keys    []Key
	Tenants []string

	exact *Exact
}

// Config is what the policy judges the fleet by: the defaults and the fleet's capacity.
func (f *Header) Config() policy.Config {
	cfg := policy.Default()
	cfg.Capacity.Total = f.Capacity
	return cfg
}

// DesignEffect is the variance of counted requests over that of independent ones: E[j^2] / E[j] of the logged size j of
// a clump. Sampling by trace keeps the clump; independent sampling thins it, to rate x clump + 1 - rate.
func (f *Header) DesignEffect() float64 {
	if f.ByTrace {
		return float64(f.Clump)
	}
	return f.Rate*float64(f.Clump-1) + 1
}

// shardOf is where the key lies.
func (f *Fleet) shardOf(k *Key) routing.ShardID { return f.Table.Owner(k.VShard) }

// place is the virtual shard of a name; home names the shard where the log does, and is ignored otherwise.
func (f *Fleet) place(home routing.ShardID, tenant, key string) routing.VShard {
	if f.Table.Document().Placement.Map == routing.Explicit {
		return f.Table.ExplicitVShard(home, []byte(tenant), []byte(key))
	}
	return f.Table.VShard([]byte(tenant), []byte(key))
}

// identifiesTenant says whether keys of the same name under two tenants are two keys: where the tenant is hashed, and
// where the log names the shard.
func (f *Fleet) identifiesTenant() bool { return f.Table.Document().Placement.IdentifiesTenant() }
