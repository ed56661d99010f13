package health

import "regexp"

// names turns what a source calls a shard into what the fleet calls it.
type names struct {
	regex  *regexp.Regexp    // nil = the whole value
	mapped map[string]string // by what the source calls it
	known  map[string]bool   // shards of the fleet; nil = the log names them
}

func newNames(c *SourceConfig, shards []string) (names, error) {
	n := names{mapped: c.Shards}
	if shards != nil {
		n.known = make(map[string]bool, len(shards))
		for _, s := range shards {
			n.known[s] = true
		}
	}
	var err error
	if c.Regex != "" {
		n.regex, err = regexp.Compile(c.Regex)
	}
	return n, err
}

// shard is the fleet's name for a value; false = it is no shard of the fleet.
func (n *names) shard(value string) (string, bool) {
	if n.regex != nil {
		m := n.regex.FindStringSubmatch(value)
		if m == nil {
			return "", false
		}
		value = m[1]
	}
	if to, ok := n.mapped[value]; ok {
		value = to
	}
	return value, value != "" && (n.known == nil || n.known[value])
}

// asked are the names that a source is asked for by name: those that are listed, or else all shards of the fleet.
func (n *names) asked() []string {
	if len(n.mapped) > 0 {
		return sortedKeys(n.mapped)
	}
	return sortedKeys(n.known)
}
