package sketch

// None is the VShard or Shard of an event that has none.
const None = -1

// Event is one record as it is counted. The byte slices are read during Add only.
type Event struct {
	Pane   int64  // number of the pane: event time divided by the pane's length
	VShard int32  // None = in no virtual shard: counted in the lists only
	Shard  int32  // owner of the vshard when it was counted; None = no pair is counted
	Key    []byte // identity of the key; nil = none. An identity must always come with the same VShard
	Tenant []byte // nil = none
	Caller []byte // nil = none
	// KeySums is what Key is counted with where that differs from Sums (a read that fanned out over the pieces of a
	// salted key); nil = Sums.
	KeySums *Sums
	// SoleTenant says that Key has no other tenant, so that its dominant one needs no counting.
	SoleTenant bool
	Sums       Sums
}

// Cell is what one pane holds of a name.
type Cell struct {
	Pane int64
	Sums Sums
}

// Listed is a heavy key, tenant or (tenant, shard) pair.
type Listed struct {
	Name        string // identity of the key, or the tenant
	VShard      int32  // of a key
	Shard       int32  // of a pair
	Cells       []Cell // complete panes with traffic, ascending
	Tenant      string // of a key: the tenant that sent most of it, if tenants are counted
	TenantShare float64
	Caller      string // that sent most of it, if callers are logged
	CallerShare float64
	Low, High   uint64 // bounds of Cost over the long window; equal, or both 0, where Cells are exact

	slot   int32
	weight uint64 // Cost over the long window
}

// VShardSums is the traffic of one virtual shard in one pane.
type VShardSums struct {
	VShard int32
	Sums   Sums
}

// PaneSums is one complete pane with traffic.
type PaneSums struct {
	Pane    int64
	Version uint64       // changes when a late record changed the pane
	VShards []VShardSums // ascending
}

// Window is the complete panes of a counter. Its slices are valid until the next call on the counter.
type Window struct {
	Panes    []PaneSums // those with traffic, ascending
	Keys     []Listed   // heaviest first by Cost over the long window, ties by name
	Tenants  []Listed
	Pairs    []Listed
	Distinct Distinct
}

// Distinct counts names in complete panes of the window and in those still open.
type Distinct struct {
	Keys, Tenants, Callers int
}
