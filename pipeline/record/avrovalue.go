package record

import (
	"encoding/binary"
	"math"
)

// boolean reads a byte of 0 or 1.
func (s *avroStep) boolean(b []byte, out *finds) (rest []byte, reason Reason) {
	switch {
	case len(b) == 0:
		return nil, ReasonTruncated
	case b[0] > 1:
		return nil, ReasonSyntax
	}
	out.bool(&s.target, b[0] == 1)
	return b[1:], ReasonNone
}

// whole reads an int, a long or an enum.
func (s *avroStep) whole(b []byte, out *finds) (rest []byte, reason Reason) {
	n, rest, reason := avroVarint(b)
	switch {
	case reason != ReasonNone:
		return nil, reason
	case s.op == avroInt && int64(int32(n)) != n, s.op == avroEnum && (n < 0 || n >= int64(len(s.symbols))):
		return nil, ReasonSyntax
	case s.op == avroEnum:
		out.text(&s.target, s.symbols[n])
	case s.wanted():
		out.signed(&s.target, n)
	}
	return rest, ReasonNone
}

// sized reads a value whose size the schema says.
func (s *avroStep) sized(b []byte, out *finds) (rest []byte, reason Reason) {
	size := s.size
	switch s.op { //nolint:exhaustive // whole and others have the rest
	case avroFloat:
		size = 4
	case avroDouble:
		size = 8
	default:
	}
	switch {
	case len(b) < size:
		return nil, ReasonTruncated
	case s.op == avroFixed:
		out.text(&s.target, b[:size:size])
	case s.op == avroFloat:
		out.float(&s.target, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32)
	default:
		out.float(&s.target, math.Float64frombits(binary.LittleEndian.Uint64(b)), 64)
	}
	return b[size:], ReasonNone
}

// avroVarint reads a zig-zag number of at most 64 bits.
func avroVarint(b []byte) (n int64, rest []byte, reason Reason) {
	n, size := binary.Varint(b)
	switch {
	case size == 0:
		return 0, nil, ReasonTruncated
	case size < 0:
		return 0, nil, ReasonSyntax
	}
	return n, b[size:], ReasonNone
}

// avroText reads a length and so many bytes.
func avroText(b []byte) (text, rest []byte, reason Reason) {
	n, rest, reason := avroVarint(b)
	switch {
	case reason != ReasonNone:
		return nil, nil, reason
	case n < 0:
		return nil, nil, ReasonSyntax
	case n > int64(len(rest)):
		return nil, nil, ReasonTruncated
	}
	return rest[:n:n], rest[n:], ReasonNone
}
