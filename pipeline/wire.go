package pipeline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// errWire says that bytes of our own log are not what this version writes.
var errWire = errors.New("malformed")

// wireReader takes the numbers and bytes of an entry apart. After the first mistake all it gives is zero.
type wireReader struct {
	b   []byte
	err error
}

func (r *wireReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", errWire, what)
	}
	r.b = nil
}

func (r *wireReader) uint(what string) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail(what)
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *wireReader) int(what string) int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail(what)
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads how many things of at least that many bytes follow.
func (r *wireReader) count(each int, what string) int {
	v := r.uint(what)
	if v > uint64(len(r.b)/each) {
		r.fail(what)
		return 0
	}
	return int(v)
}

func (r *wireReader) bytes(what string) []byte { return r.fixed(r.count(1, what), what) }

func (r *wireReader) fixed(n int, what string) []byte {
	if n > len(r.b) {
		r.fail(what)
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *wireReader) float(what string) float64 {
	b := r.fixed(8, what)
	if b == nil {
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if !(v >= 0 && v <= mostSum) {
		r.fail(what)
		return 0
	}
	return v
}

// mostSum bounds what a pane may say of itself, so that sums of it stay finite.
const mostSum = 1 << 63

// end gives the first mistake; bytes that are left are one.
func (r *wireReader) end() error {
	if r.err == nil && len(r.b) > 0 {
		r.fail("bytes after the end")
	}
	return r.err
}

func appendBytes(b, v []byte) []byte { return append(binary.AppendUvarint(b, uint64(len(v))), v...) }

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}
