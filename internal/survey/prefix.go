package survey

import (
	"regexp"
	"strings"
)

const (
	// A first part of the key is taken for the tenant if nearly all keys have one, there are at least so many different
	// ones (fewer are kinds of things: user:, item:), and each stands for several keys.
	leastPrefixes = 8
	keysPerPrefix = 3
)

// prefix finds the tenant in the key: behind a word that names one ("/t/acme/", "tenant:acme:"), or as the first part of
// the key. It returns a regular expression whose first group is the tenant, and what it takes; empty = none.
func prefix(key *column) (regex, note string) {
	for _, p := range []struct{ regex, note string }{
		{`^/(?:t|tenant|tenants|org|orgs|account|accounts|customer|customers|shop|shops|workspace|workspaces|project|projects|team|teams)/([^/?]+)`, "the part of the path behind the word that names it"},
		{`^(?:t|tenant|org|account|acct|customer|shop|workspace|project|team)[:=/|]([^:/|]+)[:/|]`, "the part of the key behind the word that names it"},
		{`^\{?([^:/|{}]+)\}?:`, "the part of the key before the first colon"},
		{`^([^:/|]+)\|`, "the part of the key before the first bar"},
		{`^([^:/|]+)/`, "the part of the key before the first slash"},
	} {
		named := strings.Contains(p.regex, "tenant")
		if takes(key, regexp.MustCompile(p.regex), named) {
			return p.regex, p.note
		}
	}
	return "", ""
}

// takes says whether a part of the key has the numbers of a tenant.
func takes(key *column, re *regexp.Regexp, named bool) bool {
	matched, parts := 0, map[string]int{}
	for v, n := range key.counts {
		if m := re.FindStringSubmatch(v); m != nil && m[1] != "" {
			matched += n
			parts[m[1]]++ // keys, not lines
		}
	}
	if named {
		return key.nearly(matched, 0.5) && len(parts) >= 2
	}
	return key.nearly(matched, 0.9) && len(parts) >= leastPrefixes && len(parts)*keysPerPrefix <= key.distinct()
}
