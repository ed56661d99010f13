package history

import (
	"fmt"
	"strconv"
	"time"

	"firebreak/actuator"
	"firebreak/policy"
	"firebreak/routing"
)

// Minute is the load of one fleet over one minute of event time. Rates are in load/s, over the panes that begin in the
// minute, and are rounded to 24 bits. Lists are ordered as their fields say, and names are bytes, or what a Redact made of them.
type Minute struct {
	Fleet    string
	Start    time.Time     // of the minute, UTC
	Covered  time.Duration // event time of the panes that begin in it; a minute as a rule
	Judged   time.Time     // end of the newest complete pane when it was made; UTC
	Blind    bool          // the input could not be judged then
	Coverage float64       // of the window then
	Lag      time.Duration // then
	Missing  int           // log partitions that were silent too long then
	Firing   int           // hotspots that were open then

	Samples  float64 // records counted
	Load     float64 // of the whole fleet
	Mean     float64 // over serving shards
	Hottest  float64 // of the serving shards
	Keys     int     // distinct ones in the window; 0 = not known
	Tenants  int     // the same
	Shards   []Shard // by id
	TopKeys  []Heavy // heaviest first, at most TopNames
	Top      []Heavy // tenants, heaviest first, at most TopNames
	Peaks    []Peak  // of the listed tenants, heaviest first
	Unlisted int     // listed tenants that are not in Peaks because names took too much room
}

// TopNames is how many keys and how many tenants a minute names.
const TopNames = 20

// Shard is one shard of a minute.
type Shard struct {
	Name          string
	Role          routing.Role
	Load          float64
	Reads, Writes float64
	Throttled     float64
	Capacity      float64 // of the shard, or the fleet's; 0 = not known
	ReadCapacity  float64 // the same, where reads and writes are apart
	WriteCapacity float64
	Full          float64 // load / warning line in the dimension that is fuller; 0 = idle, or no line is known
	Line          float64 // warning line in that dimension
	Critical      float64 // critical line in it; 0 = there is none without a capacity
}

// Heavy is a key or a tenant.
type Heavy struct {
	Key    string // empty = a tenant
	Tenant string // of a key: its dominant one, if any
	Load   float64
	Share  policy.Bounds // of the fleet's load
	Reads  float64       // rate of what is known to be a read
	Writes float64       // rate of what is known to be a write
}

// Peak is the rate of one tenant over the long window that ends with the minute.
type Peak struct {
	Tenant string
	Rate   float64
}

// head of the minute. Its id is of the fleet and the minute only.
func (m *Minute) head() Head {
	at := m.Start.UTC().Truncate(time.Minute)
	return Head{Kind: KindMinute, ID: actuator.NewID("minute", m.Fleet, strconv.FormatInt(at.Unix(), 10)), Fleet: m.Fleet, At: at}
}

// encode writes the minute as one value of the log.
func (m *Minute) encode() ([][]byte, error) {
	raw, err := marshal(m)
	if err != nil {
		return nil, fmt.Errorf("history: minute: %w", err)
	}
	h := m.head()
	return pack(&h, raw)
}

// redact hides every key and tenant.
func (m *Minute) redact(r actuator.Redact) {
	if r == nil {
		return
	}
	hide := func(name *string) {
		if *name != "" {
			*name = r([]byte(*name))
		}
	}
	for _, list := range [][]Heavy{m.TopKeys, m.Top} {
		for i := range list {
			hide(&list[i].Key)
			hide(&list[i].Tenant)
		}
	}
	for i := range m.Peaks {
		hide(&m.Peaks[i].Tenant)
	}
}

// rounded is a rate with 24 bits: half the room of one with 53, to seven digits.
func rounded(rate float64) float64 { return float64(float32(rate)) }
