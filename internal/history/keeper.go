package history

import (
	"context"
	"errors"
	"time"

	"firebreak/actuator"
	"firebreak/policy"
	"firebreak/routing"
)

// Options of a Keeper. The zero value writes everything as it is, of one fleet.
type Options struct {
	Redact       actuator.Redact // hides names in minutes; nil = none are hidden
	KeepEvidence bool            // although names are hidden: evidence cannot be judged without them
	Unwritten    bool            // there is no log: only what default quotas look back at is kept
	Fleets       int             // that share the memory; 0 = 1
	Build        string          // version of this firebreak
}

// Keeper turns ticks into what the log is to hold, and knows how high tenants were. NewKeeper makes it. Histories, Judged, Save
// and Load belong to the goroutine that judges; Flush, Saw and Stats may be called from any.
type Keeper struct {
	opts    Options
	summary *Summary
	peaks   *Peaks
	writer  *Writer
}

// NewKeeper makes one that has seen nothing.
func NewKeeper(o Options) *Keeper {
	return &Keeper{opts: o, summary: NewSummary(o.Redact), peaks: NewPeaks(o.Redact, o.Fleets), writer: NewWriter()}
}

// Judged takes the next tick: the minutes that it ends, and its evidence if a hotspot fired, changed or resolved. What
// cannot be kept is in the error; the next tick does not depend on it.
func (k *Keeper) Judged(t *Tick) error {
	var errs []error
	minutes := k.summary.Judged(t)
	for i := range minutes {
		k.peaks.Fold(&minutes[i])
		if !k.opts.Unwritten {
			errs = append(errs, k.writer.AddMinute(&minutes[i]))
		}
	}
	if len(t.Decision.Verdicts) > 0 && !k.opts.Unwritten && (k.opts.Redact == nil || k.opts.KeepEvidence) {
		e, err := NewEvidence(t, k.opts.Build)
		if err == nil {
			k.writer.AddEvidence(e)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Histories gives the highest rate of each listed tenant that is known, over the 7 days before it was on a shard that is hot,
// in the order of the snapshot. st is the state before the tick. A tenant on none ends a long window ago, because what
// is judged now began within it.
func (k *Keeper) Histories(s *policy.Snapshot, st *policy.State) []policy.TenantHistory {
	if len(s.Panes) == 0 {
		return nil
	}
	usual := s.Panes[0].Start
	onset := onsets(s, st)
	var out []policy.TenantHistory
	for i := range s.Tenants {
		name := s.Tenants[i].Tenant
		before := usual
		if at, hot := onset[name]; hot && at.Before(before) {
			before = at
		}
		if peak := k.peaks.Peak(s.Fleet, name, before); peak > 0 {
			out = append(out, policy.TenantHistory{Tenant: name, Peak: peak})
		}
	}
	return out
}

// onsets gives the oldest onset of the shards over their line that each tenant is on.
func onsets(s *policy.Snapshot, st *policy.State) map[string]time.Time {
	if s.Table == nil || len(st.Detection.Shards) == 0 {
		return nil
	}
	shards := map[routing.ShardID]time.Time{}
	for id, shard := range s.Table.Document().Shards {
		t := st.Detection.Shards[shard.Name]
		switch {
		case t.Hotspot != nil:
			shards[routing.ShardID(id)] = t.Hotspot.Onset
		case !t.Proved.IsZero():
			shards[routing.ShardID(id)] = t.Onset
		}
	}
	out := map[string]time.Time{}
	for i := range s.Pairs {
		p := &s.Pairs[i]
		at, hot := shards[p.Shard]
		if was, known := out[p.Tenant]; hot && (!known || at.Before(was)) {
			out[p.Tenant] = at
		}
	}
	return out
}

// Flush writes what waits; only the decider does. See [Writer.Flush].
func (k *Keeper) Flush(ctx context.Context, log Appender) error { return k.writer.Flush(ctx, log) }

// Saw takes the id of an entry that a Reader yielded.
func (k *Keeper) Saw(id string) { k.writer.Saw(id) }

// Stats returns the state of what waits.
func (k *Keeper) Stats() WriterStats { return k.writer.Stats() }
