package actuator

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"firebreak/internal/line"
)

const (
	// Version of the wire form.
	Version = 1
	// MaxEntry is the size of the largest entry, in bytes: less than a log of ours takes.
	MaxEntry = 900_000
	// maxID, maxInstance and maxName bound the strings of an entry, in bytes.
	maxID       = 64
	maxInstance = 255
	maxName     = 255
)

// ErrNewer is an entry that a newer firebreak wrote: of a version or a kind that this one does not know.
var ErrNewer = errors.New("not known to this version")

// Entry is one line of the journal.
type Entry struct {
	ID       string    // the same from every instance that evaluated the same; 1 to 64 bytes
	Fleet    string    // bytes; empty = the whole group's
	At       time.Time // of the tick, in event time; UTC, milliseconds
	Epoch    int64     // of the decider that wrote it; 0 = none wrote it yet, or a person said it
	Instance string    // that wrote it; empty = none yet
	Kind     Kind
	Phase    Phase
	Hotspot  string          // id; empty = of no hotspot
	Line     json.RawMessage // a line of docs/replay-json.md, or an object of docs/journal.md
	Cut      []string        // members that were left out of Line because the entry was too large
}

// wire is the JSON form of an entry.
type wire struct {
	Version  int             `json:"v"`
	ID       string          `json:"id"`
	Kind     Kind            `json:"kind"`
	Phase    Phase           `json:"phase,omitempty"`
	Fleet    line.Name       `json:"fleet"`
	Hotspot  line.Name       `json:"hotspot,omitempty"`
	At       line.Stamp      `json:"at"`
	Epoch    int64           `json:"epoch"`
	Instance line.Name       `json:"instance"`
	Cut      []string        `json:"cut,omitempty"`
	Line     json.RawMessage `json:"line"`
}

// Encode writes an entry as one JSON object without a line break, at most MaxEntry bytes: one that is larger is cut as
// docs/journal.md says, and names what was left out. An entry that Decode would refuse is an error.
func Encode(e *Entry) ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	b, err := e.marshal()
	if err != nil || len(b) <= MaxEntry {
		return b, err
	}
	short, err := cut(*e)
	if err != nil {
		return nil, err
	}
	return short.marshal()
}

func (e *Entry) marshal() ([]byte, error) {
	b, err := line.Encode(&wire{
		Version: Version, ID: e.ID, Kind: e.Kind, Phase: e.Phase, Fleet: line.Name(e.Fleet), Hotspot: line.Name(e.Hotspot), At: line.Stamp(e.At),
		Epoch: e.Epoch, Instance: line.Name(e.Instance), Cut: e.Cut, Line: e.Line,
	})
	return bytes.TrimSuffix(b, []byte("\n")), err
}

// Decode reads one entry. Members it does not know are skipped; the error wraps ErrNewer for another version, kind or phase.
func Decode(b []byte) (Entry, error) {
	if len(b) > MaxEntry {
		return Entry{}, fmt.Errorf("journal: entry of %d bytes, at most %d", len(b), MaxEntry)
	}
	if !utf8.Valid(b) {
		return Entry{}, errors.New("journal: not valid UTF-8")
	}
	var v struct {
		Version int `json:"v"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return Entry{}, fmt.Errorf("journal: %w", err)
	}
	if v.Version > Version {
		return Entry{}, fmt.Errorf("journal: version %d: %w", v.Version, ErrNewer)
	}
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return Entry{}, fmt.Errorf("journal: %w", err)
	}
	e := Entry{
		ID: w.ID, Fleet: string(w.Fleet), At: time.Time(w.At), Epoch: w.Epoch, Instance: string(w.Instance), Kind: w.Kind, Phase: w.Phase,
		Hotspot: string(w.Hotspot), Line: w.Line, Cut: w.Cut,
	}
	if w.Version < 1 {
		return Entry{}, fmt.Errorf("journal: version %d", w.Version)
	}
	if err := e.check(); err != nil {
		return Entry{}, err
	}
	return e, nil
}

// check refuses what no reader could use.
func (e *Entry) check() error {
	switch {
	case e.ID == "" || len(e.ID) > maxID || !plain(e.ID):
		return fmt.Errorf("journal: id %q: want 1 to %d letters and digits", e.ID, maxID)
	case e.Kind == KindUnknown || int(e.Kind) > len(Kinds()):
		return errors.New("journal: no kind")
	case e.At.IsZero() || e.At.Year() > 9999 || e.At.Year() < 1:
		return errors.New("journal: no time")
	case e.Kind.Spoken() && (e.Epoch != 0 || e.Hotspot == ""):
		return fmt.Errorf("journal: %s is of a hotspot and of no epoch", e.Kind)
	case e.Epoch < 0:
		return fmt.Errorf("journal: epoch %d", e.Epoch)
	case len(e.Instance) > maxInstance:
		return fmt.Errorf("journal: an instance of %d bytes, at most %d", len(e.Instance), maxInstance)
	case len(e.Fleet) > maxName || len(e.Hotspot) > maxName:
		return fmt.Errorf("journal: a fleet of %d and a hotspot of %d bytes, at most %d", len(e.Fleet), len(e.Hotspot), maxName)
	case len(e.Line) < 2 || e.Line[0] != '{':
		return errors.New("journal: the line is no object")
	}
	return nil
}

// plain says whether an id is of letters, digits and - only: it goes into headers and URLs as it is.
func plain(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' {
			return false
		}
	}
	return true
}

// NewID is the id of what its parts say: 128 bits of their SHA-256, in 32 hexadecimal digits. Nobody can choose a key so
// that the news of it has the id of other news.
func NewID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
