package routing

import "bytes"

// tagBounds finds the hash tag of a Redis key: what stands between the first { and the first } after it, unless that is
// nothing (Redis cluster specification, "Hash tags").
func tagBounds(key []byte) (start, end int, ok bool) {
	open := bytes.IndexByte(key, '{')
	if open < 0 {
		return 0, 0, false
	}
	length := bytes.IndexByte(key[open+1:], '}')
	if length <= 0 {
		return 0, 0, false
	}
	return open + 1, open + 1 + length, true
}

// hashTag is the part of a Redis key that is hashed: its tag, or all of it.
func hashTag(key []byte) []byte {
	if start, end, ok := tagBounds(key); ok {
		return key[start:end]
	}
	return key
}
