package actuator

import (
	"strconv"
	"time"

	"firebreak/internal/line"
)

// Reported is the line of the kind report: the report of a period was written, or given up.
type Reported struct {
	line.Head

	From     line.Stamp `json:"from"`
	To       line.Stamp `json:"to"`
	Text     line.Prose `json:"text"`     // what it says, in a few sentences; redacted as the report is
	Where    line.Prose `json:"where"`    // file it was written to; empty = none
	Hotspots int        `json:"hotspots"` // of all fleets
	Why      line.Prose `json:"why"`      // it was given up: the last failure; empty = it was written
}

// NewReported makes the entry of a report: one for a period, whoever writes it.
func NewReported(at time.Time, r Reported) (Entry, error) {
	r.Head = line.NewHead(KindReport.String(), "", line.Stamp(moment(at)))
	to := time.Time(r.To)
	return object(Entry{ID: NewID("report", strconv.FormatInt(to.UnixMilli(), 10)), At: moment(at), Kind: KindReport}, &r)
}
