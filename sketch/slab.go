package sketch

// piece is where a slab holds some bytes.
type piece struct{ at, len uint32 }

// slab holds the names of a candidate table in fixed memory. Freed bytes come back when it is packed.
type slab struct {
	buf   []byte
	spare []byte // not shorter than buf: what packing writes to
	used  int    // end of what was ever written since the last packing
	freed int    // bytes of it that nobody holds
}

func newSlab(size int) slab { return slab{buf: make([]byte, size), spare: make([]byte, size)} }

// share gives all slabs the memory of the largest to pack with: one packs at a time.
func share(all ...*slab) {
	spare := all[0].spare
	for _, s := range all {
		if len(s.spare) > len(spare) {
			spare = s.spare
		}
	}
	for _, s := range all {
		s.spare = spare
	}
}

// packs tells whether packing would make room for n bytes, and for enough others that it need not come again soon.
func (s *slab) packs(n int) bool { return len(s.buf)-s.used+s.freed >= max(n, len(s.buf)/16) }

// fits tells whether n bytes can be put without packing.
func (s *slab) fits(n int) bool { return len(s.buf)-s.used >= n }

func (s *slab) put(b []byte) piece {
	p := piece{uint32(s.used), uint32(len(b))}
	copy(s.buf[s.used:], b)
	s.used += len(b)
	return p
}

// again puts b where p was, which is free and not shorter.
func (s *slab) again(p piece, b []byte) piece {
	s.freed -= len(b)
	copy(s.buf[p.at:], b)
	return piece{p.at, uint32(len(b))}
}

func (s *slab) free(p piece) { s.freed += int(p.len) }

func (s *slab) get(p piece) []byte { return s.buf[p.at : p.at+p.len] }

// pack moves all pieces whose tag is not 0 to the front.
func (s *slab) pack(pieces []piece, tags []uint64) {
	used := 0
	for i := range pieces {
		if !tagged(tags, i) {
			continue
		}
		p := &pieces[i]
		copy(s.spare[used:], s.buf[p.at:p.at+p.len])
		p.at = uint32(used)
		used += int(p.len)
	}
	copy(s.buf, s.spare[:used])
	s.used, s.freed = used, 0
}

func (s *slab) reset() { s.used, s.freed = 0, 0 }
