package crash

import (
	"slices"
	"time"
)

// Broker is the process of an outage of the broker.
const Broker = -1

// Outage is a time for which a process, or the broker, did nothing.
type Outage struct {
	Process int // or Broker
	What    What
	Span
}

// Failover is how long nobody decided after the death of the process that did.
type Failover struct {
	Process   int
	Death     time.Time
	Disturbed time.Time // Death, or when the last other fault began before the next tenure; of the broker, when it was back
	Next      time.Time // the next tenure's beginning; zero = there was none
}

// Took is the time from the death, or from the last fault that came between, to the next tenure.
func (f *Failover) Took() time.Duration { return f.Next.Sub(f.Disturbed) }

// Failovers lists what followed each kill of a process that was deciding. process says which one an instance was.
func Failovers(tenures []Tenure, process map[string]int, outages []Outage) (all []Failover) {
	for i, t := range tenures {
		var end time.Time // of the tenure; zero = it lasts
		if i+1 < len(tenures) {
			end = tenures[i+1].Begun
		}
		before := func(at time.Time) bool { return end.IsZero() || at.Before(end) }
		p, known := process[t.Instance]
		at := slices.IndexFunc(outages, func(o Outage) bool {
			return known && o.Process == p && o.What == Kill && o.From.After(t.Begun) && before(o.From)
		})
		if at < 0 {
			continue
		}
		f := Failover{Process: p, Death: outages[at].From, Disturbed: outages[at].From, Next: end}
		for _, o := range outages {
			since := o.From
			if o.Process == Broker {
				since = o.To
			}
			if since.After(f.Disturbed) && before(since) {
				f.Disturbed = since
			}
		}
		all = append(all, f)
	}
	return all
}
