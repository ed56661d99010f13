package main

// The lines of `replay --output json`, schema 1: docs/replay-json.md is their contract. Members are never renamed and
// never change their meaning within a schema; new ones may be added.

// outputSchema is the version of the contract.
const outputSchema = 1

// head begins every line.
type head struct {
	Type   string `json:"type"`
	Schema int    `json:"schema"`
	Fleet  name   `json:"fleet"`
	Time   stamp  `json:"time,omitzero"`
}

type verdictLine struct {
	head
	Hotspot      name              `json:"hotspot"`
	Phase        string            `json:"phase"`
	Severity     string            `json:"severity"`
	Onset        stamp             `json:"onset"`
	Shard        name              `json:"shard"`
	Placement    prose             `json:"placement"`
	Cause        string            `json:"cause"`
	Key          name              `json:"key"`
	Tenant       name              `json:"tenant"`
	Caller       name              `json:"caller"`
	Contributors []contributorPart `json:"contributors"`
	Load         number            `json:"load"`
	Mean         number            `json:"mean"`
	Imbalance    number            `json:"imbalance"`
	Capacity     number            `json:"capacity"`
	Utilization  number            `json:"utilization"`
	Window       windowPart        `json:"window"`
	Coverage     number            `json:"coverage"`
	LogPoint     string            `json:"log_point"`
	Samples      number            `json:"samples"`
	Share        sharePart         `json:"share"`
	ReadShare    number            `json:"read_share"`
	Missing      []prose           `json:"missing"`
	Fix          string            `json:"fix"`
	Reason       prose             `json:"reason"`
	Projections  []projectionPart  `json:"projections"`
}

type contributorPart struct {
	Cause       string    `json:"cause"`
	Key         name      `json:"key"`
	Tenant      name      `json:"tenant"`
	Caller      name      `json:"caller"`
	CallerShare number    `json:"caller_share"`
	Load        number    `json:"load"`
	Share       sharePart `json:"share"`
	ReadShare   number    `json:"read_share"`
	AboveTarget bool      `json:"above_target"`
}

type windowPart struct {
	From stamp `json:"from"`
	To   stamp `json:"to"`
}

type sharePart struct {
	Value number `json:"value"`
	Low   number `json:"low"`
	High  number `json:"high"`
}

type projectionPart struct {
	Fix               string `json:"fix"`
	Hottest           number `json:"hottest"`
	Utilization       number `json:"utilization"`
	Imbalance         number `json:"imbalance"`
	Feasible          bool   `json:"feasible"`
	ReadMultiplier    number `json:"read_multiplier"`
	KeyReadMultiplier number `json:"key_read_multiplier"`
	Salt              int    `json:"salt"`
	MovedShare        number `json:"moved_share"`
	Rate              number `json:"rate"`
	Why               prose  `json:"why"`
}

type planLine struct {
	head
	Hotspot    name           `json:"hotspot"`
	ID         name           `json:"id"`
	Undo       bool           `json:"undo"`
	Ready      bool           `json:"ready"`
	Steps      []stepPart     `json:"steps"`
	Expires    stamp          `json:"expires"`
	Footprint  []entryPart    `json:"footprint"`
	Projection projectionPart `json:"projection"`
}

type stepPart struct {
	Kind       string     `json:"kind"`
	Key        name       `json:"key"`
	Tenant     name       `json:"tenant"`
	Caller     name       `json:"caller"`
	Moves      []movePart `json:"moves"`
	Suffixes   []uint32   `json:"suffixes"`
	Shards     []name     `json:"shards"`
	Rate       number     `json:"rate"`
	Refused    number     `json:"refused"`
	Operations int        `json:"operations"`
	Text       prose      `json:"text"`
}

type movePart struct {
	VShard int  `json:"vshard"`
	To     name `json:"to"`
}

type entryPart struct {
	Kind   string `json:"kind"`
	Tenant name   `json:"tenant"`
	Name   name   `json:"name"`
}

type holdLine struct {
	head
	Hotspot name   `json:"hotspot"`
	Reason  string `json:"reason"`
	Detail  prose  `json:"detail"`
}

type adviceLine struct {
	head
	Shard  name   `json:"shard"`
	Topic  string `json:"topic"`
	Level  string `json:"level"`
	Reason prose  `json:"reason"`
}

type summaryLine struct {
	head
	From           stamp             `json:"from,omitzero"`
	To             stamp             `json:"to,omitzero"`
	Lines          uint64            `json:"lines"`
	Records        uint64            `json:"records"`
	Counted        uint64            `json:"counted"`
	Requests       number            `json:"requests"`
	Refused        map[string]uint64 `json:"refused"`
	Late           uint64            `json:"late"`
	Future         uint64            `json:"future"`
	Untimed        uint64            `json:"untimed"`
	Unplaced       uint64            `json:"unplaced"`
	Unrated        uint64            `json:"unrated"`
	OutsideCut     uint64            `json:"outside_cut"`
	Ticks          int               `json:"ticks"`
	Verdicts       map[string]int    `json:"verdicts"`
	Unresolved     int               `json:"unresolved"`
	Holds          map[string]int    `json:"holds"`
	DetectionDelay *delayPart        `json:"detection_delay,omitempty"`
	Detectable     *detectablePart   `json:"detectable,omitempty"`
	Missing        []prose           `json:"missing"`
	Findings       []findingPart     `json:"findings"`
	Counting       countingPart      `json:"counting"`
	Window         *boardPart        `json:"window,omitempty"`
	Asked          []answerPart      `json:"asked,omitempty"`
}

type delayPart struct {
	P50 number `json:"p50"`
	P95 number `json:"p95"`
	Max number `json:"max"`
}

type detectablePart struct {
	Line        number  `json:"line"`
	Samples     number  `json:"samples"`
	OneMinute   *number `json:"one_minute,omitempty"`
	FiveMinutes *number `json:"five_minutes,omitempty"`
}

type findingPart struct {
	Shard  name  `json:"shard"`
	Reason prose `json:"reason"`
}

type boardPart struct {
	From            stamp       `json:"from,omitzero"`
	To              stamp       `json:"to,omitzero"`
	Load            number      `json:"load"`
	DistinctKeys    int         `json:"distinct_keys"`
	DistinctTenants int         `json:"distinct_tenants"`
	TopKeys         []boardRank `json:"top_keys"`
	TopTenants      []boardRank `json:"top_tenants"`
}

type boardRank struct {
	Key         name   `json:"key,omitempty"`
	Tenant      name   `json:"tenant"`
	TenantShare number `json:"tenant_share,omitempty"`
	Load        number `json:"load"`
	Low         number `json:"low"`
	High        number `json:"high"`
	Share       number `json:"share"`
}
