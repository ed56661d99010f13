package notify

import (
	"fmt"
	"slices"
	"strings"

	"firebreak/actuator"
)

// Owners says who answers for what: the first that fits counts. The zero value knows nobody.
type Owners []Owner

// Owner answers for the keys of tenants in fleets. A list that is empty fits everything. In a text a star stands for any run
// of bytes, also an empty one; \* is a star and \\ a backslash.
type Owner struct {
	Fleets  []string `yaml:"fleets" json:"-"`
	Tenants []string `yaml:"tenants" json:"-"`
	Keys    []string `yaml:"keys" json:"-"`
	Team    string   `yaml:"team" json:"team,omitempty"`
	Channel string   `yaml:"channel" json:"channel,omitempty"` // of Slack: an id, or a name for bot tokens
	Runbook string   `yaml:"runbook" json:"runbook,omitempty"` // URL
}

// Lengths that an owner's texts may have, in bytes.
const (
	maxTeam    = 100
	maxChannel = 80
	maxRunbook = 2000
)

// Of is who answers for a key of a tenant in a fleet; nil = nobody is named. redact is how the names were redacted; nil = they
// were not.
func (o Owners) Of(fleet, tenant, key string, redact actuator.Redact) *Owner {
	for i := range o {
		if fits(o[i].Fleets, fleet, nil) && fits(o[i].Tenants, tenant, redact) && fits(o[i].Keys, key, redact) {
			return &o[i]
		}
	}
	return nil
}

// named is an owner of whom something is known; else nil.
func (o *Owner) named() *Owner {
	if o == nil || o.Team == "" && o.Channel == "" && o.Runbook == "" {
		return nil
	}
	return &Owner{Team: o.Team, Channel: o.Channel, Runbook: o.Runbook}
}

// Team is Of as a function of one fleet's keys: the team alone, empty = nobody is named.
func (o Owners) Team(fleet string, redact actuator.Redact) func(tenant, key string) string {
	return func(tenant, key string) string {
		if of := o.Of(fleet, tenant, key, redact); of != nil {
			return of.Team
		}
		return ""
	}
}

// fits says whether one of some patterns stands for a name. No name is none of them.
func fits(patterns []string, name string, redact actuator.Redact) bool {
	return len(patterns) == 0 || name != "" && slices.ContainsFunc(patterns, func(p string) bool { return fit(p, name, redact) })
}

func fit(pattern, name string, redact actuator.Redact) bool {
	parts := pieces(pattern)
	if len(parts) == 1 {
		whole := parts[0]
		return whole == name || redact != nil && redact([]byte(whole)) == name
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	rest := name[len(first) : len(name)-len(last)]
	for _, p := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, p)
		if at < 0 {
			return false
		}
		rest = rest[at+len(p):]
	}
	return true
}

// pieces are the texts between the stars of a pattern.
func pieces(pattern string) []string {
	parts, b := []string{}, strings.Builder{}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern) && (pattern[i+1] == '*' || pattern[i+1] == '\\'):
			i++
			b.WriteByte(pattern[i])
		case c == '*':
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(parts, b.String())
}

// Validate finds everything that is wrong. hashed says that names are redacted, so that only whole names can be known again.
func (o Owners) Validate(hashed bool) (p []error) {
	var all problems
	for i := range o {
		w, path := &o[i], fmt.Sprintf("[%d].", i)
		all.want(w.Team != "" || w.Channel != "" || w.Runbook != "", path+"team", "missing: give it, or channel or runbook")
		all.want(len(w.Team) <= maxTeam, path+"team", "want at most %d bytes", maxTeam)
		all.want(len(w.Channel) <= maxChannel, path+"channel", "want at most %d bytes", maxChannel)
		all.want(w.Runbook == "" || len(w.Runbook) <= maxRunbook && absolute(w.Runbook), path+"runbook", "want an absolute http or https URL, at most %d bytes", maxRunbook)
		for _, list := range []struct {
			name string
			of   []string
			all  bool
		}{{"fleets", w.Fleets, true}, {"tenants", w.Tenants, !hashed}, {"keys", w.Keys, !hashed}} {
			for n, pattern := range list.of {
				at := fmt.Sprintf("%s%s[%d]", path, list.name, n)
				all.want(pattern != "", at, "want a name, or a pattern with stars")
				all.want(list.all || len(pieces(pattern)) == 1, at, "names are hashed in the journal: want a whole name, without a star")
			}
		}
	}
	return all
}
