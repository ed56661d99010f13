package sketch

// Forget drops the panes before first, whether complete or not: what was counted of them is not all that they had. It is
// for a window that begins in the middle of a log.
func (s *Sliding) Forget(first int64) {
	s.closeUpTo(first - 1)
	kept := s.ring[:0]
	for _, p := range s.ring {
		if p.number < first {
			s.leave(p, s.span)
			s.idle = append(s.idle, p)
			continue
		}
		kept = append(kept, p)
	}
	s.ring = kept
	s.settle()
}
