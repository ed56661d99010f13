package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"

	"firebreak/actuator"
)

const (
	// maxTorn bounds the payloads of which chunks are missing, in bytes, and maxSets their number.
	maxTorn = 96 << 20
	maxSets = 32
)

// Entry is one minute or one evidence of the log, whole and still packed.
type Entry struct {
	Head

	payload []byte
	z       *zstd.Decoder
}

// Minute unpacks the entry. Fields of a newer version are passed over.
func (e *Entry) Minute() (*Minute, error) {
	raw, err := e.unpack(KindMinute, maxMinute)
	if err != nil {
		return nil, err
	}
	m := new(Minute)
	if err := unmarshal(raw, m, false); err != nil {
		return nil, fmt.Errorf("history: minute: %w", err)
	}
	if h := m.head(); h.ID != e.ID {
		return nil, fmt.Errorf("history: minute %s holds %s", e.ID, h.ID)
	}
	return m, nil
}

// Evidence unpacks the entry. What a newer version wrote and this one does not know is actuator.ErrNewer: it could not be judged.
func (e *Entry) Evidence() (*Evidence, error) {
	raw, err := e.unpack(KindEvidence, maxRaw)
	if err != nil {
		return nil, err
	}
	out, err := decodeEvidence(raw)
	if err != nil {
		return nil, err
	}
	if h := out.head(); h.ID != e.ID {
		return nil, fmt.Errorf("history: evidence %s holds %s", e.ID, h.ID)
	}
	return out, nil
}

func (e *Entry) unpack(want Kind, most int) ([]byte, error) {
	if e.Kind != want || e.z == nil {
		return nil, fmt.Errorf("history: %s is %s, want %s", e.ID, e.Kind, want)
	}
	return unpack(e.z, e.payload, most)
}

// MissingError is evidence of which a chunk is not there.
type MissingError struct {
	Head

	Chunk, Of int // the first that is missing, from 1, of how many
}

// Error names the evidence and the chunk.
func (e *MissingError) Error() string {
	return fmt.Sprintf("history: evidence %s of %s: chunk %d of %d is missing", e.ID, e.At.Format("2006-01-02T15:04:05.000Z"), e.Chunk, e.Of)
}

// Reader makes sense of the log read in its order: it puts chunks together and drops what came before. Its memory is
// bounded: of many torn evidences it gives up the oldest. NewReader makes it. Not safe for concurrent use; its entries are.
type Reader struct {
	z     *zstd.Decoder
	seen  actuator.Recent
	sets  map[set]*chunks
	order uint64 // of the last chunk
	held  int    // bytes in sets
	stats ReaderStats
}

// set is the chunks of one payload. Two instances of different builds may pack the same evidence differently.
type set struct {
	id     string
	digest [16]byte
}

type chunks struct {
	head  Head
	parts [][]byte
	have  int
	bytes int
	last  uint64
}

// ReaderStats counts what a Reader was given.
type ReaderStats struct {
	Minutes   uint64 // yielded
	Evidence  uint64 // yielded
	Doubled   uint64 // known already, each chunk counted
	Torn      uint64 // evidence given up while chunks were missing
	Malformed uint64
	Newer     uint64 // of a newer form
}

// NewReader begins at any position of a log.
func NewReader() (*Reader, error) {
	z, err := newUnpacker()
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return &Reader{z: z, seen: actuator.NewRecent(), sets: map[set]*chunks{}}, nil
}

// Close frees what entries are unpacked with: none of them can be after it.
func (r *Reader) Close() { r.z.Close() }

// Read takes the next value of the log. ok is false where it completes nothing: a chunk of more, or one that is counted.
func (r *Reader) Read(value []byte) (e Entry, ok bool) {
	f, err := decodeFrame(value)
	switch {
	case errors.Is(err, actuator.ErrNewer):
		r.stats.Newer++
	case err != nil:
		r.stats.Malformed++
	case r.seen.Has(f.ID):
		r.stats.Doubled++
	default:
		return r.join(f)
	}
	return Entry{}, false
}

func (r *Reader) join(f *frame) (Entry, bool) {
	key := set{f.ID, f.digest}
	c := r.sets[key]
	if c == nil {
		c = &chunks{head: f.Head, parts: make([][]byte, f.of)}
		r.sets[key] = c
	}
	if len(c.parts) != f.of {
		r.stats.Malformed++
		return Entry{}, false
	}
	r.order++
	c.last = r.order
	if c.parts[f.number] != nil {
		r.stats.Doubled++
		return Entry{}, false
	}
	c.parts[f.number] = slices.Clip(append(make([]byte, 0, len(f.payload)), f.payload...))
	c.have++
	c.bytes += len(f.payload)
	r.held += len(f.payload)
	if c.have < f.of {
		r.shrink()
		return Entry{}, false
	}
	r.drop(key)
	payload := slices.Concat(c.parts...)
	if digestOf(payload) != f.digest {
		r.stats.Malformed++
		return Entry{}, false
	}
	return r.yield(c.head, payload)
}

// yield ends an entry; what other builds have written of it in part is not needed any more.
func (r *Reader) yield(h Head, payload []byte) (Entry, bool) {
	r.seen.Add(h.ID)
	for key := range r.sets {
		if key.id == h.ID {
			r.drop(key)
		}
	}
	if h.Kind == KindMinute {
		r.stats.Minutes++
	} else {
		r.stats.Evidence++
	}
	return Entry{Head: h, payload: payload, z: r.z}, true
}

func (r *Reader) drop(key set) {
	r.held -= r.sets[key].bytes
	delete(r.sets, key)
}

// shrink gives up the sets that waited longest.
func (r *Reader) shrink() {
	for len(r.sets) > maxSets || r.held > maxTorn {
		var oldest set
		for key, c := range r.sets {
			if old := r.sets[oldest]; old == nil || c.last < old.last {
				oldest = key
			}
		}
		r.drop(oldest)
		r.stats.Torn++
	}
}

// Missing names every evidence that began and is not whole, and the first of its chunks that is missing; oldest first.
func (r *Reader) Missing() []*MissingError {
	var out []*MissingError
	for _, c := range r.sets {
		out = append(out, &MissingError{c.head, 1 + slices.IndexFunc(c.parts, func(p []byte) bool { return p == nil }), len(c.parts)})
	}
	slices.SortFunc(out, func(a, b *MissingError) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return out
}

// Stats returns the counts so far.
func (r *Reader) Stats() ReaderStats { return r.stats }
