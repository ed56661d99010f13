package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"

	"firebreak/routing"
)

// carrying is what a shard knows of the move of one virtual shard's data. Steps come again, late, and from deciders that are none any more:
// a step goes by the version of the document that asks for it, and one that is older than what was done here is refused.
type carrying struct {
	did     uint64   // version of the newest step that was done here
	caught  uint64   // operation whose changes are caught here, for the other shard; 0 = none
	log     []change // what was caught, oldest first
	taken   uint64   // operation whose changes are taken here
	applied int      // how many of them were
}

// change is one write.
type change struct {
	Key string
	Row row
}

// copied is all that a shard has of a virtual shard, after so many changes.
type copied struct {
	After int
	Data  map[string]row
}

// stretch are changes after so many others.
type stretch struct {
	After   int
	Changes []change
}

// move names a step of the move of a virtual shard's data.
type move struct {
	vshard             routing.VShard
	operation, version uint64
}

// carryHandlers are what a mover asks of a shard.
func (s *shard) carryHandlers(mux *http.ServeMux) {
	for path, do := range map[string]func(w http.ResponseWriter, r *http.Request, m move, c *carrying) (answer any, ok bool){
		"catch": s.catch, "load": s.load, "data": s.all, "changes": s.changes, "apply": s.apply, "end": s.end,
		"rows": s.rows, "merge": s.merge,
	} {
		mux.HandleFunc("POST /carry/"+path, func(w http.ResponseWriter, r *http.Request) {
			m, err := moveOf(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			if r.URL.Query().Has("settled") {
				if err := s.guard.Settled(r.Context(), m.version); err != nil {
					http.Error(w, err.Error(), http.StatusServiceUnavailable)
					return
				}
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			c := s.carries[m.vshard]
			if c == nil {
				c = &carrying{}
				s.carries[m.vshard] = c
			}
			if m.version < c.did {
				http.Error(w, "a later step was done here", http.StatusConflict)
				return
			}
			if answer, ok := do(w, r, m, c); ok {
				reply(w, answer)
			}
		})
	}
}

func moveOf(r *http.Request) (m move, err error) {
	var v int64
	if v, err = strconv.ParseInt(r.URL.Query().Get("vshard"), 10, 32); err != nil {
		return m, err
	}
	m.vshard = routing.VShard(v)
	if m.operation, err = strconv.ParseUint(r.URL.Query().Get("operation"), 10, 64); err != nil {
		return m, err
	}
	m.version, err = strconv.ParseUint(r.URL.Query().Get("version"), 10, 64)
	return m, err
}

// catch keeps, from now on, what is written to a virtual shard. Each operation catches anew.
func (s *shard) catch(_ http.ResponseWriter, _ *http.Request, m move, c *carrying) (any, bool) {
	if c.caught != m.operation {
		c.caught, c.log = m.operation, nil
	}
	c.did = m.version
	return stretch{After: len(c.log)}, true
}

// wrote takes note of a write. The caller holds mu.
func (s *shard) wrote(v routing.VShard, key string, value row) {
	if c := s.carries[v]; c != nil && c.caught != 0 {
		c.log = append(c.log, change{key, value})
	}
}

// all gives what is here, after as many changes as were caught here or, of a copy, taken.
func (s *shard) all(w http.ResponseWriter, _ *http.Request, m move, c *carrying) (any, bool) {
	switch m.operation {
	case c.caught:
		return copied{len(c.log), s.of(m.vshard)}, true
	case c.taken:
		return copied{c.applied, s.of(m.vshard)}, true
	}
	http.Error(w, "the operation has nothing here", http.StatusConflict)
	return nil, false
}

// load takes a copy in the place of whatever is here, unless as much is here already.
func (s *shard) load(w http.ResponseWriter, r *http.Request, m move, c *carrying) (any, bool) {
	var in copied
	if !read(w, r, &in) || s.mine(w, m) {
		return nil, false
	}
	if c.taken != m.operation || m.version > c.did || in.After > c.applied {
		s.forget(m.vshard)
		maps.Copy(s.data, in.Data)
		s.arrived[m.vshard] = true
		*c = carrying{did: m.version, taken: m.operation, applied: in.After}
	}
	return nil, true
}

// changes gives what was caught after so many.
func (s *shard) changes(w http.ResponseWriter, r *http.Request, m move, c *carrying) (any, bool) {
	var in stretch
	if !read(w, r, &in) {
		return nil, false
	}
	if c.caught != m.operation || in.After > len(c.log) {
		http.Error(w, "nothing is caught for the operation", http.StatusConflict)
		return nil, false
	}
	return stretch{in.After, c.log[in.After:]}, true
}

// apply takes changes, each once and in their order. They come back to the shard that gave too.
func (s *shard) apply(w http.ResponseWriter, r *http.Request, m move, c *carrying) (any, bool) {
	var in stretch
	if !read(w, r, &in) || s.mine(w, m) {
		return nil, false
	}
	if c.taken != m.operation {
		c.taken, c.applied = m.operation, 0
	}
	if in.After > c.applied {
		http.Error(w, "changes are missing", http.StatusConflict)
		return nil, false
	}
	for _, change := range in.Changes[min(len(in.Changes), c.applied-in.After):] {
		s.data[change.Key] = change.Row
		c.applied++
	}
	c.did = m.version
	return stretch{After: c.applied}, true
}

// end ends what an operation does here; with delete what is here goes too.
func (s *shard) end(w http.ResponseWriter, r *http.Request, m move, c *carrying) (any, bool) {
	if r.URL.Query().Has("delete") {
		if s.mine(w, m) {
			return nil, false
		}
		s.forget(m.vshard)
		s.arrived[m.vshard] = false
	}
	*c = carrying{did: m.version}
	return nil, true
}

// mine says whether a virtual shard is this shard's, or may be, and answers so: what is served here is not put in place of, nor deleted. The
// caller holds mu.
func (s *shard) mine(w http.ResponseWriter, m move) bool {
	if table := s.guard.Table(); table != nil {
		owner := table.Owner(m.vshard)
		if owner == routing.NoShard || table.Document().Shards[owner].Name != s.guard.Shard() {
			return false
		}
	}
	http.Error(w, "it is served here", http.StatusConflict)
	return true
}

// forget deletes what is here of a virtual shard. The caller holds mu.
func (s *shard) forget(v routing.VShard) {
	for key := range s.of(v) {
		delete(s.data, key)
	}
}

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxHandover)).Decode(into); err != nil {
		http.Error(w, "want JSON", http.StatusBadRequest)
		return false
	}
	return true
}
