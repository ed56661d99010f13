package actuator

// remembered is how many ids a Recent remembers: weeks of the journal of a busy fleet, and more than the 35 days of minutes of a
// fleet that a history keeps. An id that comes once more after that many others is taken for new.
const remembered = 65_536

// Recent remembers the newest ids it was given, a bounded number of them: by it readers and writers of the journal and of the
// history know what they had. NewRecent makes it. Not safe for concurrent use.
type Recent struct {
	known map[string]bool
	order []string // a ring once it is full; next is the oldest
	next  int
}

// NewRecent makes one that knows nothing.
func NewRecent() Recent { return Recent{known: map[string]bool{}} }

// Add reports whether the id was not known.
func (r *Recent) Add(id string) bool {
	if r.known[id] {
		return false
	}
	r.known[id] = true
	if len(r.order) < remembered {
		r.order = append(r.order, id)
		return true
	}
	delete(r.known, r.order[r.next])
	r.order[r.next] = id
	r.next = (r.next + 1) % remembered
	return true
}

// Has tells whether the id is known.
func (r *Recent) Has(id string) bool { return r.known[id] }
