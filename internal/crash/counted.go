package crash

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"firebreak/pipeline"
	"firebreak/policy"
)

// Counted is what the log of deltas says was counted of one fleet. It follows the log from its first entry on, by the rules
// that instances follow it by: what they hold is a function of the log alone. NewCounted makes it; it belongs to one goroutine.
type Counted struct {
	live  *pipeline.Live
	pane  time.Duration
	panes map[int64]Sum
	known map[int64]*policy.VShardSums // where a pane's sums were read: those that stand are not read again
	first int64                        // the first pane that was counted whole
	begun bool
	stats Entries
	least float64 // coverage
	bad   []string
}

// Entries counts the entries of the log of deltas.
type Entries struct {
	Accepted, Rejected, Checkpoints uint64
	Bytes                           uint64
	Hotspots                        uint64 // verdicts that following gave
}

// NewCounted makes the reader of the log of a group with one fleet.
func NewCounted(fleet pipeline.LiveFleet) (*Counted, error) {
	c := &Counted{pane: fleet.Pane, panes: map[int64]Sum{}, known: map[int64]*policy.VShardSums{}, least: 1}
	var err error
	if c.live, err = pipeline.NewLive([]pipeline.LiveFleet{fleet}, c); err != nil {
		return nil, fmt.Errorf("crash: %w", err)
	}
	return c, nil
}

// Apply takes the next entry of the log: its offset, when the broker appended it, and its bytes.
func (c *Counted) Apply(offset int64, at time.Time, entry []byte) error {
	out, err := c.live.Apply(offset, at, entry)
	if err != nil {
		return fmt.Errorf("crash: entry %d of the log of deltas: %w", offset, err)
	}
	c.stats.Bytes += uint64(len(entry))
	switch {
	case out.Accepted:
		c.stats.Accepted++
	case out.Delta:
		c.stats.Rejected++
		if out.Rejected != pipeline.RejectedPosition {
			c.bad = append(c.bad, fmt.Sprintf("entry %d was rejected: %s", offset, out.Why))
		}
	case out.Checkpoint != nil:
		c.stats.Checkpoints++
	case out.Why != "":
		c.bad = append(c.bad, fmt.Sprintf("entry %d cannot be read: %s", offset, out.Why))
	}
	if !c.begun {
		if f := &c.live.View().Fleets[0]; f.Begun {
			c.begun, c.first = true, f.First
		}
	}
	return nil
}

// Judged implements pipeline.Sink: it reads the panes of the window that changed.
func (c *Counted) Judged(j *pipeline.Judgement) {
	s := j.Snapshot
	c.stats.Hotspots += uint64(len(j.Decision.Verdicts))
	c.least = min(c.least, s.Inputs.Coverage)
	for i := range s.Panes {
		p := &s.Panes[i]
		if len(p.VShards) == 0 {
			continue
		}
		n := paneOf(p.Start, c.pane)
		if c.known[n] == &p.VShards[0] {
			continue
		}
		c.known[n] = &p.VShards[0]
		c.panes[n] = c.sum(p)
	}
	for n := range c.known {
		if len(s.Panes) > 0 && n < paneOf(s.Panes[0].Start, c.pane) {
			delete(c.known, n)
		}
	}
}

// sum adds up a pane. Loads are whole numbers: no record was sampled.
func (c *Counted) sum(p *policy.Pane) (s Sum) {
	var records, numbers float64
	for i := range p.VShards {
		records += p.VShards[i].Records
		numbers += p.VShards[i].Load
	}
	const exact = 1 << 53
	if records != math.Trunc(records) || numbers != math.Trunc(numbers) || numbers > exact {
		c.bad = append(c.bad, fmt.Sprintf("pane %v: %v records with the sum %v are no whole numbers", p.Start, records, numbers))
	}
	return Sum{uint64(records), uint64(numbers)}
}

// Save implements pipeline.Sink: nothing of this travels.
func (c *Counted) Save() ([]byte, error) { return nil, nil }

// Load implements pipeline.Sink.
func (c *Counted) Load([]byte) error { return nil }

// Done says whether all panes up to one are complete, and every partition was counted to its end. ends is the offset after
// the last record by partition.
func (c *Counted) Done(last int64, ends map[int32]int64) bool {
	v := c.live.View()
	return v.Fleets[0].Begun && v.Fleets[0].Closed > last && len(uncounted(v, ends)) == 0
}

// First is the first pane that was counted whole: what lies before it was written before the group had begun everywhere.
func (c *Counted) First() int64 { return c.first }

// Entries counts what was read of the log.
func (c *Counted) Entries() Entries { return c.stats }

// Differences says in what ways what was counted is not what was written: of panes, and of partitions, whose ends are given.
// None is the proof.
func (c *Counted) Differences(written *Tally, ends map[int32]int64) []string {
	found := slices.Clone(c.bad)
	if !c.begun {
		return append(found, "nothing was counted")
	}
	if c.least < 1 {
		found = append(found, fmt.Sprintf("coverage fell to %v: records were passed without being read", c.least))
	}
	v := c.live.View()
	found = append(found, uncounted(v, ends)...)
	for p, progress := range v.Counted {
		if progress.Thin > 0 {
			found = append(found, fmt.Sprintf("partition %d is sampled", p.Number))
		}
	}
	return append(found, written.differences(c.panes, c.first)...)
}

// uncounted lists the partitions that were not counted to their end, or beyond it.
func uncounted(v *pipeline.View, ends map[int32]int64) (found []string) {
	to := map[int32]int64{}
	for p, progress := range v.Counted {
		to[p.Number] = progress.To
	}
	for _, n := range slices.Sorted(maps.Keys(ends)) {
		if to[n] != ends[n] {
			found = append(found, fmt.Sprintf("partition %d was counted to %d, it ends at %d", n, to[n], ends[n]))
		}
	}
	if len(to) > len(ends) {
		found = append(found, fmt.Sprintf("%d partitions were counted, the log has %d", len(to), len(ends)))
	}
	return found
}
