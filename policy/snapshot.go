package policy

import (
	"cmp"
	"slices"
	"time"

	"firebreak/routing"
)

// Sums is what was counted over one pane or window. The zero value is no traffic.
type Sums struct {
	Load      float64 // requests, or cost units where the fleet is weighed by cost
	Variance  float64 // of Load by sampling and arrival: sum of W + W^2 (1 - rate), W = count / rate
	Records   float64 // log lines
	Reads     float64 // the part of Load whose op is a read
	Writes    float64 // the part of Load whose op is a write
	Throttled float64 // the part of Load that was refused or throttled
}

// plus returns the sum of both.
func (s Sums) plus(o Sums) Sums {
	return Sums{
		s.Load + o.Load, s.Variance + o.Variance, s.Records + o.Records,
		s.Reads + o.Reads, s.Writes + o.Writes, s.Throttled + o.Throttled,
	}
}

// less is what is left of s without o, which is a part of it but for rounding.
func (s Sums) less(o Sums) Sums {
	return Sums{
		max(0, s.Load-o.Load), max(0, s.Variance-o.Variance), max(0, s.Records-o.Records),
		max(0, s.Reads-o.Reads), max(0, s.Writes-o.Writes), max(0, s.Throttled-o.Throttled),
	}
}

// scaled returns f times s; the variance scales by f^2.
func (s Sums) scaled(f float64) Sums {
	return Sums{s.Load * f, s.Variance * f * f, s.Records * f, s.Reads * f, s.Writes * f, s.Throttled * f}
}

// part is the share f of s, chosen by what it is: the variance falls with it.
func (s Sums) part(f float64) Sums {
	out := s.scaled(f)
	out.Variance = s.Variance * f
	return out
}

// withoutReads is what is left of s once a cache answers its reads.
func (s Sums) withoutReads() Sums {
	if s.Load <= 0 {
		return s
	}
	out := s.part(max(0, 1-s.Reads/s.Load))
	out.Reads, out.Writes = 0, s.Writes
	return out
}

// LoadIn is the part of the load that dimension d counts.
func (s Sums) LoadIn(d Dimension) float64 {
	switch d {
	case DimensionReads:
		return s.Reads
	case DimensionWrites:
		return s.Writes
	case DimensionTotal:
	}
	return s.Load
}

// in returns what a shard bears of s in dimension d. The variance of a part is
// taken in proportion to its load.
func (s Sums) in(d Dimension) amount {
	if s.Load <= 0 {
		return amount{}
	}
	part := s.LoadIn(d)
	return amount{part, s.Variance * part / s.Load}
}

// VShardSums is one vshard's traffic in one pane.
type VShardSums struct {
	VShard routing.VShard
	Sums
}

// Pane is a stretch of event time that is complete: no more records are expected for it.
type Pane struct {
	Start   time.Time
	VShards []VShardSums // those with traffic, by rising vshard
}

// Contributor is a listed key or tenant: one of the heaviest of the fleet.
type Contributor struct {
	Key         string         // bytes; empty for a tenant
	Tenant      string         // of a key: its dominant tenant, if any
	VShard      routing.VShard // of a key: where its placement bytes hash to
	Hashed      bool           // Key is a prefix and a hash of a longer one
	Panes       []Sums         // as Snapshot.Panes; shorter when older panes hold none of it (aligned at the newest)
	Low, High   float64        // counting bounds of its load over the long window: low <= truth <= high; both 0 = exact
	TenantShare float64        // of a key: the share of its load that Tenant sent
	Caller      string         // dominant caller, if callers are logged
	CallerShare float64        // share of its load that Caller sent
	Pieces      []Piece        // of a key salted already, at log point shard: what each piece carried
}

// Piece is what one physical piece of a salted key carried over the long window.
type Piece struct {
	Suffix uint32
	VShard routing.VShard
	Sums
}

// Pair is the load of a listed tenant on one shard by the map alone, before
// salts and tenant placements.
type Pair struct {
	Tenant      string
	Shard       routing.ShardID
	Panes       []Sums // as in Contributor
	Caller      string
	CallerShare float64
}

// Snapshot is one moment of one fleet as it was counted. Nothing in it is
// changed once it was built; Evaluate may be called on it from any goroutine.
type Snapshot struct {
	Fleet    string
	Table    *routing.Table // in force now; all panes are judged by it
	Routed   time.Time      // when what Table says of places changed last; zero = no change is known
	LogPoint LogPoint
	Pane     time.Duration // length of one pane
	Panes    []Pane        // complete panes, oldest first, without gaps in time; at most the long window
	Whole    bool          // the panes are one window: a whole file judged at once
	Keys     []Contributor
	Tenants  []Contributor
	Pairs    []Pair

	Inputs Inputs // how far the count can be trusted
	World  World  // what came from outside the log
}

// canonical is s with its lists in one order, so that the order in which they
// came decides nothing, not even by rounding.
func (s *Snapshot) canonical() *Snapshot {
	c := *s
	c.Keys, c.Tenants, c.Pairs = slices.Clone(s.Keys), slices.Clone(s.Tenants), slices.Clone(s.Pairs)
	byName := func(a, b Contributor) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Tenant, b.Tenant))
	}
	slices.SortFunc(c.Keys, byName)
	slices.SortFunc(c.Tenants, byName)
	slices.SortFunc(c.Pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Shard, b.Shard))
	})
	return &c
}

// Newest is s with its newest n panes only; a whole file is one window.
func (s *Snapshot) Newest(n int) *Snapshot {
	if s.Whole || n >= len(s.Panes) {
		return s
	}
	c := *s
	c.Panes = s.Panes[len(s.Panes)-n:]
	c.Keys, c.Tenants, c.Pairs = slices.Clone(s.Keys), slices.Clone(s.Tenants), slices.Clone(s.Pairs)
	for _, list := range [][]Contributor{c.Keys, c.Tenants} {
		for i := range list {
			list[i].Panes = list[i].Panes[max(0, len(list[i].Panes)-n):]
		}
	}
	for i := range c.Pairs {
		c.Pairs[i].Panes = c.Pairs[i].Panes[max(0, len(c.Pairs[i].Panes)-n):]
	}
	return &c
}

// Inputs says how far a snapshot can be trusted.
type Inputs struct {
	Coverage    float64       // records counted / (counted + skipped) in the window; 1 = all
	Missing     []string      // log partitions silent for too long
	Lag         time.Duration // now less the end of the newest complete pane, beyond the allowed disorder
	Sampling    Sampling
	Tenants     bool    // the log names tenants
	Ops         bool    // the log names ops
	Keys        bool    // the log names keys
	Callers     bool    // the log names callers
	Shards      bool    // the log names shards
	Disagree    float64 // share of load whose logged shard is not the one the table names; 0 where the log names none
	Unrated     float64 // share of records that lack a rate although the log declares a rate field
	DefaultRate float64 // rate that records without one count with
	LoggedRate  float64 // mean rate of the records that carry one (records / requests); 0 = none does
	Timeless    bool    // the log has no time: loads are shares, not rates
	Histories   []TenantHistory
}

// TenantHistory is the highest 5-minute rate of a tenant over the 7 days before
// now, from which a default quota is drawn.
type TenantHistory struct {
	Tenant string
	Peak   float64 // requests/s
}

// World is what the pipeline knows beside the log: all of it may be empty.
type World struct {
	Health     []Reading
	Unread     []Unread // what is asked for beside Health, and not known
	Operations []Operation
	Clients    Clients
	Approvals  []Approval
	Demand     []Demand
	Budget     Budget
	Operator   OperatorHold
}

// Demand is load that clients kept from the log: what they refused or queued of a tenant, or, with a Key, the reads of
// it that their caches answered. In requests/s; 0 is known to be none.
type Demand struct {
	Tenant string
	Key    string
	Rate   float64
}

// Operation is a fix being carried out, or lately settled.
type Operation struct {
	ID        string
	Hotspot   string
	Fix       Fix
	Shard     routing.ShardID
	Footprint []routing.Entry
	Settled   time.Time // zero while it is open
	NoEffect  bool      // the effect check found none
	Unproved  bool      // nothing independent of the table could say whether it had one
}

// moved lists the virtual shards that an operation moves, or moved so lately that its way back is kept: they stay where they are, so that
// none goes to and fro.
func (w *World) moved() map[routing.Entry]bool {
	out := map[routing.Entry]bool{}
	for i := range w.Operations {
		for _, e := range w.Operations[i].Footprint {
			if e.Kind == routing.EntryVShard {
				out[e] = true
			}
		}
	}
	return out
}

// Clients says who routes by our document.
type Clients struct {
	Routed bool     // at least one client reads the table
	Behind []string // live clients that have not confirmed the current version
}

// Approval is a person's word on one plan.
type Approval struct {
	Plan     string
	By       string
	At       time.Time
	Rejected bool // the word is no
	Reason   string
}

// Budget is what the caps of the fleet have already spent.
type Budget struct {
	LastHour int // operations started in the last hour
	Open     int // operations open now
}

// OperatorHold is a person's or the document's stop.
type OperatorHold struct {
	Stop     bool
	Reason   string
	Hotspots []HeldHotspot // for which nothing is begun
}

// HeldHotspot is a hotspot for which a person wants nothing begun.
type HeldHotspot struct {
	Hotspot, Reason string
}

// Traffic is the end of the newest pane that has a record; zero = none of the window has one.
func (s *Snapshot) Traffic() time.Time {
	for _, p := range slices.Backward(s.Panes) {
		for i := range p.VShards {
			if v := &p.VShards[i]; v.Records > 0 || v.Load > 0 {
				return p.Start.Add(s.Pane)
			}
		}
	}
	return time.Time{}
}
