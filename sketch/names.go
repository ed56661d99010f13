package sketch

// names gives the names of a window numbers, in fixed room. A name stays as long as somebody refers to it. Numbers count
// from 0.
type names struct {
	index    []uint32 // open addressing by hash: 1 + number, 0 = empty
	hash     []uint64
	name     []string
	place    []int32
	refs     []int32
	long     []uint64 // estimate over the long window, by number
	recent   []uint64 // over its newest panes
	mark     []int32  // scratch: 1 + place in some list, 0 between uses
	unused   []uint32
	used     int
	bytes    int // of all names
	maxBytes int
}

func newNames(limit, maxBytes int) names {
	n := names{
		hash: make([]uint64, limit), name: make([]string, limit), place: make([]int32, limit), refs: make([]int32, limit),
		long: make([]uint64, limit), recent: make([]uint64, limit), mark: make([]int32, limit),
		unused: make([]uint32, limit), maxBytes: maxBytes,
	}
	size := 8
	for size < 2*limit {
		size *= 2
	}
	n.index = make([]uint32, size)
	n.reset()
	return n
}

func (n *names) reset() {
	clear(n.index)
	clear(n.name)
	clear(n.refs)
	clear(n.long)
	clear(n.recent)
	n.unused = n.unused[:cap(n.unused)]
	for i := range n.unused {
		n.unused[i] = uint32(len(n.unused) - 1 - i)
	}
	n.used, n.bytes = 0, 0
}

// find gives the number of a hash, -1 if it has none.
func (n *names) find(h uint64) int {
	mask := uint64(len(n.index) - 1)
	for i := h & mask; n.index[i] != 0; i = (i + 1) & mask {
		if id := n.index[i] - 1; n.hash[id] == h {
			return int(id)
		}
	}
	return -1
}

// fits tells whether there is room for one more name of that many bytes.
func (n *names) fits(bytes int) bool { return len(n.unused) > 0 && n.bytes+bytes <= n.maxBytes }

// insert gives a new name a number. It must fit.
func (n *names) insert(h uint64, name []byte, place int32) int {
	id := n.unused[len(n.unused)-1]
	n.unused = n.unused[:len(n.unused)-1]
	n.hash[id], n.name[id], n.place[id] = h, string(name), place
	n.used++
	n.bytes += len(name)
	mask := uint64(len(n.index) - 1)
	i := h & mask
	for n.index[i] != 0 {
		i = (i + 1) & mask
	}
	n.index[i] = id + 1
	return int(id)
}

// drop takes one reference away. The last one frees the number.
func (n *names) drop(id int) {
	if n.refs[id]--; n.refs[id] > 0 {
		return
	}
	n.unindex(id)
	n.bytes -= len(n.name[id])
	n.name[id], n.long[id], n.recent[id], n.refs[id] = "", 0, 0, 0
	n.used--
	n.unused = append(n.unused, uint32(id))
}

// unindex removes a number and moves those behind it up, so that no search ends too early.
func (n *names) unindex(id int) {
	mask := uint64(len(n.index) - 1)
	i := n.hash[id] & mask
	for n.index[i] != uint32(id)+1 {
		i = (i + 1) & mask
	}
	n.index[i] = 0
	for j := (i + 1) & mask; n.index[j] != 0; j = (j + 1) & mask {
		home := n.hash[n.index[j]-1] & mask
		if (j-home)&mask >= (j-i)&mask {
			n.index[i], n.index[j] = n.index[j], 0
			i = j
		}
	}
}
