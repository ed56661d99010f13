package actuator

import "errors"

// Reader makes sense of a journal read in the order of its log: it drops what came before and what a deposed decider wrote.
// What a person said stands outside of epochs: it is yielded whoever decides, and fences nobody.
// It remembers a bounded number of ids. The zero value is not ready; use NewReader. Not safe for concurrent use.
type Reader struct {
	highest int64
	seen    Recent
	stats   ReaderStats
}

// ReaderStats counts what a Reader was given.
type ReaderStats struct {
	Entries   uint64 // yielded
	Doubled   uint64 // known already
	Fenced    uint64 // of a lower epoch than the highest seen
	Malformed uint64 // no entry
	Newer     uint64 // written by a newer firebreak
}

// NewReader begins at any position of a log.
func NewReader() *Reader { return &Reader{seen: NewRecent()} }

// Read takes the next value of the log. ok is false where there is nothing to show: it is counted, and the reader goes on.
func (r *Reader) Read(value []byte) (e Entry, ok bool) {
	e, err := Decode(value)
	if err != nil {
		if errors.Is(err, ErrNewer) {
			r.stats.Newer++
		} else {
			r.stats.Malformed++
		}
		return Entry{}, false
	}
	if !e.Kind.Spoken() {
		if e.Epoch < r.highest {
			r.stats.Fenced++
			return Entry{}, false
		}
		r.highest = e.Epoch
	}
	if !r.seen.Add(e.ID) {
		r.stats.Doubled++
		return Entry{}, false
	}
	r.stats.Entries++
	return e, true
}

// Stats returns the counts so far.
func (r *Reader) Stats() ReaderStats { return r.stats }

// Highest is the highest epoch that was read; it only grows. 0 = none yet.
func (r *Reader) Highest() int64 { return r.highest }

// Claim is the epoch with which an instance takes over that owns the group in this generation: the generation, or, where a
// journal has seen a higher one (its group was deleted and begins anew), the one after that. It is asked once, at the moment
// of taking over and at the end of the journal; an epoch that is kept stays as it was claimed.
func (r *Reader) Claim(generation int64) int64 { return max(generation, r.highest+1) }
