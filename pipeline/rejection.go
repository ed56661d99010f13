package pipeline

import "errors"

// Rejection is why a delta of the log was not accepted. The zero value says that it was.
type Rejection uint8

// The rejections.
const (
	RejectedNot       Rejection = iota
	RejectedPosition            // a range does not begin where its partition was counted to
	RejectedLife                // of a topic that was deleted since
	RejectedSeed                // counted with another seed, or before there was one
	RejectedShards              // names shards that another named first
	RejectedMalformed           // not what this version writes, or of what cannot be
)

// rejectionOf tells by the error of a check.
func rejectionOf(err error) Rejection {
	switch {
	case errors.Is(err, errPosition):
		return RejectedPosition
	case errors.Is(err, errOldLife):
		return RejectedLife
	case errors.Is(err, errUnseeded), errors.Is(err, errSeed):
		return RejectedSeed
	case errors.Is(err, errShards):
		return RejectedShards
	}
	return RejectedMalformed
}
