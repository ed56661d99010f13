package record

import (
	"encoding/hex"

	"github.com/zeebo/xxh3"
)

const (
	// MaxKey is the longest key, tenant, shard or caller that is kept as it stands, in bytes (design.md section 3).
	MaxKey = 1024
	// MaxCut is the length of every cut value: the prefix, the mark, 32 hexadecimal digits.
	MaxCut = MaxKey + len(cutMark) + 2*cutSum
	// cutMark stands between the prefix and the hash, for people; the length is what tells a cut value from a whole one.
	cutMark = "#xxh3="
	// cutSum is the size of the hash in bytes.
	cutSum = 16
)

// Cut returns b itself if it is at most MaxKey bytes long. Otherwise it appends to buf, and returns, b's first MaxKey
// bytes, "#xxh3=" and the 32 hexadecimal digits of the 128-bit XXH3 of all of b (seed 0, high half first), as
// published by the xxHash project. cut tells which.
//
// No value of at most MaxKey bytes equals a cut one, because a cut one is longer; two cut ones are equal only if they
// share a prefix of MaxKey bytes and the 128-bit hash, which does not happen by chance. XXH3 is no cryptographic hash:
// who chooses the keys could make two long ones of their own collide, but never a long one with a short one.
// buf is given back grown.
func Cut(b, buf []byte) (out, grown []byte, cut bool) {
	if len(b) <= MaxKey {
		return b, buf, false
	}
	sum := xxh3.Hash128(b).Bytes()
	start := len(buf)
	buf = append(buf, b[:MaxKey]...)
	buf = append(buf, cutMark...)
	buf = hex.AppendEncode(buf, sum[:])
	return buf[start:len(buf):len(buf)], buf, true
}

// IsCut tells whether b is the form that Cut gives for a longer value.
func IsCut(b []byte) bool { return len(b) > MaxKey }
