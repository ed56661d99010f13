package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Unread is a metric that is asked for and of which nothing is known now: its source does not answer, or says nothing of the shard.
// That is no all-clear.
type Unread struct {
	Shard  string // empty = of no shard
	Metric Metric
}

// Hides says whether an advice about the topic of a shard may stand unseen.
func (u Unread) Hides(shard string, about Topic) bool {
	if u.Shard != "" && u.Shard != shard {
		return false
	}
	for _, hot := range []bool{false, true} {
		if topic, _ := action(u.Metric, hot); topic == about && topic != TopicNone {
			return true
		}
	}
	return false
}

// namedUnread is how many shards a finding names.
const namedUnread = 3

// UnreadFindings says what is not known, one sentence a metric.
func UnreadFindings(unread []Unread) []Finding {
	var out []Finding
	for _, m := range Metrics() {
		var shards []string
		all := false
		for _, u := range unread {
			if u.Metric == m {
				shards, all = append(shards, u.Shard), all || u.Shard == ""
			}
		}
		switch {
		case all:
			out = append(out, Finding{Reason: fmt.Sprintf("no shard's %s is known, though it is asked for: what it would advise is not seen", m)})
		case len(shards) > 0:
			slices.Sort(shards)
			more := ""
			if n := len(shards) - namedUnread; n > 0 {
				shards, more = shards[:namedUnread], fmt.Sprintf(" and %d more", n)
			}
			out = append(out, Finding{Reason: fmt.Sprintf("nothing is known of %s of %s%s, though it is asked for: what it would advise is not seen", m, strings.Join(shards, ", "), more)})
		}
	}
	return out
}
