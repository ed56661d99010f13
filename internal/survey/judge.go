package survey

import (
	"slices"

	"firebreak/pipeline/record"
)

// judge says whether a column's values fit the role that its name may have: the score, 0 where they do not, and a score
// of their own where values without a name give it away.
func (c *chooser) judge(r role, v *column, score int) int {
	fits := false
	switch r {
	case roleTime:
		return c.judgeTime(v, score)
	case roleCount:
		fits = v.nearly(v.positive, 1) && v.present*2 >= c.lines
	case roleRate:
		fits = v.nearly(v.positive, 1) && v.max <= 1
	case roleLatency, roleBytes:
		fits = v.nearly(v.positive+v.zeros, 1)
	case roleStatus:
		fits = v.nearly(v.whole, 1) && v.min >= 0 && v.max < 1000 || v.numbers == 0 && v.distinct() <= 30
	case roleOp:
		return c.judgeOp(v, score)
	case roleShard:
		return c.judgeShard(v, score)
	case roleKey:
		fits = (v.distinct() >= 2 || v.distinct() == 1 && score >= sureKey) && !c.time(v) && (score >= sureKey || !c.measure(v))
	case roleTenant:
		fits = v.distinct() >= 2 && !v.unique() && !c.time(v) && !c.fraction(v)
	case roleCaller:
		fits = v.distinct() >= 2 && v.distinct()*4 <= c.lines && !c.time(v)
	}
	if !fits {
		return 0
	}
	return score
}

func (c *chooser) time(v *column) bool {
	m := c.moments[v]
	return v.numbers == 0 && m.ok(v)
}

// fraction says that a column holds numbers with fractions.
func (c *chooser) fraction(v *column) bool { return v.nearly(v.numbers, 0.9) && v.whole < v.numbers }

// sureKey is the weight of a name that can mean nothing but a key: a single one may be all there is, and it may be a number.
const sureKey = 90

// byValues is the score of values that need no name.
const byValues = least

func (c *chooser) judgeTime(v *column, score int) int {
	m := c.moments[v]
	switch {
	case !m.ok(v) || v.present*2 < c.lines:
		return 0
	case score > 0:
		return score
	case m.inOrder():
		return byValues
	}
	return 0
}

// judgeOp wants words, few of them. A column without a name that says so is an op where nearly all words are known.
func (c *chooser) judgeOp(v *column, score int) int {
	if v.distinct() > maxOps || v.distinct() == 0 || v.numbers*2 > v.present {
		return 0
	}
	known := 0
	for word, n := range v.counts {
		if c.lexicon.meaning(word).op != record.OpUnknown {
			known += n
		}
	}
	switch {
	case score >= 80:
		return score
	case v.nearly(known, 0.5) && score > 0:
		return score
	case c.form.noHeader && v.nearly(known, 0.8):
		return byValues
	}
	return 0
}

// maxOps is how many different words an op may be.
const maxOps = 64

// sureShard is the weight of a name that can mean nothing but a shard.
const sureShard = 95

// judgeShard wants few values, and keys (or tenants) that stay on one: what a log calls a node or a server may be its
// client, or a replica that was chosen at random. A name that means nothing else is believed until they show otherwise.
func (c *chooser) judgeShard(v *column, score int) int {
	if score == 0 || !c.few(v) {
		return 0
	}
	share, repeated := c.kept(v)
	if score >= sureShard && (repeated < leastRepeated || share >= 0.9) || repeated >= leastRepeated && share >= keptShare {
		return score
	}
	return 0
}

const (
	// leastRepeated is how many keys must come more than once before anything is said of where they stay.
	leastRepeated = 20
	// keptShare is the share of their lines that must stay: what moves while the sample is taken is little.
	keptShare = 0.98
)

// few says that a column has as few values as a log has shards.
func (c *chooser) few(v *column) bool {
	return v.distinct() >= 2 && v.distinct()*5 <= c.lines && v.distinct() <= 4096 && !c.fraction(v)
}

// mayBeShard is a column that no role has and that could name the shard: its name says so in part, and keys stay on one
// value. nil = there is none.
func (c *chooser) mayBeShard() *column {
	for _, v := range c.columns {
		if _, taken := c.taken[v]; taken || c.dict.score(roleShard, &v.name) == 0 || !c.few(v) {
			continue
		}
		if share, repeated := c.kept(v); repeated >= leastRepeated && share >= keptShare {
			return v
		}
	}
	return nil
}

// kept says how far the values that could be a key or a tenant stay on one value of v: the best of them.
func (c *chooser) kept(v *column) (share float64, repeated int) {
	for _, by := range c.columns {
		if by == v || max(c.dict.score(roleKey, &by.name), c.dict.score(roleTenant, &by.name)) < least || by.distinct() <= v.distinct() {
			continue
		}
		if s, n := v.stays(by); n >= min(leastRepeated, repeated) && s > share {
			share, repeated = s, n
		}
	}
	return share, repeated
}

// unwanted says that a name is of something that is neither key nor tenant.
func unwanted(name *spelled) bool {
	return slices.ContainsFunc(name.own, func(w string) bool {
		return slices.Contains([]string{
			"request", "trace", "span", "correlation", "uuid", "guid", "level", "severity", "msg", "message", "logger", "referer", "referrer", "agent",
			"protocol", "version", "size", "bytes", "count", "rate", "ttl", "region", "zone", "env", "environment", "offset", "hits", "weight",
			"line", "thread", "pid", "latency", "duration", "ident", "extra1", "extra2", "extra3",
		}, w)
	})
}
