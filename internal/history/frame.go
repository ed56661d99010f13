package history

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"firebreak/actuator"
)

const (
	// Version of the wire form.
	Version = 1
	// MaxEntry is the size of the largest value, in bytes: that of the journal's, since the same brokers take both.
	MaxEntry = actuator.MaxEntry
	// maxRaw bounds evidence before it is compressed, in bytes: five times that of 2,000 shards.
	maxRaw = 128 << 20
	// maxMinute bounds a minute before it is compressed, in bytes.
	maxMinute = 4 << 20
	// maxChunks bounds the values of one evidence.
	maxChunks = 128
	// maxName bounds the name of a fleet and the id of a hotspot, in bytes.
	maxName = 255
	// maxHotspots bounds the hotspots of one evidence: more than shards.
	maxHotspots = 4096
)

// ErrTooLarge is what no log could take.
var ErrTooLarge = errors.New("too large")

// Kind says what an entry is.
type Kind uint8

// The kinds. The zero value is none of them and is never written.
const (
	KindUnknown Kind = iota
	KindMinute
	KindEvidence
)

// String returns the one spelling of k.
func (k Kind) String() string {
	switch k {
	case KindMinute:
		return "minute"
	case KindEvidence:
		return "evidence"
	case KindUnknown:
	}
	return "unknown"
}

// Head says what an entry is of. It is read without unpacking the rest.
type Head struct {
	Kind     Kind
	ID       string    // 32 hexadecimal digits, the same from every instance
	Fleet    string    // bytes
	At       time.Time // of a minute its start, of evidence the end of the newest pane; UTC, milliseconds
	Hotspots []string  // of evidence: ids of those that fired, changed or resolved
}

// frame is one value of the log: an entry or a chunk of one.
//
//	version, kind, id in 16 bytes, At in milliseconds, fleet, count of hotspots, hotspots,
//	digest of the whole payload in 16 bytes, number of the chunk from 0, count of chunks, payload
//
// Numbers are varints; texts have their length before them.
type frame struct {
	Head

	digest  [16]byte
	number  int
	of      int
	payload []byte
}

// append writes the frame behind b.
func (f *frame) append(b []byte) ([]byte, error) {
	id, err := hex.DecodeString(f.ID)
	if err != nil || len(id) != 16 {
		return nil, fmt.Errorf("history: id %q", f.ID)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	b = append(b, Version, byte(f.Kind))
	b = append(b, id...)
	b = binary.AppendVarint(b, f.At.UnixMilli())
	b = append(binary.AppendUvarint(b, uint64(len(f.Fleet))), f.Fleet...)
	b = binary.AppendUvarint(b, uint64(len(f.Hotspots)))
	for _, h := range f.Hotspots {
		b = append(binary.AppendUvarint(b, uint64(len(h))), h...)
	}
	b = append(b, f.digest[:]...)
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(f.number)), uint64(f.of))
	return append(b, f.payload...), nil
}

// check refuses what no reader would take.
func (f *frame) check() error {
	switch {
	case f.Kind != KindMinute && f.Kind != KindEvidence:
		return fmt.Errorf("history: kind %d: %w", f.Kind, actuator.ErrNewer)
	case f.At.Year() < 1 || f.At.Year() > 9999:
		return errors.New("history: no time")
	case len(f.Fleet) > maxName:
		return fmt.Errorf("history: a fleet of %d bytes, at most %d", len(f.Fleet), maxName)
	case len(f.Hotspots) > maxHotspots:
		return fmt.Errorf("history: %d hotspots, at most %d", len(f.Hotspots), maxHotspots)
	case f.of < 1 || f.of > maxChunks || f.number < 0 || f.number >= f.of:
		return fmt.Errorf("history: chunk %d of %d", f.number+1, f.of)
	case f.Kind == KindMinute && f.of > 1:
		return errors.New("history: a minute in chunks")
	}
	for _, h := range f.Hotspots {
		if len(h) > maxName {
			return fmt.Errorf("history: a hotspot of %d bytes, at most %d", len(h), maxName)
		}
	}
	return nil
}

// decodeFrame reads one value of the log. The payload is not copied.
func decodeFrame(value []byte) (*frame, error) {
	if len(value) > MaxEntry {
		return nil, fmt.Errorf("history: %w: %d bytes, at most %d", ErrTooLarge, len(value), MaxEntry)
	}
	r := columnReader{in: value}
	head, err := r.bytes(18)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	if head[0] != Version {
		if head[0] > Version {
			return nil, fmt.Errorf("history: version %d: %w", head[0], actuator.ErrNewer)
		}
		return nil, fmt.Errorf("history: version %d", head[0])
	}
	f := &frame{Head: Head{Kind: Kind(head[1]), ID: hex.EncodeToString(head[2:18])}}
	if err := f.rest(&r); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return f, f.check()
}

// rest reads what stands behind the id.
func (f *frame) rest(r *columnReader) error {
	ms, err := r.int()
	if err != nil {
		return err
	}
	f.At = time.UnixMilli(ms).UTC()
	if f.Fleet, err = r.text(); err != nil {
		return err
	}
	count, err := r.uint()
	if err != nil || count > maxHotspots {
		return fmt.Errorf("%d hotspots, at most %d", count, maxHotspots)
	}
	for range count {
		h, err := r.text()
		if err != nil {
			return err
		}
		f.Hotspots = append(f.Hotspots, h)
	}
	digest, err := r.bytes(16)
	if err != nil {
		return err
	}
	copy(f.digest[:], digest)
	for _, into := range []*int{&f.number, &f.of} {
		n, err := r.uint()
		if err != nil || n > maxChunks {
			return fmt.Errorf("chunk number %d", n)
		}
		*into = int(n)
	}
	f.payload = r.in
	return nil
}
