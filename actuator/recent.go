package actuator

// recent remembers the newest ids it was given, at most limit of them.
type recent struct {
	known map[string]bool
	order []string // a ring once it is full; next is the oldest
	next  int
	limit int
}

func newRecent(limit int) recent { return recent{known: map[string]bool{}, limit: limit} }

// add reports whether the id was not known.
func (r *recent) add(id string) bool {
	if r.known[id] {
		return false
	}
	r.known[id] = true
	if len(r.order) < r.limit {
		r.order = append(r.order, id)
		return true
	}
	delete(r.known, r.order[r.next])
	r.order[r.next] = id
	r.next = (r.next + 1) % r.limit
	return true
}

func (r *recent) has(id string) bool { return r.known[id] }
