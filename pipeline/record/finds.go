package record

import (
	"math"
	"strconv"
)

// finds is where a program puts the values that it finds, and the texts of those that are no texts where they stand.
type finds struct {
	vals  []value
	arena []byte
}

// target is a wanted place of a binary value: the slot of the path that ends there, -1 if none does, and the slots of the
// paths that go deeper, which find the wrong type where there is a scalar.
type target struct {
	slot  int
	under []int
}

// targetOf makes the target of a place in the tree of paths; nil = not wanted.
func targetOf(n *node) target {
	t := target{slot: -1}
	if n == nil {
		return t
	}
	t.slot = n.slot
	for _, kid := range n.kids {
		t.under = append(t.under, slotsOf(kid)...)
	}
	return t
}

// slotsOf lists the slots at and below a place.
func slotsOf(n *node) (all []int) {
	if n.slot >= 0 {
		all = append(all, n.slot)
	}
	for _, kid := range n.kids {
		all = append(all, slotsOf(kid)...)
	}
	return all
}

// wanted tells whether any path leads to the place or beyond.
func (t *target) wanted() bool { return t.slot >= 0 || len(t.under) > 0 }

// below marks the paths that go deeper than a scalar.
func (f *finds) below(t *target) {
	for _, slot := range t.under {
		f.vals[slot] = value{kind: kindNested}
	}
}

// nested puts an object or a list.
func (f *finds) nested(t *target) {
	if t.slot >= 0 {
		f.vals[t.slot] = value{kind: kindNested}
	}
}

// text puts bytes as they stand.
func (f *finds) text(t *target, b []byte) {
	if t.slot >= 0 {
		f.vals[t.slot].set(b)
	}
	f.below(t)
}

// word puts a text that is no part of the value.
func (f *finds) word(t *target, word string) {
	start := len(f.arena)
	f.arena = append(f.arena, word...)
	f.text(t, f.since(start))
}

// bool puts a boolean.
func (f *finds) bool(t *target, is bool) {
	if t.slot >= 0 {
		start := len(f.arena)
		f.arena = strconv.AppendBool(f.arena, is)
		f.vals[t.slot] = value{kind: kindBool, text: f.since(start)}
	}
	f.below(t)
}

// signed puts a whole number.
func (f *finds) signed(t *target, n int64) {
	if n >= 0 {
		f.unsigned(t, uint64(n))
		return
	}
	if t.slot >= 0 {
		start := len(f.arena)
		f.arena = strconv.AppendInt(f.arena, n, 10)
		f.vals[t.slot] = value{kind: kindNumber, text: f.since(start)}
	}
	f.below(t)
}

// unsigned puts a whole number.
func (f *finds) unsigned(t *target, n uint64) {
	if t.slot >= 0 {
		start := len(f.arena)
		f.arena = strconv.AppendUint(f.arena, n, 10)
		f.vals[t.slot].setWhole(n, f.since(start))
	}
	f.below(t)
}

// float puts a floating-point number of that many bits: the shortest text that reads as it.
func (f *finds) float(t *target, x float64, bits int) {
	if t.slot >= 0 {
		start := len(f.arena)
		f.arena = strconv.AppendFloat(f.arena, x, 'g', -1, bits)
		f.vals[t.slot] = value{kind: kindNumber, text: f.since(start)}
	}
	f.below(t)
}

// seconds puts a moment as the seconds since 1970 with nine decimals. It is refused where the parts are none of one.
func (f *finds) seconds(t *target, seconds int64, nanos int32) Reason {
	if nanos < 0 || nanos >= 1e9 || seconds < math.MinInt64/2 || seconds > math.MaxInt64/2 {
		return ReasonSyntax
	}
	if t.slot >= 0 {
		start := len(f.arena)
		if seconds < 0 && nanos > 0 { // -1 s and 0.25 s is -0.75 s
			seconds, nanos = seconds+1, 1e9-nanos
			if seconds == 0 {
				f.arena = append(f.arena, '-')
			}
		}
		f.arena = strconv.AppendInt(f.arena, seconds, 10)
		point := len(f.arena)
		f.arena = strconv.AppendInt(f.arena, 1e9+int64(nanos), 10)
		f.arena[point] = '.' // the 1 in front of nine digits
		f.vals[t.slot] = value{kind: kindNumber, text: f.since(start)}
	}
	return ReasonNone
}

// since returns what was appended to the arena from start on.
func (f *finds) since(start int) []byte { return f.arena[start:len(f.arena):len(f.arena)] }
