package model

import (
	"fmt"

	"firebreak/routing"
)

// salted is the key that is salted in the models, and its suffixes. Its bare piece lies on virtual shard 0, the others on 1.
type salted struct {
	key      string
	suffixes [3]uint32 // the bare piece's, the first salt's, the second one's
}

// newSalted searches a key and suffixes as a plan does.
func newSalted(t *routing.Table) salted {
	s := salted{}
	for i := 0; s.key == ""; i++ {
		if key := fmt.Sprintf("counter-%d", i); t.Locate(nil, []byte(key)).VShard == 0 {
			s.key = key
		}
	}
	for i, suffix := 1, uint32(1); i < len(s.suffixes); suffix++ {
		if v, _ := t.PiecePlace(nil, []byte(s.key), suffix); v == 1 {
			s.suffixes[i] = suffix
			i++
		}
	}
	return s
}

// set is a change of a document to one salt: its pieces, of which the first ones are read and written, and its tombstones, all as indexes
// of suffixes.
func (s salted) set(pieces []int, read, write int, tombstones ...int) func(*routing.Document) {
	return func(d *routing.Document) {
		salt := routing.Salt{Key: s.key, Read: read, Write: write}
		for _, i := range pieces {
			salt.Suffixes = append(salt.Suffixes, s.suffixes[i])
		}
		for _, i := range tombstones {
			salt.Tombstones = append(salt.Tombstones, s.suffixes[i])
		}
		d.Salts = []routing.Salt{salt}
		if len(pieces) == 1 && len(tombstones) == 0 {
			d.Salts = nil
		}
	}
}

// pieces are the pieces, a bit each, that readers and writers use by a table. Both include the bare one.
func (s salted) pieces(t *routing.Table) (read, write uint8) {
	salt, ok := t.Salt(nil, []byte(s.key))
	if !ok {
		return 1, 1
	}
	for i, p := range t.Pieces(nil, []byte(s.key), nil) {
		for j, suffix := range s.suffixes {
			if i == 0 && j == 0 || i > 0 && j > 0 && p.Suffix == suffix {
				if i < salt.Read {
					read |= 1 << j
				}
				if i < salt.Write {
					write |= 1 << j
				}
			}
		}
	}
	return read, write
}

// pieceName names a piece in a step.
func pieceName(i int) string {
	return [3]string{"the bare piece", "piece 1", "the piece of the second salt"}[i]
}

// reading is a read of a client, piece by piece, by the table of its look-up. Writes are a bit each, so that a sum is a set.
type reading struct {
	used  ref   // the shape of the table; 0 = no read is under way
	left  uint8 // the pieces that are still to be read
	need  uint8 // what was acknowledged before the first piece was read
	bare  uint8 // what the bare piece had
	rest  uint8 // what piece 1 had
	other uint8 // what the piece of the second salt had
	names uint8 // the pieces that the bare one named as folded into it
	late  bool  // the client knew at the look-up that it is cut off
}

// sum is what a read gives, and whether it counts a write twice.
func (r *reading) sum(leaveOut bool) (sum uint8, twice bool) {
	sum = r.bare
	for i, v := range [2]uint8{r.rest, r.other} {
		if r.names&(2<<i) != 0 && leaveOut {
			continue
		}
		twice = twice || sum&v != 0
		sum |= v
	}
	return sum, twice
}
