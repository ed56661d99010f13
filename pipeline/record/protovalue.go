package record

import (
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// wireOf returns the wire type of a field that is no list.
func wireOf(kind protoreflect.Kind) int {
	switch kind { //nolint:exhaustive // all others are numbers of varying length
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return wireBytes
	case protoreflect.GroupKind:
		return wireGroup
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return wireFixed64
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return wireFixed32
	default:
		return wireVarint
	}
}

// put puts the value of a wanted field. What was written with another wire type than the schema's is an unknown field to
// Protobuf, and none here.
func (f *protoField) put(t *tagged, out *finds, depth int) Reason {
	switch {
	case f.list:
		out.nested(&f.target)
		out.below(&f.target)
		return ReasonNone
	case t.wire != wireOf(f.kind):
		return ReasonNone
	case f.members != nil:
		out.nested(&f.target)
		return f.entry(t.bytes, out, depth+1)
	case f.inner != nil:
		if f.inner.stamp == nil {
			out.nested(&f.target)
		}
		return f.inner.message(t.bytes, out, depth+1)
	}
	f.scalar(t, out)
	return ReasonNone
}

// entry reads an entry of a map: its key has the number 1 and its value 2, in any order.
func (f *protoField) entry(b []byte, out *finds, depth int) Reason {
	if depth == maxDepth {
		return ReasonTooDeep
	}
	var name []byte
	for rest := b; len(rest) > 0; {
		t, after, reason := nextTagged(rest, depth)
		if reason != ReasonNone {
			return reason
		}
		if t.number == 1 && t.wire == wireBytes {
			name = t.bytes
		}
		rest = after
	}
	for i := range f.members {
		m := &f.members[i]
		if string(m.name) != string(name) {
			continue
		}
		for rest := b; len(rest) > 0; {
			t, after, _ := nextTagged(rest, depth) // read before without a problem
			if rest = after; t.number != 2 {
				continue
			}
			if reason := m.field.put(&t, out, depth); reason != ReasonNone {
				return reason
			}
		}
	}
	return ReasonNone
}

// scalar puts a value that is no message.
func (f *protoField) scalar(t *tagged, out *finds) {
	switch f.kind {
	case protoreflect.StringKind, protoreflect.BytesKind:
		out.text(&f.target, t.bytes)
	case protoreflect.BoolKind:
		out.bool(&f.target, t.bits != 0)
	case protoreflect.EnumKind:
		if word, ok := f.enum[int32(t.bits)]; ok {
			out.word(&f.target, word)
			return
		}
		out.signed(&f.target, int64(int32(t.bits)))
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind:
		out.signed(&f.target, int64(int32(t.bits)))
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		out.signed(&f.target, int64(t.bits))
	case protoreflect.Sint32Kind:
		n := uint32(t.bits)
		out.signed(&f.target, int64(int32(n>>1)^-int32(n&1)))
	case protoreflect.Sint64Kind:
		out.signed(&f.target, int64(t.bits>>1)^-int64(t.bits&1))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		out.unsigned(&f.target, uint64(uint32(t.bits)))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		out.unsigned(&f.target, t.bits)
	case protoreflect.FloatKind:
		out.float(&f.target, float64(math.Float32frombits(uint32(t.bits))), 32)
	case protoreflect.DoubleKind:
		out.float(&f.target, math.Float64frombits(t.bits), 64)
	case protoreflect.MessageKind, protoreflect.GroupKind: // no scalars; a group has no value here
		out.nested(&f.target)
	}
}

// timestamp reads a google.protobuf.Timestamp: seconds 1, nanos 2.
func timestamp(b []byte, at *target, out *finds) Reason {
	var seconds int64
	var nanos int32
	for len(b) > 0 {
		t, rest, reason := nextTagged(b, 0)
		if reason != ReasonNone {
			return reason
		}
		switch {
		case t.wire != wireVarint:
		case t.number == 1:
			seconds = int64(t.bits)
		case t.number == 2:
			nanos = int32(t.bits)
		}
		b = rest
	}
	return out.seconds(at, seconds, nanos)
}
