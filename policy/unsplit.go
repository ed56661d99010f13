package policy

import (
	"slices"

	"firebreak/routing"
)

// unsplitNear is how close to all of a key's writes those to its pieces of before must come, in shares of the way from what the new salt
// leaves to them, for nobody to go by it.
const unsplitNear = 0.25

// Unsplit finds a key whose salt is higher in one document than in the one before, and which is written as if it were not: by its lower bound
// nearly all of its writes, the share old, go to the pieces of before. Only a log of what shards served tells pieces apart.
func Unsplit(s *Snapshot, was, is *routing.Document) (key string, old float64, ok bool) {
	for i := range is.Salts {
		salt, before := &is.Salts[i], 1
		if o, salted := was.SaltOf(routing.SaltEntry(salt.Tenant, salt.Key)); salted {
			before = o.Write
		}
		at := slices.IndexFunc(s.Keys, func(c Contributor) bool {
			return c.Key == salt.Key && (c.Tenant == salt.Tenant || !is.Placement.IdentifiesTenant())
		})
		if salt.Write <= before || at < 0 {
			continue
		}
		var writes share
		for _, p := range s.Keys[at].Pieces {
			w := amount{p.Writes, p.Variance * ratio(p.Writes, p.Load)}
			if p.Suffix == 0 || slices.Contains(salt.Suffixes[1:before], p.Suffix) {
				writes.part = writes.part.plus(w)
			} else {
				writes.rest = writes.rest.plus(w)
			}
		}
		if obeyed := float64(before) / float64(salt.Write); writes.above(1-unsplitNear*(1-obeyed), hotLevel) {
			return salt.Key, writes.value(), true
		}
	}
	return "", 0, false
}
