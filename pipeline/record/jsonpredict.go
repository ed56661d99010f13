package record

// predicted scans the line along the shapes of earlier lines, that of the line before first, and returns the last step
// of the one that is this line's. If none is, 0, nothing is known about the line, and vals and arena may hold a part of
// it.
func (s *jsonSplitter) predicted() (end int32) {
	at := track{}
	for {
		at = s.glide(at)
		if at.pos < len(s.line) && s.line[at.pos] == '\\' && s.shapes.steps[at.step].scalar == scalarString {
			if at.pos = s.escaped(s.shapes.steps[at.step].slot, at.start); at.pos == 0 {
				return 0
			}
			continue
		}
		next := s.shapes.turn(at.step, s.line, at.pos)
		if next == 0 {
			return 0
		}
		st := &s.shapes.steps[next]
		behind := at.pos + int(st.length)
		end := behind
		switch st.scalar {
		case scalarEnd:
			return next
		case scalarString:
			end = stringEnd(s.line, behind)
			if st.slot >= 0 {
				s.vals[st.slot].set(s.line[behind:end:end])
			}
		case scalarBare:
			if end = s.bare(st.slot, behind); end == behind {
				return 0
			}
		}
		at = track{step: next, pos: end, start: behind}
	}
}

// track is how far a line was found to be like a shape: pos is behind the scalar of a step, which starts at start.
type track struct {
	step       int32
	pos, start int
}

// glide follows the likeliest steps as long as they are the line's, up to its last bytes. It does what turn and the
// readers of scalars do, without a call for names up to 16 bytes, strings and numbers up to 7 digits.
func (s *jsonSplitter) glide(at track) track {
	line, steps, vals := s.line, s.shapes.steps, s.vals
	for next := steps[at.step].next; ; {
		st := &steps[next]
		behind := at.pos + int(st.length)
		if behind+wordSize > len(line) || word(line, at.pos)&st.mask != st.head {
			return at
		}
		if st.length > wordSize && (word(line, behind-wordSize) != st.tail || st.length > 2*wordSize && !s.shapes.middle(st, line, at.pos)) {
			return at
		}
		w := word(line, behind)
		end := behind
		if st.scalar == scalarString {
			stops := stringStops(w)
			for stops == 0 && end+2*wordSize <= len(line) {
				end += wordSize
				stops = stringStops(word(line, end))
			}
			if stops == 0 {
				end = stringEnd(line, end)
			} else {
				end += firstOf(stops)
			}
			if st.slot >= 0 {
				vals[st.slot].set(line[behind:end:end])
			}
		} else {
			whole, n := leadingDigits(w)
			end += n
			if uint(n-1) >= wordSize-1 || byte(w>>(8*n)) != ',' || byte(w) == '0' && n > 1 {
				if end = s.bare(st.slot, behind); end == behind {
					return at
				}
			} else if st.slot >= 0 {
				vals[st.slot].setWhole(whole, line[behind:end:end])
			}
		}
		at = track{step: next, pos: end, start: behind}
		next = st.next
	}
}

// bare scans the number or literal at pos and returns the index behind it, pos itself if it is none.
func (s *jsonSplitter) bare(slot int32, pos int) int {
	whole, end, ok := wholeAt(s.line, pos)
	if ok && end < len(s.line) && s.line[end] == ',' && (s.line[pos] != '0' || end == pos+1) {
		if slot >= 0 {
			s.vals[slot].setWhole(whole, s.line[pos:end:end])
		}
		return end
	}
	s.pos = pos
	k, reason := s.scanBare()
	if reason != ReasonNone {
		return pos
	}
	if slot >= 0 {
		v := &s.vals[slot]
		v.kind, v.exact, v.text = k, false, s.line[pos:s.pos:s.pos]
	}
	return s.pos
}

// escaped scans the string whose inside starts at start and has escapes, and returns the index of its closing quote,
// 0 if it has none or an escape is wrong.
func (s *jsonSplitter) escaped(slot int32, start int) int {
	s.pos = start - 1
	raw, _, reason := s.str()
	if reason != ReasonNone {
		return 0
	}
	if slot >= 0 {
		if raw, reason = s.unescape(raw); reason != ReasonNone {
			return 0
		}
		s.vals[slot].set(raw)
	}
	return s.pos - 1
}
