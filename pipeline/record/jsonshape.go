package record

import "bytes"

// A shape is what two records of one writer have in common: everything between their scalar values, byte by byte. In
//
//	{"tenant":"acme","req":{"key":"o/1"},"n":3}
//
// that is {"tenant":" and ","req":{"key":" and "},"n": and }, the gaps. Where the gaps of a record equal those of one
// that was scanned before, it has the same members in the same order at the same depth, and what the scanner found out
// about names, nesting and duplicates holds for it too. Only its scalars are new.
//
// Shapes that begin alike share their first steps: they are a tree. The step that was taken last stands first among
// its siblings, so that the member order of the previous record is what is tried first.
type step struct {
	head, mask   uint64 // the first bytes of the gap, at most 8 of them, and their place in a word
	tail         uint64 // the last 8 bytes of a longer gap
	from, length int32  // the gap in shapes.text
	slot         int32  // that the scalar behind the gap goes to, -1 if it is not wanted
	next         int32  // the step that follows, the likeliest one; 0 = none yet
	sibling      int32  // another step that may stand here; 0 = none
	filled       slots  // the values of this step and all before it
	scalar       scalar
}

// slots is a set of slots below maxSlots. A shape with another is not learned.
type slots uint64

const maxSlots = 64

// scalar is what follows a gap.
type scalar uint8

const (
	scalarEnd    scalar = iota // nothing: the gap is the last
	scalarString               // the inside of a string; its quotes belong to the gaps
	scalarBare                 // a number, true, false or null
)

const (
	maxSteps    = 1024     // of all shapes
	maxGaps     = 64 << 10 // bytes of all gaps
	maxSiblings = 8
	maxFound    = 256 // scalars of one shape
	// shapesPeriod is how many lines are looked at before shapes that do not predict are given up, and how many
	// may miss in it.
	shapesPeriod, shapesMisses = 1024, 256
	// maxPause bounds the pause after which shapes are tried again: 64 periods.
	maxPause = 6
)

// shapes is the tree of the shapes of one log, with bounded memory. Writers that nothing predicts cost little: shapes
// rest for twice as long each time that they had to be given up.
type shapes struct {
	steps  []step // 0 is the root
	text   []byte // of all gaps
	lines  int    // of this period
	misses int
	rest   int // lines without shapes that are still to come
	pause  int // binary logarithm of the next rest in periods
}

// newShapes makes a tree that knows nothing.
func newShapes() shapes {
	s := shapes{steps: make([]step, 1, 64)}
	s.forget()
	return s
}

// resting counts a line and tells whether it should be scanned without shapes.
func (s *shapes) resting() bool {
	if s.rest > 0 {
		s.rest--
		return true
	}
	if s.lines++; s.lines > shapesPeriod {
		s.period()
	}
	return s.rest > 0
}

// period judges the period that is over.
func (s *shapes) period() {
	bad := s.misses > shapesMisses
	s.lines, s.misses = 0, 0
	if !bad {
		s.pause = 0
		return
	}
	s.forget()
	s.rest = shapesPeriod<<s.pause - shapesPeriod // the first time none
	s.pause = min(s.pause+1, maxPause)
}

// forget empties the tree.
func (s *shapes) forget() {
	s.steps, s.text = s.steps[:1], s.text[:0]
	s.steps[0] = step{head: 1} // that no masked word equals: nothing begins with it
}

// found is one scalar of a line that was scanned: where it stands and what it is.
type found struct {
	from, to int32 // without the quotes of a string
	slot     int32
	scalar   scalar
}

// learn adds the shape of a line from its scalars in order. It is called for valid objects only. What has no room is
// not learned.
func (s *shapes) learn(line []byte, all []found) {
	at, gap := int32(0), 0
	for i := range all {
		if at = s.follow(at, line[gap:all[i].from], &all[i]); at == 0 {
			return
		}
		gap = int(all[i].to)
	}
	s.follow(at, line[gap:], &found{slot: -1})
}

// follow returns the step behind at with that gap and scalar, which it makes if need be; 0 if there is no room.
func (s *shapes) follow(at int32, gap []byte, f *found) int32 {
	siblings := 0
	for i := s.steps[at].next; i != 0; i = s.steps[i].sibling {
		if st := &s.steps[i]; st.scalar == f.scalar && bytes.Equal(s.gap(st), gap) {
			return i
		}
		siblings++
	}
	if siblings == maxSiblings || len(s.steps) == maxSteps || len(s.text)+len(gap) > maxGaps {
		return 0
	}
	st := step{from: int32(len(s.text)), length: int32(len(gap)), slot: f.slot, scalar: f.scalar, sibling: s.steps[at].next, filled: s.steps[at].filled}
	if f.slot >= 0 {
		st.filled |= 1 << f.slot
	}
	s.text = append(s.text, gap...)
	var padded [wordSize]byte
	n := copy(padded[:], gap)
	st.head, st.mask = word(padded[:], 0), ^uint64(0)>>(64-8*n)
	if len(gap) > wordSize {
		st.tail = word(gap, len(gap)-wordSize)
	}
	s.steps = append(s.steps, st)
	i := int32(len(s.steps) - 1)
	s.steps[at].next = i
	return i
}

// gap returns the bytes of a step's gap.
func (s *shapes) gap(st *step) []byte { return s.text[st.from : st.from+st.length] }

// middle compares the bytes of a long gap between its first and its last 8. It is no part of the loop that calls it.
//
//go:noinline
func (s *shapes) middle(st *step, line []byte, pos int) bool {
	return bytes.Equal(line[pos+wordSize:pos+int(st.length)-wordSize], s.gap(st)[wordSize:st.length-wordSize])
}

// fits tells whether the step's gap stands at pos and a scalar of its kind may follow. At most one of the steps that
// follow another fits.
func (s *shapes) fits(st *step, line []byte, pos int) bool {
	end := pos + int(st.length)
	if end > len(line) || !bytes.Equal(line[pos:end], s.gap(st)) {
		return false
	}
	switch st.scalar {
	case scalarEnd:
		return end == len(line)
	case scalarBare:
		return end < len(line) && line[end] != '"' && line[end] != ' '
	case scalarString:
	}
	return true
}

// turn finds the step behind at that fits at pos, and makes it the likeliest one. 0 = none.
func (s *shapes) turn(at int32, line []byte, pos int) int32 {
	before := int32(0)
	for i := s.steps[at].next; i != 0; i = s.steps[i].sibling {
		if !s.fits(&s.steps[i], line, pos) {
			before = i
			continue
		}
		if before != 0 {
			s.steps[before].sibling = s.steps[i].sibling
			s.steps[i].sibling = s.steps[at].next
			s.steps[at].next = i
		}
		return i
	}
	return 0
}
