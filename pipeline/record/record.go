package record

import (
	"fmt"
	"math"
)

// NoTime is the Time of a record whose log line carries none.
const NoTime int64 = math.MinInt64

// MaxRequests is the largest number of requests that one record may stand for (count / rate).
// A record above it is refused with ReasonCountHuge, so that one line cannot saturate a counter.
const MaxRequests = 1 << 32

// Op says whether a request reads or writes. The zero value is OpUnknown: a word that no rule and no
// built-in table knows is never guessed.
type Op uint8

// The operations.
const (
	OpUnknown Op = iota
	OpRead
	OpWrite
)

// String returns "unknown", "read" or "write"; it is total.
func (o Op) String() string {
	switch o {
	case OpRead:
		return "read"
	case OpWrite:
		return "write"
	case OpUnknown:
		return "unknown"
	default:
		return fmt.Sprintf("op(%d)", uint8(o))
	}
}

// ParseOp is the inverse of String. It is not the table of method words; see Config.Ops for those.
func ParseOp(s string) (Op, error) {
	for _, o := range []Op{OpUnknown, OpRead, OpWrite} {
		if s == o.String() {
			return o, nil
		}
	}
	return OpUnknown, fmt.Errorf("op %q: want read, write or unknown", s)
}

// Record is one line of the request log. The zero value is not a valid record: Count is 0.
// Its byte slices belong to the decoder and to the line; they are valid until the next Decode.
type Record struct {
	// Time is Unix nanoseconds, or NoTime if the line carries none.
	Time int64
	// Tenant, Key, Shard and Caller are bytes, not text; nil = absent, and an empty value is absent. At least one
	// of Tenant, Key and Shard is present. What is longer than MaxKey is cut, see Cut: compare and count these.
	Tenant, Key, Shard, Caller []byte
	// FullKey and FullTenant are the bytes as logged, however long: placement hashes these. They equal Key and
	// Tenant unless those were cut.
	FullKey, FullTenant []byte
	// KeyHashed says that Key was longer than MaxKey and is now a prefix and a 128-bit hash.
	KeyHashed bool
	// Op is OpUnknown where the line has no op or an op that nothing maps.
	Op Op
	// Count is the number of requests that this line stands for; finite, above 0, 1 if the line does not say.
	Count float64
	// Rate is the probability, in (0, 1], with which such lines are logged. 0 = the line does not say: the caller
	// applies the configured default and counts such records.
	Rate float64
	// Bytes is in bytes and Latency in microseconds; finite and not negative, 0 = absent.
	Bytes, Latency float64
	// Status is the number of the status field; 0 = absent, or a word.
	Status int
	// Throttled says that the status is in Config.Throttled: the store refused or delayed this request.
	Throttled bool
}

// Requests returns the number of requests that this record stands for, count / rate. A record without a rate takes
// defaultRate, which must be in (0, 1]; anything else counts as 1.
func (r *Record) Requests(defaultRate float64) float64 {
	rate := r.Rate
	if rate == 0 {
		rate = defaultRate
	}
	if !(rate > 0 && rate <= 1) {
		rate = 1
	}
	return r.Count / rate
}

// reset makes r an empty record: no field present, one request.
func (r *Record) reset() {
	*r = Record{} // in two steps: a literal is built on the stack and copied
	r.Time, r.Count = NoTime, 1
}
