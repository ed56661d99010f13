package record

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// The wire types of Protobuf's encoding.
const (
	wireVarint = iota
	wireFixed64
	wireBytes
	wireGroup
	wireGroupEnd
	wireFixed32
)

// protoProgram is the message types of a file.
type protoProgram []protoTree

// run implements program. In front of a message stand the indexes that lead to its type: their number, then each, zig-zag;
// a number of 0 is the first type.
func (p protoProgram) run(b []byte, out *finds) Reason {
	count, b, reason := avroVarint(b)
	if reason != ReasonNone {
		return reason
	}
	if count == 0 {
		return p[0].step.message(b, out, 0)
	}
	at, trees := (*protoTree)(nil), []protoTree(p)
	for ; count > 0; count-- {
		var i int64
		if i, b, reason = avroVarint(b); reason != ReasonNone {
			return reason
		}
		if i < 0 || i >= int64(len(trees)) {
			return ReasonSyntax
		}
		at = &trees[i]
		trees = at.nested
	}
	if at == nil {
		return ReasonSyntax
	}
	return at.step.message(b, out, 0)
}

// tagged is a field on the wire: its number, and its value as a number or as bytes.
type tagged struct {
	number protoreflect.FieldNumber
	wire   int
	bits   uint64
	bytes  []byte
}

// message reads a message, which is all of b. Of a field that occurs again the last value counts, and the parts of an inner
// message add up, as Protobuf has it.
func (s *protoStep) message(b []byte, out *finds, depth int) Reason {
	if depth == maxDepth {
		return ReasonTooDeep
	}
	if s.stamp != nil {
		return timestamp(b, s.stamp, out)
	}
	for len(b) > 0 {
		var t tagged
		var reason Reason
		if t, b, reason = nextTagged(b, depth); reason != ReasonNone {
			return reason
		}
		for i := range s.fields {
			if f := &s.fields[i]; f.number == t.number {
				if reason = f.put(&t, out, depth); reason != ReasonNone {
					return reason
				}
			}
		}
	}
	return ReasonNone
}

// nextTagged reads the field that b starts with. A group is read and has no value.
func nextTagged(b []byte, depth int) (t tagged, rest []byte, reason Reason) {
	tag, b, reason := protoVarint(b)
	if reason != ReasonNone {
		return t, nil, reason
	}
	if tag>>3 == 0 || tag>>3 > math.MaxInt32 {
		return t, nil, ReasonSyntax
	}
	t.number, t.wire = protoreflect.FieldNumber(tag>>3), int(tag&7)
	switch t.wire {
	case wireVarint:
		t.bits, b, reason = protoVarint(b)
		return t, b, reason
	case wireFixed64:
		if len(b) < 8 {
			return t, nil, ReasonTruncated
		}
		t.bits = binary.LittleEndian.Uint64(b)
		return t, b[8:], ReasonNone
	case wireFixed32:
		if len(b) < 4 {
			return t, nil, ReasonTruncated
		}
		t.bits = uint64(binary.LittleEndian.Uint32(b))
		return t, b[4:], ReasonNone
	case wireBytes:
		t.bytes, b, reason = protoBytes(b)
		return t, b, reason
	case wireGroup:
		b, reason = skipGroup(b, t.number, depth+1)
		return t, b, reason
	}
	return t, nil, ReasonSyntax
}

// skipGroup reads up to the end of a group.
func skipGroup(b []byte, number protoreflect.FieldNumber, depth int) (rest []byte, reason Reason) {
	if depth >= maxDepth {
		return nil, ReasonTooDeep
	}
	for {
		tag, after, reason := protoVarint(b)
		if reason != ReasonNone {
			return nil, reason
		}
		if tag&7 == wireGroupEnd {
			if tag>>3 != uint64(number) {
				return nil, ReasonSyntax
			}
			return after, ReasonNone
		}
		if _, b, reason = nextTagged(b, depth); reason != ReasonNone {
			return nil, reason
		}
	}
}

// protoVarint reads a number of at most 64 bits.
func protoVarint(b []byte) (n uint64, rest []byte, reason Reason) {
	n, size := binary.Uvarint(b)
	switch {
	case size == 0:
		return 0, nil, ReasonTruncated
	case size < 0:
		return 0, nil, ReasonSyntax
	}
	return n, b[size:], ReasonNone
}

// protoBytes reads a length and so many bytes.
func protoBytes(b []byte) (text, rest []byte, reason Reason) {
	n, rest, reason := protoVarint(b)
	if reason != ReasonNone {
		return nil, nil, reason
	}
	if n > uint64(len(rest)) {
		return nil, nil, ReasonTruncated
	}
	return rest[:n:n], rest[n:], ReasonNone
}
