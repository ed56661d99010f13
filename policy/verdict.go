package policy

import (
	"fmt"
	"slices"
	"time"

	"firebreak/routing"
)

// Decision is what one tick says. All lists are in a fixed order; doing nothing
// shows up as holds and as what is open, never as silence without a reason.
type Decision struct {
	Verdicts []Verdict // that fired, changed or resolved at this tick
	Open     []Verdict // every hotspot that fired before and is firing now, as last judged: one that fires at this tick is in Verdicts
	Plans    []Plan    // one for each verdict whose fix can be planned
	Holds    []Hold
	Advice   []Advice
	Unread   []Unread  // of the World: advice that it hides may stand
	Findings []Finding // skew that nobody feels, skewed salts, suspicious rates, unread metrics: shown, never paged
	Blind    bool      // the input cannot be judged: nothing fired, resolved or was undone
}

// HotShard names the shard of a hotspot that this tick speaks of; empty where it speaks of none such.
func (d *Decision) HotShard(hotspot string) string {
	for _, list := range [][]Verdict{d.Verdicts, d.Open} {
		for i := range list {
			if list[i].Hotspot == hotspot && hotspot != "" {
				return list[i].Shard
			}
		}
	}
	return ""
}

// Verdict is a hotspot with its cause, its evidence and its fixes.
type Verdict struct {
	Fleet      string
	Time       time.Time // now of the tick
	Hotspot    string    // id
	Phase      Phase
	Severity   Severity
	Onset      time.Time
	Shard      string
	ShardID    routing.ShardID
	Placement  string // "key via xxh64 mod_n", for people
	Epoch      uint64 // of the document that it was judged by; 0 = nobody keeps one
	Version    uint64 // likewise
	LogPoint   LogPoint
	Dimension  Dimension
	Cause      Cause
	Key        string // of hot_key; bytes
	Tenant     string // of whale_tenant, or the dominant one of the key; bytes
	Caller     string // that sends at least half of the contributor
	Load       float64
	Mean       float64
	Imbalance  float64 // Load / Mean
	Capacity   float64 // 0 = not known
	Line       float64 // as it fired, or higher: a mean that grows raises it
	Target     float64 // the same
	From, To   time.Time
	Coverage   float64
	Samples    float64 // effective samples on the shard
	Share      Bounds  // of the contributor in the shard's load; of volume: of the shard in the fleet's
	ReadShare  float64 // of the contributor, or of the shard
	OpUnknown  float64 // share of it whose op the log does not tell
	Fix        Fix
	Reason     string // one sentence
	Missing    []string
	Projected  []Projection
	Contribute []Contribution
}

// Bounds is an estimate with its one-sided 95 % bounds.
type Bounds struct {
	Value, Low, High float64
}

// Contribution is one contributor that removal took from a hot shard; of an unknown cause, the heaviest key or tenant.
type Contribution struct {
	Cause       Cause
	Key, Tenant string // bytes
	Caller      string
	CallerShare float64
	Load        float64 // on this shard, load/s
	Share       Bounds  // of the shard's load
	ReadShare   float64
	OpUnknown   float64
	AboveTarget bool // its own load, beyond doubt
}

// Projection is what one fix would make of the measured loads.
type Projection struct {
	Fix               Fix
	Hottest           float64   // load/s of the hottest serving shard afterwards; dedicated ones do not count
	Own               float64   // load/s of the heaviest dedicated shard that an isolation fills; 0 = it fills none
	Shard             float64   // load/s of the hot shard afterwards
	Upper             float64   // upper bound of Shard, which the target is held against
	Utilization       float64   // Hottest / capacity; 0 = capacity not known
	Imbalance         float64   // Hottest / mean afterwards
	Feasible          bool      // the hot shard and every receiver under the target, on upper bounds
	ReadMultiplier    float64   // reads of the whole fleet cost this much
	KeyReadMultiplier float64   // a read of the key costs this much
	Salt              int       // pieces, of a salt
	MovedShare        float64   // of the fleet's load
	Shards            int       // added
	Rate              float64   // load/s that the tenant of a quota or the limited caller may send; 0 = no limit
	Loads             []float64 // load/s by shard id
	Targets           []float64 // load/s that each of them may bear by its own capacity; +Inf where it may run hot
	Beyond            string    // another shard that it leaves over its line, a clause; empty = none
	Why               string    // why it is taken, or why it fails, with what is beyond it
}

// StepKind is what one step of a plan does.
type StepKind uint8

// The steps.
const (
	StepNone StepKind = iota // the zero value does nothing
	StepMove
	StepSalt
	StepCache
	StepPlaceTenant
	StepPlaceKey
	StepQuota
	StepLimitCaller
	StepAddShards
	StepNative // by the store's own means, as advice
	StepUnsalt
	StepReturnTenant
	StepLiftQuota
	StepUncache
	StepDrain // a spare that was filled: its virtual shards go home, and it is a spare again
)

func stepNames() []string {
	return []string{"none", "move", "salt", "cache", "place_tenant", "place_key", "quota", "limit_caller", "add_shards", "native", "unsalt", "return_tenant", "lift_quota", "uncache", "drain"}
}

// String returns the one spelling of k.
func (k StepKind) String() string { return name(stepNames(), int(k)) }

// ParseStepKind reads what String writes.
func ParseStepKind(text string) (StepKind, error) {
	i := slices.Index(stepNames(), text)
	if i < 0 {
		return StepNone, fmt.Errorf("step %q: want %s", text, either(stepNames()))
	}
	return StepKind(i), nil
}

// Step is one change of the document, or one thing that a person does.
type Step struct {
	Kind        StepKind
	Key, Tenant string
	Caller      string
	Moves       []routing.Move
	Salt        *routing.Salt
	Shards      []string // receivers or added shards
	Rate        float64  // of a quota or a caller's limit, load/s
	Refused     float64  // load/s that it would refuse now
	Operations  int      // how many operations the caps cut this step into
	Text        string
}

// Plan is a fix with its steps and its proof.
type Plan struct {
	ID         string // hash of fleet, hotspot, fix and steps
	Hotspot    string
	Fix        Fix
	Undo       bool // takes the fix back, when it is no longer needed
	Steps      []Step
	Load       float64 // of the hot shard when the plan was made, load/s
	Projection Projection
	Expires    time.Time
	Footprint  []routing.Entry
	Digest     uint64
	Added      []string // names of shards that do not exist yet; their ids follow those of the table
	Ready      bool     // nothing holds it back: it may be carried out now
}

// Hold is a refusal to act, with its reason.
type Hold struct {
	Hotspot string // empty: of the fleet
	Reason  HoldReason
	Detail  string
}

// Advice is what a person should look at; it is no hotspot.
type Advice struct {
	Shard  string // empty: of the fleet
	Topic  Topic
	Level  Severity
	Reason string
}

// Finding is something true that nobody needs to be woken for.
type Finding struct {
	Shard  string
	Reason string
}
