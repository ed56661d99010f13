package history

import (
	"context"
	"errors"

	"firebreak/actuator"
)

// Options of a Keeper. The zero value keeps everything as it is.
type Options struct {
	Redact       actuator.Redact // hides names in minutes; nil = none are hidden
	KeepEvidence bool            // although names are hidden: evidence cannot be judged without them
	Build        string          // version of this firebreak
}

// Keeper turns ticks into what the log is to hold. NewKeeper makes it. Judged, Save and Load belong to the goroutine that
// judges; Flush, Saw and Stats may be called from any.
type Keeper struct {
	opts    Options
	summary *Summary
	writer  *Writer
}

// NewKeeper makes one that has seen nothing.
func NewKeeper(o Options) *Keeper {
	return &Keeper{opts: o, summary: NewSummary(o.Redact), writer: NewWriter()}
}

// Judged takes the next tick: the minutes that it ends, and its evidence if a hotspot fired, changed or resolved. What
// cannot be kept is in the error; the next tick does not depend on it.
func (k *Keeper) Judged(t *Tick) error {
	var errs []error
	minutes := k.summary.Judged(t)
	for i := range minutes {
		errs = append(errs, k.writer.AddMinute(&minutes[i]))
	}
	if len(t.Decision.Verdicts) > 0 && (k.opts.Redact == nil || k.opts.KeepEvidence) {
		e, err := NewEvidence(t, k.opts.Build)
		if err == nil {
			k.writer.AddEvidence(e)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Flush writes what waits; only the decider does. See [Writer.Flush].
func (k *Keeper) Flush(ctx context.Context, log Appender) error { return k.writer.Flush(ctx, log) }

// Saw takes the id of an entry that a Reader yielded.
func (k *Keeper) Saw(id string) { k.writer.Saw(id) }

// Stats returns the state of what waits.
func (k *Keeper) Stats() WriterStats { return k.writer.Stats() }

// Save is the memory that travels in checkpoints; Load takes it over.
func (k *Keeper) Save() ([]byte, error) { return k.summary.Save() }

// Load replaces the memory by one that was saved; nothing is the memory of a beginning.
func (k *Keeper) Load(memory []byte) error { return k.summary.Load(memory) }
