package pipeline

import (
	"fmt"
	"math"

	"firebreak/pipeline/record"
)

// Cost says what a request loads a shard with. The zero value counts requests.
type Cost uint8

// The costs.
const (
	CostRequests Cost = iota // 1
	CostBytes                // its bytes
	CostLatency              // its seconds of latency: the load is the number of requests being served at once
	CostDynamoDB             // capacity units: a read 1 per 4 KiB begun, a write 1 per 1 KiB begun, at least 1
)

// String returns the one spelling of c.
func (c Cost) String() string {
	names := [...]string{"requests", "bytes", "latency", "dynamodb"}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("cost(%d)", uint8(c))
}

// MarshalText writes the one spelling of c.
func (c Cost) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Cost) UnmarshalText(text []byte) error {
	for _, v := range []Cost{CostRequests, CostBytes, CostLatency, CostDynamoDB} {
		if v.String() == string(text) {
			*c = v
			return nil
		}
	}
	return fmt.Errorf("cost %q: want requests, bytes, latency or dynamodb", text)
}

// of is the cost of one request of rec, in units of scale.
//
// Source of the capacity units: Amazon DynamoDB Developer Guide, "DynamoDB throughput capacity"; a read is taken as
// strongly consistent, and what is neither read nor write costs as a read.
func (c Cost) of(rec *record.Record) float64 {
	switch c {
	case CostRequests:
		return 1
	case CostBytes:
		return rec.Bytes / bytesScale
	case CostLatency:
		return rec.Latency / microsPerMilli
	case CostDynamoDB:
		size := 4096.0
		if rec.Op == record.OpWrite {
			size = 1024
		}
		return max(1, math.Ceil(rec.Bytes/size))
	}
	return 1
}

// scale is how many cost units one counted unit stands for. Bytes are counted in KiB and latency in milliseconds, so
// that the squares of a variance stay far from saturation.
func (c Cost) scale() float64 {
	switch c {
	case CostBytes:
		return bytesScale
	case CostLatency:
		return 1 / 1000.0
	case CostRequests, CostDynamoDB:
	}
	return 1
}

const (
	bytesScale     = 1024
	microsPerMilli = 1000
)
