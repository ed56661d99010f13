package pipeline

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"firebreak/routing"
)

// counting names one way of counting one fleet.
type counting struct {
	fleet string
	print uint64
}

// dictionary is the shards that the deltas of one way of counting have named, in the order in which they were accepted.
// Every instance keeps those of all, also of fleets and configurations that are not its own: whether a delta is accepted
// depends on the log alone, or instances with different configurations would part for good.
type dictionary struct {
	base   int // shards that the configuration names
	shards []string
	at     time.Time // of the newest accepted delta
}

// maxDictionaries bounds how many ways of counting are remembered; the one that was seen longest ago is forgotten.
const maxDictionaries = 64

// fits tells whether a fleet's part of a delta names shards from where the dictionary ends, each once.
func (l *Ledger) fits(fd *fleetDelta) bool {
	if fd.base < 0 || fd.base > routing.MaxShards || fd.base+len(fd.shards) > routing.MaxShards {
		return false
	}
	d, own := l.dictionaries[counting{fd.name, fd.print}], l.fleet(fd.name)
	names := map[string]bool{}
	for _, name := range fd.shards {
		known := names[name] || d != nil && slices.Contains(d.shards, name)
		if own != nil && own.print == fd.print {
			_, named := own.places.names[name]
			known = known || named
		}
		if known || name == "" || len(name) > maxShardName {
			return false
		}
		names[name] = true
	}
	if d == nil {
		return true
	}
	all := d.base + len(d.shards)
	return fd.base <= all && (len(fd.shards) == 0 || fd.base == all)
}

// learn keeps the shards that an accepted delta names.
func (l *Ledger) learn(fd *fleetDelta) {
	way := counting{fd.name, fd.print}
	d := l.dictionaries[way]
	if d == nil {
		d = &dictionary{base: fd.base}
		l.dictionaries[way] = d
	}
	d.shards, d.at = append(d.shards, fd.shards...), l.at
	if len(l.dictionaries) <= maxDictionaries {
		return
	}
	oldest := way
	for _, w := range sortedCountings(l.dictionaries) {
		if l.dictionaries[w].at.Before(l.dictionaries[oldest].at) {
			oldest = w
		}
	}
	delete(l.dictionaries, oldest)
}

func sortedCountings(m map[counting]*dictionary) []counting {
	return slices.SortedFunc(maps.Keys(m), func(a, b counting) int {
		return cmp.Or(cmp.Compare(a.fleet, b.fleet), cmp.Compare(a.print, b.print))
	})
}

// seedPrint names a seed without telling it.
func seedPrint(seed uint64) uint64 {
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("firebreak seed"), seed))
	return binary.LittleEndian.Uint64(sum[:])
}
