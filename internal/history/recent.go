package history

// recent remembers the newest ids it was given, at most limit of them.
type recent struct {
	known map[string]bool
	order []string // a ring once it is full; next is the oldest
	next  int
	limit int
}

func newRecent(limit int) recent { return recent{known: map[string]bool{}, limit: limit} }

func (r *recent) add(id string) {
	if r.known[id] {
		return
	}
	r.known[id] = true
	if len(r.order) < r.limit {
		r.order = append(r.order, id)
		return
	}
	delete(r.known, r.order[r.next])
	r.order[r.next] = id
	r.next = (r.next + 1) % r.limit
}

func (r *recent) has(id string) bool { return r.known[id] }
