package history

import (
	"context"
	"errors"
	"slices"
	"sync"

	"firebreak/actuator"
)

const (
	// maxWaiting bounds the minutes that wait to be written: a day of four fleets.
	maxWaiting = 5_760
	// maxEvidence bounds the evidence that waits.
	maxEvidence = 256
	// maxBytes bounds the memory that waiting evidence keeps from being freed; the newest one waits whatever it takes.
	maxBytes = 96 << 20
	// maxMinuteBytes bounds waiting minutes.
	maxMinuteBytes = 32 << 20
)

// Appender is the log. An entry stands in it after nil was returned; after an error any of them may, then or later.
type Appender interface {
	Append(ctx context.Context, values ...[]byte) (first int64, err error)
}

// Writer keeps what is not yet in the log. Every instance keeps one, in the shadow of the decider, and tells it what a Reader
// yields; so whoever takes over writes what its predecessor owed:
//
//	Add ---> waiting --Flush: appended--> gone
//	            |------Saw: another wrote it----> gone
//	            '------too many-----------------> gone, counted as dropped
//
// Evidence waits as it is and is packed when it is flushed, which others than the decider never do. What was appended
// but not confirmed is appended again: a Reader drops it.
//
// A mutex guards it, so that one goroutine may judge and follow while another one flushes. The zero value is not ready; use NewWriter.
type Writer struct {
	mu      sync.Mutex // not held while anything is packed or appended
	waiting []*item
	seen    actuator.Recent
	stats   WriterStats

	flushing sync.Mutex // one flush at a time, or entries would be written twice
}

// item is one entry that waits.
type item struct {
	head     Head
	values   [][]byte  // packed
	evidence *Evidence // not packed yet
	size     int64
}

// WriterStats is the state of a Writer.
type WriterStats struct {
	Waiting int    // entries
	Bytes   int64  // that they take, roughly
	Written uint64 // by this instance
	Dropped uint64 // that nobody wrote, as far as this instance knows: too many waited
	Refused uint64 // that no log could take
}

// NewWriter makes an empty one.
func NewWriter() *Writer { return &Writer{seen: actuator.NewRecent()} }

// AddMinute takes the next minute.
func (w *Writer) AddMinute(m *Minute) error {
	values, err := m.encode()
	if err != nil {
		w.refuse()
		return err
	}
	size := 0
	for _, v := range values {
		size += len(v)
	}
	w.add(&item{head: m.head(), values: values, size: int64(size)})
	return nil
}

// AddEvidence takes the next evidence, which must not change any more.
func (w *Writer) AddEvidence(e *Evidence) {
	w.add(&item{head: e.head(), evidence: e, size: e.size()})
}

func (w *Writer) refuse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.Refused++
}

func (w *Writer) add(it *item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen.Has(it.head.ID) || slices.ContainsFunc(w.waiting, func(o *item) bool { return o.head.ID == it.head.ID }) {
		return
	}
	w.waiting = append(w.waiting, it)
	w.stats.Bytes += it.size
	w.shrink(KindMinute, maxWaiting, maxMinuteBytes)
	w.shrink(KindEvidence, maxEvidence, maxBytes)
}

// shrink drops the oldest of a kind while there are too many of them.
func (w *Writer) shrink(kind Kind, most int, bytes int64) {
	count, size := 0, int64(0)
	for i, it := range slices.Backward(w.waiting) {
		if it.head.Kind != kind {
			continue
		}
		count++
		if size += it.size; count > 1 && (count > most || size > bytes) {
			w.waiting = slices.Delete(w.waiting, i, i+1)
			w.stats.Bytes -= it.size
			w.stats.Dropped++
			size -= it.size
			count--
		}
	}
}

// Saw takes the id of what a Reader yielded.
func (w *Writer) Saw(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.Add(id)
	w.remove(id)
}

func (w *Writer) remove(id string) bool {
	at := slices.IndexFunc(w.waiting, func(it *item) bool { return it.head.ID == id })
	if at < 0 {
		return false
	}
	w.stats.Bytes -= w.waiting[at].size
	w.waiting = slices.Delete(w.waiting, at, at+1)
	return true
}

// Flush appends what waits, oldest first, until nothing does or the log fails. What the log can never take is
// refused: it is in the error, and the rest is written.
func (w *Writer) Flush(ctx context.Context, log Appender) error {
	w.flushing.Lock()
	defer w.flushing.Unlock()
	var refused []error
	for {
		batch := w.batch()
		if len(batch) == 0 {
			return errors.Join(refused...)
		}
		if it := batch[0]; it.values == nil {
			if err := w.pack(it); err != nil {
				refused = append(refused, err)
				continue
			}
		}
		if err := appendAll(ctx, log, batch); err != nil {
			return errors.Join(append(refused, err)...)
		}
		w.written(batch)
	}
}

// batch is the oldest evidence, or the oldest minutes up to the next evidence.
func (w *Writer) batch() []*item {
	w.mu.Lock()
	defer w.mu.Unlock()
	var batch []*item
	for size := int64(0); len(batch) < len(w.waiting); {
		it := w.waiting[len(batch)]
		if size += it.size; len(batch) > 0 && (it.head.Kind == KindEvidence || size > MaxEntry) {
			break
		}
		if batch = append(batch, it); it.head.Kind == KindEvidence {
			break
		}
	}
	return batch
}

// pack packs evidence, or drops it where it cannot be. Only a flush touches the values of an item that waits.
func (w *Writer) pack(it *item) error {
	values, err := it.evidence.encode()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		if w.remove(it.head.ID) {
			w.stats.Refused++
		}
		return err
	}
	it.values, it.evidence = values, nil
	return nil
}

// appendAll appends the values of a batch, at most one large value at a time.
func appendAll(ctx context.Context, log Appender, batch []*item) error {
	if len(batch) == 1 {
		for _, v := range batch[0].values {
			if _, err := log.Append(ctx, v); err != nil {
				return err
			}
		}
		return nil
	}
	values := make([][]byte, 0, len(batch))
	for _, it := range batch {
		values = append(values, it.values...)
	}
	_, err := log.Append(ctx, values...)
	return err
}

func (w *Writer) written(batch []*item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, it := range batch {
		w.seen.Add(it.head.ID)
		w.remove(it.head.ID)
		w.stats.Written++
	}
}

// Stats returns the state now.
func (w *Writer) Stats() WriterStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	s.Waiting = len(w.waiting)
	return s
}
