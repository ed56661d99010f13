package console

import (
	"time"

	"firebreak/internal/line"
)

// What the API answers. Names are escapes, times RFC 3339 in UTC, loads per second, shares 0 to 1, durations in seconds.

// problemAnswer says why there is none.
type problemAnswer struct {
	Error problem `json:"error"`
}

type problem struct {
	Status int        `json:"status"` // of HTTP
	Reason line.Prose `json:"reason"`
}

type fleetsAnswer struct {
	Fleets []fleetAnswer `json:"fleets"`
}

type fleetAnswer struct {
	Fleet     line.Name      `json:"fleet"`
	State     string         `json:"state"`      // hot, calm, blind, warming_up, or waiting for the first pane; blind stands before hot
	Blind     bool           `json:"blind"`      // the newest tick could not be judged, whatever the state; holds say why
	BlindFrom line.Stamp     `json:"blind_from"` // the first tick of these that this instance saw; empty = it is not blind
	Sighted   line.Stamp     `json:"sighted"`    // the newest tick that could be judged; empty = this instance saw none
	Open      int            `json:"open"`       // hotspots
	Critical  int            `json:"critical"`   // of them
	Judged    line.Stamp     `json:"judged"`     // moment of the newest tick
	Pane      line.Stamp     `json:"pane"`       // end of the newest complete pane
	Traffic   line.Stamp     `json:"traffic"`    // end of the newest pane that has a record; empty = none is known
	Filled    line.Number    `json:"filled_s"`   // of the window
	Window    line.Number    `json:"window_s"`   // when it is full
	Warmup    line.Number    `json:"warmup_s"`   // before which nothing fires
	Coverage  line.Number    `json:"coverage"`   // of the log
	Lag       line.Number    `json:"lag_s"`      // of the newest pane
	Missing   []line.Prose   `json:"missing"`    // log partitions that are silent
	Load      line.Number    `json:"load"`       // of the fleet
	Mean      line.Number    `json:"mean"`       // over serving shards
	Hottest   line.Number    `json:"hottest"`    // of them
	Keys      int            `json:"keys"`       // distinct ones in the window; 0 = not known
	Tenants   int            `json:"tenants"`    // the same
	Shards    []shardAnswer  `json:"shards"`     // at most gridShards
	Holds     []*line.Hold   `json:"holds"`      // of the fleet
	Advice    []*line.Advice `json:"advice"`     // of the newest tick
	Unread    []line.Prose   `json:"unread"`     // readings of shards that are asked for and not known, one sentence a metric
	ShardMore int            `json:"shard_more"` // that are not listed
}

type shardAnswer struct {
	Shard line.Name   `json:"shard"`
	Role  string      `json:"role"` // routing.Role
	Load  line.Number `json:"load"`
	Full  line.Number `json:"full"`       // load / line
	Since line.Stamp  `json:"over_since"` // since when it is over its line by its numbers, hot or not yet; empty = it is not
}

type hotspotsAnswer struct {
	Hotspots []briefAnswer `json:"hotspots"`
	More     int           `json:"more"` // that are not listed
}

// briefAnswer is a hotspot in a list.
type briefAnswer struct {
	Fleet    line.Name   `json:"fleet"`
	Hotspot  line.Name   `json:"hotspot"`
	State    string      `json:"state"` // open or resolved
	Severity string      `json:"severity"`
	Shard    line.Name   `json:"shard"`
	Cause    string      `json:"cause"`
	Key      line.Name   `json:"key"`
	Tenant   line.Name   `json:"tenant"`
	Share    line.Share  `json:"share"`
	Load     line.Number `json:"load"`
	Line     line.Number `json:"line"`
	Onset    line.Stamp  `json:"onset"`
	Found    line.Stamp  `json:"found"`
	Resolved line.Stamp  `json:"resolved"`
	Fix      string      `json:"fix"`
	Says     string      `json:"says"` // in a sentence, as the page has it

	Accepted  *acceptedAnswer  `json:"accepted"`  // by a person; null = by nobody, or somebody said something else since
	Dismissed *dismissedAnswer `json:"dismissed"` // the same
}

// hotspotAnswer is a hotspot in full: the lines of the journal, and the words of the page.
type hotspotAnswer struct {
	briefAnswer

	Verdict *line.Verdict `json:"verdict"`
	Plan    *line.Plan    `json:"plan"` // null = none
	Holds   []*line.Hold  `json:"holds"`
	Facts   []factAnswer  `json:"facts"`
	Others  []string      `json:"others"` // why each other fix was not taken
	Shards  []line.Name   `json:"shards"` // of loads; empty = loads are not known here
	Loads   []lineNumbers `json:"loads"`
	Keys    []heavyAnswer `json:"keys"` // the heaviest of the shard; empty = not known here
	Tenants []heavyAnswer `json:"tenants"`
	Events  []eventAnswer `json:"events"`
	Left    int           `json:"left_out"` // events that are not kept
}

type factAnswer struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// lineNumbers are the loads of all shards under a fix; fix is empty for the fleet as it is.
type lineNumbers struct {
	Fix   string        `json:"fix"`
	Loads []line.Number `json:"loads"`
}

type heavyAnswer struct {
	Key    line.Name   `json:"key"`
	Tenant line.Name   `json:"tenant"`
	Load   line.Number `json:"load"`
	Share  line.Share  `json:"share"` // of the shard
	Reads  line.Number `json:"read_share"`
}

type eventAnswer struct {
	ID    string     `json:"id"`
	At    line.Stamp `json:"at"`
	Kind  string     `json:"kind"`
	Phase string     `json:"phase"`
	Says  string     `json:"says"`
}

type heatAnswer struct {
	Fleet   line.Name  `json:"fleet"`
	From    line.Stamp `json:"from"`
	Step    int        `json:"step_s"`
	Columns int        `json:"columns"`
	Known   []bool     `json:"known"` // by column
	Blind   []bool     `json:"blind"`
	Shards  []heatRow  `json:"shards"`
	More    int        `json:"more"` // shards that are not listed: the coldest
}

// heatRow is one shard. Cells are load / line; where that may be chance they are in doubt instead.
type heatRow struct {
	Shard line.Name     `json:"shard"`
	Role  string        `json:"role"`
	Cells []line.Number `json:"cells"`
	Doubt []line.Number `json:"doubt,omitempty"` // over the line, perhaps by chance; left out where all are 0
}

type searchAnswer struct {
	Fleet    line.Name   `json:"fleet"`
	Key      line.Name   `json:"key"` // empty = the tenant was asked for
	Tenant   line.Name   `json:"tenant"`
	Estimate line.Number `json:"estimate"` // in the window
	Low      line.Number `json:"low"`
	High     line.Number `json:"high"`
	Seconds  line.Number `json:"window_s"`
	Rate     line.Number `json:"rate"`  // load/s
	Share    line.Share  `json:"share"` // of the fleet's load; without a load it is 0
	Shard    line.Name   `json:"shard"` // where it lies; empty = see where
	Where    string      `json:"where"` // in a sentence
}

type statusAnswer struct {
	Instance   string            `json:"instance"`
	Version    string            `json:"version"`
	Decides    bool              `json:"decides"`
	Epoch      int64             `json:"epoch"`
	Standalone bool              `json:"standalone"`
	Decider    deciderAnswer     `json:"decider"`
	Partitions int               `json:"partitions"`
	Behind     int64             `json:"deltas_behind"` // -1 = not known
	Answered   line.Stamp        `json:"answered"`      // by the brokers: deltas_behind and topics are of then; empty = never, or nobody asks brokers
	Age        line.Number       `json:"answer_age_s"`
	Ready      bool              `json:"ready"`
	Conditions []conditionAnswer `json:"conditions"`
	Topics     []topicAnswer     `json:"topics"`
	Routing    []routingAnswer   `json:"routing"`
}

type deciderAnswer struct {
	Instance string     `json:"instance"` // empty = the journal names none
	Epoch    int64      `json:"epoch"`
	Since    line.Stamp `json:"since"`
}

type conditionAnswer struct {
	Name  string     `json:"name"`
	Holds bool       `json:"holds"`
	Why   line.Prose `json:"why"` // not
}

type routingAnswer struct {
	Fleet     line.Name  `json:"fleet"`
	Epoch     uint64     `json:"epoch"`
	Version   uint64     `json:"version"` // 0 = not read yet
	Trouble   line.Prose `json:"trouble"` // why the store does not serve; empty = it does
	Since     line.Stamp `json:"trouble_since"`
	Stopped   bool       `json:"stopped"`    // acting is
	StoppedBy line.Name  `json:"stopped_by"` // empty = nobody knows, as the next two
	Reason    line.Prose `json:"stopped_reason"`
	StoppedAt line.Stamp `json:"stopped_at"`
}

type topicAnswer struct {
	Fleet  line.Name   `json:"fleet"`
	Topic  string      `json:"topic"`
	Unread int64       `json:"unread"`
	Behind line.Number `json:"behind_s"`
}

func seconds(d time.Duration) line.Number { return line.Number(d.Seconds()) }

func stampOf(t time.Time) line.Stamp { return line.Stamp(t) }

func durationOf(s line.Number) time.Duration { return time.Duration(float64(s) * float64(time.Second)) }
