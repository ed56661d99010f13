package survey

import (
	"cmp"
	"slices"
)

// choice is the column of a role.
type choice struct {
	role   role
	column *column
	or     []*column // further columns that have the value where this one has none
	score  int       // of the name; 0 = chosen by its values alone
	regex  string    // only a part of the value, see prefix
	note   string    // what the regex takes
	preset bool      // the preset maps it
}

// chooser gives columns to roles, each column to one, the surest roles first.
type chooser struct {
	form    *form
	dict    dictionary
	lexicon *lexicon
	names   names
	columns []*column
	moments map[*column]moment
	lines   int
	chosen  [roles]*choice
	taken   map[*column]role
	arrival *column // a second time: when the line came, not when the request did
}

// least is the weight that a name needs.
const least = 40

// choose fills the roles that a preset has not.
func (c *chooser) choose() {
	for _, r := range []role{roleTime, roleLatency, roleCount, roleRate, roleStatus, roleOp, roleBytes, roleShard, roleKey, roleTenant, roleCaller} {
		if c.chosen[r] != nil {
			continue
		}
		if best := c.best(r); best != nil {
			c.take(r, best)
		}
	}
	if c.chosen[roleKey] == nil {
		c.keyByValues()
	}
	if c.chosen[roleTenant] == nil {
		c.tenantByValues()
	}
	c.second()
}

func (c *chooser) take(r role, choice *choice) {
	choice.role = r
	c.chosen[r] = choice
	for _, column := range append([]*column{choice.column}, choice.or...) {
		if _, had := c.taken[column]; !had {
			c.taken[column] = r
		}
	}
}

// best is the column whose name and values fit a role best; nil = none does.
func (c *chooser) best(r role) *choice {
	var fit []*choice
	for _, column := range c.columns {
		if _, taken := c.taken[column]; taken {
			continue
		}
		score := c.dict.score(r, &column.name)
		if c.form.noHeader {
			score = 0
		}
		if exactOnly(r) && !c.dict.exact(r, &column.name) {
			score = 0
		}
		if score = c.judge(r, column, score); score >= least {
			fit = append(fit, &choice{column: column, score: score})
		}
	}
	if len(fit) == 0 {
		return nil
	}
	slices.SortStableFunc(fit, func(a, b *choice) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.column.present, a.column.present))
	})
	best := fit[0]
	best.or = c.alternatives(best.column, fit[1:])
	return best
}

// exactOnly are the roles in which a mistake changes the answer: "retry_count" is no count of requests.
func exactOnly(r role) bool {
	return r == roleCount || r == roleRate || r == roleCaller || r == roleShard
}

// alternatives are the columns that have a value where the first has none, and hardly ever beside it: writers of one log
// that do not agree on a name.
func (c *chooser) alternatives(first *column, others []*choice) []*column {
	var out []*column
	missing := c.lines - first.present
	for _, o := range others {
		both, only := first.beside(o.column)
		if missing*20 >= c.lines && only*2 >= missing && both*20 <= only && c.sameTime(first, o.column) {
			out = append(out, o.column)
			missing -= only
		}
	}
	return out
}

// sameTime says that two columns, if they are times, are written alike.
func (c *chooser) sameTime(a, b *column) bool { return c.moments[a].cfg == c.moments[b].cfg }

// keyByValues takes the column with the most different values for the key: neither a measure nor an id of the request.
func (c *chooser) keyByValues() {
	var best *column
	for _, column := range c.columns {
		if !c.free(column) || column.distinct() < 2 || column.unique() || c.measure(column) {
			continue
		}
		if best == nil || column.distinct() > best.distinct() {
			best = column
		}
	}
	if best != nil && best.distinct() > 8 {
		c.take(roleKey, &choice{column: best})
	}
}

// free says that a column is nobody's, no time, and not named for what no role wants.
func (c *chooser) free(column *column) bool {
	_, taken := c.taken[column]
	m := c.moments[column]
	return !taken && !m.ok(column) && !unwanted(&column.name)
}

// measure says that a column holds amounts and not names: numbers with fractions, or small whole ones.
func (c *chooser) measure(column *column) bool {
	return column.nearly(column.numbers, 0.9) && (column.whole < column.numbers || column.max < 1e6)
}

// tenantByValues looks for a tenant that no name gives away: a part of the key, or a column with far fewer values than
// the key that goes with it.
func (c *chooser) tenantByValues() {
	key := c.chosen[roleKey]
	if key == nil {
		return
	}
	if regex, note := prefix(key.column); regex != "" {
		c.chosen[roleTenant] = &choice{role: roleTenant, column: key.column, or: key.or, regex: regex, note: note}
		return
	}
	for _, column := range c.columns {
		if !c.free(column) || c.measure(column) || column.distinct() < 4 || column.distinct()*2 > key.column.distinct() || column.present*2 < c.lines {
			continue
		}
		if share, repeated := column.stays(key.column); repeated >= 10 && share >= 0.98 {
			c.take(roleTenant, &choice{column: column})
			return
		}
	}
}

// second finds a further time: when the line arrived.
func (c *chooser) second() {
	if c.chosen[roleTime] == nil {
		return
	}
	for _, column := range c.columns {
		m := c.moments[column]
		if _, taken := c.taken[column]; !taken && m.ok(column) && c.dict.score(roleTime, &column.name) > 0 {
			c.arrival = column
			return
		}
	}
}
