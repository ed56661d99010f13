package policy

import (
	"cmp"
	"testing"

	"firebreak/routing"
)

// TestUnsplit: a key of eight pieces, which had one before or two, and where its writes were seen.
func TestUnsplit(t *testing.T) {
	const many = 1000
	write := func(suffix uint32, writes float64) Piece {
		return Piece{Suffix: suffix, Sums: Sums{Load: writes, Variance: writes, Records: writes, Writes: writes}}
	}
	read := func(suffix uint32) Piece {
		return Piece{Suffix: suffix, Sums: Sums{Load: many, Variance: many, Records: many, Reads: many}}
	}
	for name, c := range map[string]struct {
		bytes  string // of the placement; empty = "tenant,key"
		before int    // pieces; 1 = it was not salted
		tenant string
		pieces []Piece
		want   bool
	}{
		"all at the bare key":                     {"", 1, "acme", []Piece{write(0, many)}, true},
		"a few clients follow":                    {"", 1, "acme", []Piece{write(0, 950), write(11, 25), write(12, 25)}, true},
		"half of them do":                         {"", 1, "acme", []Piece{write(0, 560), write(11, 220), write(12, 220)}, false},
		"spread":                                  {"", 1, "acme", []Piece{write(0, 125), write(11, 125), write(12, 125), write(13, 625)}, false},
		"too few to tell":                         {"", 1, "acme", []Piece{write(0, 15)}, false},
		"nothing is written":                      {"", 1, "acme", []Piece{read(0)}, false},
		"reads are no writes":                     {"", 1, "acme", []Piece{read(0), write(0, 125), write(11, 875)}, false},
		"readers of all, writers of none":         {"", 1, "acme", []Piece{write(0, many), read(11), read(12)}, true},
		"the log tells no pieces":                 {"", 1, "acme", nil, false},
		"another tenant's key":                    {"", 1, "other", []Piece{write(0, many)}, false},
		"at the two of before":                    {"", 2, "acme", []Piece{write(0, 500), write(11, 500)}, true},
		"from two to eight":                       {"", 2, "acme", []Piece{write(0, 125), write(11, 125), write(12, 750)}, false},
		"the key of all tenants, most of another": {"key", 1, "other", []Piece{write(0, many)}, true},
		"it was higher":                           {"", 12, "acme", []Piece{write(11, many)}, false},
		"it was as high":                          {"", 8, "acme", []Piece{write(0, many)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			salt := routing.Salt{Tenant: "acme", Key: "feed", Suffixes: []uint32{0, 11, 12, 13, 14, 15, 16, 17}, Read: 8, Write: 8}
			if c.bytes == "key" {
				salt.Tenant = ""
			}
			is := &routing.Document{Placement: routing.Placement{Bytes: cmp.Or(c.bytes, "tenant,key")}, Salts: []routing.Salt{salt}}
			was := is.Clone()
			if was.Salts[0].Write = c.before; c.before == 1 {
				was.Salts = nil
			}
			s := &Snapshot{Keys: []Contributor{{Key: "views", Tenant: "acme"}, {Key: "feed", Tenant: c.tenant, Pieces: c.pieces}}}
			if key, old, ok := Unsplit(s, was, is); ok != c.want || ok && (key != "feed" || old < 0.9) {
				t.Errorf("%t, %q with %.2f of its writes at the pieces of before", ok, key, old)
			}
		})
	}
}
