package routing

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Change is an entry that two documents of a fleet differ in, with its values as Document.Value writes them; empty = it is not there.
type Change struct {
	Entry   Entry
	Was, Is string
}

// Entries lists the entries that d has, shards included, ordered by kind, tenant, name.
func (d *Document) Entries() []Entry {
	return slices.SortedFunc(maps.Keys(d.Values()), CompareEntries)
}

// Diff lists the entries that differ from was to is, ordered as Entries are. Base map, epoch, tenure, version, stop and
// what is fenced are no entries.
func Diff(was, is *Document) []Change {
	before, after := was.Values(), is.Values()
	var out []Change
	for e, v := range before {
		if now := after[e]; now != v {
			out = append(out, Change{Entry: e, Was: v, Is: now})
		}
	}
	for e, v := range after {
		if _, had := before[e]; !had {
			out = append(out, Change{Entry: e, Is: v})
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return CompareEntries(a.Entry, b.Entry) })
	return out
}

// ParseEntry reads what Entry.String writes.
func ParseEntry(s string) (Entry, error) {
	parts := strings.Split(s, "/")
	var e Entry
	for k := EntryVShard; k <= EntryShard; k++ {
		if parts[0] == k.String() {
			e.Kind = k
		}
	}
	tenanted := e.Kind == EntrySalt || e.Kind == EntryCache
	if e.Kind == EntryUnknown || len(parts) < 2 || len(parts) > 3 || len(parts) == 3 && !tenanted {
		return Entry{}, fmt.Errorf("entry: %q, want vshard/17, shard/NAME, tenant/NAME, quota/TENANT, cache/[TENANT/]KEY or salt/[TENANT/]KEY", s)
	}
	var err error
	if e.Name, err = unescapePart(parts[len(parts)-1], '/'); err != nil {
		return Entry{}, err
	}
	if len(parts) == 3 {
		if e.Tenant, err = unescapePart(parts[1], '/'); err != nil {
			return Entry{}, err
		}
	}
	if e.Name == "" || len(parts) == 3 && e.Tenant == "" || e.String() != s {
		return Entry{}, fmt.Errorf("entry: %q is not as an entry is written", s)
	}
	return e, nil
}

// escapePart is Escape, and \xNN for one more byte, which separates parts.
func escapePart(s string, separator byte) string {
	return strings.ReplaceAll(Escape(s), string(separator), fmt.Sprintf(`\x%02x`, separator))
}

// unescapePart is the inverse of escapePart.
func unescapePart(s string, separator byte) (string, error) {
	marked := fmt.Sprintf("x%02x", separator)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			b.WriteByte(s[i])
		case strings.HasPrefix(s[i+1:], marked):
			b.WriteByte(separator)
			i += len(marked)
		case i+1 < len(s):
			b.WriteString(s[i : i+2])
			i++
		default:
			b.WriteByte('\\')
		}
	}
	return Unescape(b.String())
}

// SameBase says whether o lies by the base map of d: the same fleet and placement, and the same shards in the same order, as far as both
// have them: shards are added and never taken away, so a backup may have fewer.
// The error names what differs.
func (d *Document) SameBase(o *Document) error {
	if d.Fleet != o.Fleet {
		return fmt.Errorf("fleet: %q, want %q", Escape(o.Fleet), Escape(d.Fleet))
	}
	if !d.Placement.equal(o.Placement) {
		return errors.New("placement: the base map differs, and keys lie by it")
	}
	for i := range min(len(d.Shards), len(o.Shards)) {
		if d.Shards[i].Name != o.Shards[i].Name {
			return fmt.Errorf("shards[%d].name: %q, want %q", i, Escape(o.Shards[i].Name), Escape(d.Shards[i].Name))
		}
	}
	return nil
}
