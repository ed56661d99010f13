package sketch

import (
	"cmp"
	"slices"
)

// line is what Window knows of a name that it listed: just what the panes say that are told (paneList.told). Lines are
// kept from call to call, so that a call costs what changed since the last one.
type line struct {
	id    int32  // number of the name; None = the line is free
	from  int32  // its first cell
	cells int32  // number of panes that list it
	call  uint32 // the last one that listed the name
	place int32  // its place among all lines by name, to sort what is equally heavy; None = not known yet
	pane  uint32 // the last pane looked at that lists it
	fresh bool   // nothing was told of it yet, or what was told is no use
	full  bool   // a total has saturated: nothing can be taken from it
	lost  bool   // a sender was forgotten: which one depends on the order of panes
	again bool   // its senders must be told anew

	hash             uint64
	low, high, sum   uint64 // bounds, and the sum of the estimates of its cells
	tenants, callers [4]sender
}

// lines are those of one kind.
type lines struct {
	all    []line
	cells  []Cell // stride of them for each line
	stride int
	call   uint32
	pane   uint32 // counts panes that were looked at
	stale  bool   // a line is fresh or must be told again
	idle   []int32

	byName   []int32 // lines in the order of their names
	unsorted bool    // a line has no place among them yet
}

// lineSlack is the share of a line's cells that is spare: so often cells are moved to its start.
const lineSlack = 8

// newLines makes room for no line yet, of so many panes each.
func newLines(panes int) lines { return lines{stride: panes + panes/lineSlack + 1} }

// claim finds the lines of the names that are to be listed, and makes those that are missing. It marks the names of all
// lines by number. It gives the lines of ids in the memory of ids.
func (l *lines) claim(n *names, ids []int32) []int32 {
	l.call++
	for i := range l.all {
		switch t := &l.all[i]; {
		case t.id < 0:
		case n.refs[t.id] == 0 || n.hash[t.id] != t.hash:
			t.id = None
		default:
			n.mark[t.id] = int32(i) + 1
		}
	}
	missing := 0
	for _, id := range ids {
		if at := n.mark[id] - 1; at >= 0 {
			l.all[at].call = l.call
		} else {
			missing++
		}
	}
	if missing > 0 {
		l.grow(len(ids))
		l.findIdle()
	}
	for i, id := range ids {
		at := int(n.mark[id]) - 1
		if at < 0 {
			at = l.takeIdle(n)
			l.all[at] = line{id: id, hash: n.hash[id], call: l.call, place: None, fresh: true}
			n.mark[id] = int32(at) + 1
			l.stale, l.unsorted = true, true
		}
		ids[i] = int32(at)
	}
	return ids
}

// grow makes room for so many names that are listed at once, and a quarter more: names come and go at the end of the list.
func (l *lines) grow(listed int) {
	if listed <= len(l.all) {
		return
	}
	size := listed + listed/4
	at := len(l.all)
	l.all = slices.Grow(l.all, size-at)[:size]
	for i := at; i < size; i++ {
		l.all[i] = line{id: None}
	}
	l.cells = slices.Grow(l.cells, size*l.stride-len(l.cells))[:size*l.stride]
}

// findIdle finds the lines that this call has no use for: free ones first, then by the call that listed them last.
func (l *lines) findIdle() {
	l.idle = l.idle[:0]
	for i := range l.all {
		if t := &l.all[i]; t.id < 0 {
			t.call = 0
		}
		if l.all[i].call != l.call {
			l.idle = append(l.idle, int32(i))
		}
	}
	slices.SortFunc(l.idle, func(a, b int32) int { return cmp.Compare(l.all[b].call, l.all[a].call) })
}

// takeIdle takes the last of them.
func (l *lines) takeIdle(n *names) int {
	at := l.idle[len(l.idle)-1]
	l.idle = l.idle[:len(l.idle)-1]
	if id := l.all[at].id; id >= 0 {
		n.mark[id] = 0
	}
	return int(at)
}

// mark marks the names of all lines by number, or takes the marks away.
func (l *lines) mark(n *names, on bool) {
	for i := range l.all {
		t := &l.all[i]
		if t.id < 0 {
			continue
		}
		n.mark[t.id] = 0
		if on {
			n.mark[t.id] = int32(i) + 1
		}
	}
}

// restart makes a line as if nothing was told of it.
func (t *line) restart() {
	*t = line{id: t.id, hash: t.hash, call: t.call, place: t.place, fresh: true}
}

// forget frees all lines.
func (l *lines) forget() {
	for i := range l.all {
		l.all[i].id = None
	}
}

// row is where the cells of a line are.
func (l *lines) row(at int) []Cell { return l.cells[at*l.stride : (at+1)*l.stride] }

// cellsOf are the cells of a line, ascending.
func (l *lines) cellsOf(at int) []Cell {
	t := &l.all[at]
	return l.row(at)[t.from : t.from+t.cells : t.from+t.cells]
}

// put adds a cell to a line. It reports whether it is the newest.
func (l *lines) put(at int, c Cell) bool {
	t, row := &l.all[at], l.row(at)
	if int(t.from+t.cells) == len(row) {
		copy(row, row[t.from:])
		t.from = 0
	}
	i := t.from + t.cells
	t.cells++
	last := i
	for ; i > t.from && row[i-1].Pane > c.Pane; i-- {
		row[i] = row[i-1]
	}
	row[i] = c
	return i == last
}

// drop takes the cell of a pane out of a line.
func (l *lines) drop(at int, pane int64) {
	t, cells := &l.all[at], l.cellsOf(at)
	t.cells--
	if cells[0].Pane == pane {
		t.from++
		return
	}
	i := slices.IndexFunc(cells, func(c Cell) bool { return c.Pane == pane })
	copy(cells[i:], cells[i+1:])
}
