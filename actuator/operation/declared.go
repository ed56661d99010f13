package operation

import (
	"fmt"
	"time"

	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// undeclared says why a change of the document that a person asks for may not be made: it would cache or salt a key that no key space
// declares for it, or cache it for longer than is declared. Nil = it may. What stands already is let alone.
func undeclared(s *control.State, r *control.Request, cfg *policy.Config) error {
	is := r.Document
	if r.Do == control.DoSet {
		is = s.Document.Clone()
		for _, e := range r.Edits {
			if e.Entry.Kind != routing.EntryCache {
				continue
			}
			if is.Set(e.Entry, e.Value) != nil {
				return nil //nolint:nilerr // who carries it out says that
			}
		}
	}
	stand := s.Document.Values()
	for _, c := range is.Cached {
		e, may := routing.CacheEntry(c.Tenant, c.Key), cfg.StalenessOf(c.Tenant, c.Key)
		if was, err := time.ParseDuration(stand[e]); err == nil && was == c.Staleness {
			continue
		}
		if may == 0 {
			return fmt.Errorf("%s: none of policy.key_spaces says how old an answer for it may be: it may not be cached", e)
		}
		if c.Staleness > may {
			return fmt.Errorf("%s: %s, and by policy.key_spaces an answer for it may be %s old at most", e, c.Staleness, may)
		}
	}
	for i := range is.Salts {
		e := routing.SaltEntry(is.Salts[i].Tenant, is.Salts[i].Key)
		if _, stands := stand[e]; !stands && cfg.MergeOf(is.Salts[i].Tenant, is.Salts[i].Key) == "" {
			return fmt.Errorf("%s: none of policy.key_spaces says how its pieces are merged: it may not be salted", e)
		}
	}
	return nil
}
