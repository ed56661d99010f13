package line

// Summary is the last line of a fleet: what was read of its log and what was said about it.
type Summary struct {
	Head

	From           Stamp             `json:"from,omitzero"`
	To             Stamp             `json:"to,omitzero"`
	Lines          uint64            `json:"lines"`
	Records        uint64            `json:"records"`
	Counted        uint64            `json:"counted"`
	Requests       Number            `json:"requests"`
	Refused        map[string]uint64 `json:"refused"` // lines by reason
	Late           uint64            `json:"late"`
	Future         uint64            `json:"future"`
	Untimed        uint64            `json:"untimed"`
	Unplaced       uint64            `json:"unplaced"`
	Unrated        uint64            `json:"unrated"`
	OutsideCut     uint64            `json:"outside_cut"`
	Ticks          int               `json:"ticks"`
	Verdicts       map[string]int    `json:"verdicts"` // hotspots by cause
	Unresolved     int               `json:"unresolved"`
	Holds          map[string]int    `json:"holds"` // ticks by reason
	DetectionDelay *Delay            `json:"detection_delay,omitempty"`
	Detectable     *Detectable       `json:"detectable,omitempty"`
	Missing        []Prose           `json:"missing"`
	Findings       []Finding         `json:"findings"`
	Counting       Counting          `json:"counting"`
	Window         *Board            `json:"window,omitempty"`
	Asked          []Answer          `json:"asked,omitempty"`
}

// Delay is the distribution of the time from onset to verdict, in seconds.
type Delay struct {
	P50 Number `json:"p50"`
	P95 Number `json:"p95"`
	Max Number `json:"max"`
}

// Detectable is what a log of this traffic can promise.
type Detectable struct {
	Line        Number  `json:"line"`                   // as a multiple of the mean
	Samples     Number  `json:"samples"`                // effective samples a minute on a shard at the line
	OneMinute   *Number `json:"one_minute,omitempty"`   // as a multiple of the line; nil = nothing
	FiveMinutes *Number `json:"five_minutes,omitempty"` // the same
}

// Finding is something true that nobody needs to be woken for.
type Finding struct {
	Shard  Name  `json:"shard"`
	Reason Prose `json:"reason"`
}

// Counting says how the log was counted.
type Counting struct {
	Bytes int    `json:"bytes"`
	Exact *Exact `json:"exact,omitempty"`
}

// Exact is what was measured beside exact counting, over the windows of all ticks.
type Exact struct {
	Windows   int    `json:"windows"`
	Recall    Number `json:"recall"`
	MeanError Number `json:"mean_error"`
	MaxError  Number `json:"max_error"`
	Broken    int    `json:"bounds_broken"`
}

// Board ranks the heaviest keys and tenants of the last window. Load is a sum, not a rate.
type Board struct {
	From            Stamp  `json:"from,omitzero"`
	To              Stamp  `json:"to,omitzero"`
	Load            Number `json:"load"`
	DistinctKeys    int    `json:"distinct_keys"`
	DistinctTenants int    `json:"distinct_tenants"`
	TopKeys         []Rank `json:"top_keys"`
	TopTenants      []Rank `json:"top_tenants"`
}

// Rank is one key or tenant of a board.
type Rank struct {
	Key         Name   `json:"key,omitempty"`
	Tenant      Name   `json:"tenant"`
	TenantShare Number `json:"tenant_share,omitempty"`
	Load        Number `json:"load"`
	Low         Number `json:"low"`
	High        Number `json:"high"`
	Share       Number `json:"share"`
}

// Answer is what one key or tenant had in the last window.
type Answer struct {
	Key      Name   `json:"key,omitempty"`
	Tenant   Name   `json:"tenant,omitempty"`
	Estimate Number `json:"estimate"`
	Low      Number `json:"low"`
	High     Number `json:"high"`
}
