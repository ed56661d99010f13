package routing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseSalt reads the value of a salt as Value writes it. Whether a document may hold it is for Validate.
func ParseSalt(e Entry, value string) (Salt, error) {
	s := Salt{Tenant: e.Tenant, Key: e.Name}
	if e.Kind != EntrySalt {
		return s, fmt.Errorf("%s: no salt", e)
	}
	for part := range strings.SplitSeq(value, ",") {
		name, text, given := strings.Cut(part, "=")
		var err error
		switch {
		case !given:
			err = fmt.Errorf("%q: want write=, read=, suffixes= or tombstones=", part)
		case name == "write":
			s.Write, err = strconv.Atoi(text)
		case name == "read":
			s.Read, err = strconv.Atoi(text)
		case name == "suffixes":
			s.Suffixes, err = parseList(text)
		case name == "tombstones":
			s.Tombstones, err = parseList(text)
		default:
			err = fmt.Errorf("%q: want write=, read=, suffixes= or tombstones=", part)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", e, err)
		}
	}
	return s, nil
}

func parseList(text string) ([]uint32, error) {
	var out []uint32
	for part := range strings.SplitSeq(text, "+") {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q: want numbers with + between", text)
		}
		out = append(out, uint32(n))
	}
	return out, nil
}

// PutSalt gives a key the salt s, in place of the one it has. Who changes a salt does so in phases, readers before writers.
func (d *Document) PutSalt(s Salt) {
	d.DropSalt(SaltEntry(s.Tenant, s.Key))
	d.Salts = append(d.Salts, s)
}

// DropSalt forgets a salt. Only one whose pieces were never written may be forgotten: of others the tombstones must stay.
func (d *Document) DropSalt(e Entry) {
	d.Salts = slices.DeleteFunc(d.Salts, func(o Salt) bool { return SaltEntry(o.Tenant, o.Key) == e })
}

// SaltOf is a copy of the salt that an entry names; ok is false where d has none.
func (d *Document) SaltOf(e Entry) (s Salt, ok bool) {
	i := slices.IndexFunc(d.Salts, func(o Salt) bool { return SaltEntry(o.Tenant, o.Key) == e })
	if i < 0 {
		return Salt{}, false
	}
	s = d.Salts[i]
	s.Suffixes, s.Tombstones = slices.Clone(s.Suffixes), slices.Clone(s.Tombstones)
	return s, true
}
