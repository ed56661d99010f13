package simulate

import (
	"strconv"

	"firebreak/routing"
)

// entry is what a line of the log says of one request.
type entry struct {
	tenant, key []byte
	shard       routing.ShardID
	read        bool
	status      int
	micros      int    // until the answer
	bits        uint64 // of the trace, and what is drawn beside the load
	id          uint32 // of the request
}

// write appends a line such as
//
//	{"ts_ms":1772442000123,"service":"kv","region":"eu-west-1","trace":{"id":"5f0c...","rate":0.01},
//	"req":{"id":"8c1e09d2","op":"GET","tenant":"t-004711","key":"cart:17","caller":"web"},"shard":"shard-17",
//	"res":{"status":200,"us":812,"bytes":482}}
//
// All in it is plain ASCII that JSON need not escape.
func (d *drawing) write(b []byte, e *entry) []byte {
	b = append(b, `{"ts_ms":`...)
	b = strconv.AppendInt(b, d.at.UnixMilli(), 10)
	b = append(b, `,"service":"kv","region":"`...)
	b = append(b, regionOf(e.bits>>60)...)
	b = append(b, `","trace":{"id":"`...)
	b = appendHex(appendHex(b, e.bits, 16), e.bits*0x9e3779b97f4a7c15, 16)
	b = append(b, `","rate":`...)
	b = append(b, d.w.rate...)
	b = append(b, `},"req":{"id":"`...)
	b = appendHex(b, uint64(e.id), 8)
	b = append(b, `","op":"`...)
	if e.read {
		b = append(b, "GET"...)
	} else {
		b = append(b, "PUT"...)
	}
	b = append(b, `","tenant":"`...)
	b = append(b, e.tenant...)
	b = append(b, `","key":"`...)
	b = append(b, e.key...)
	b = append(b, `","caller":"`...)
	b = append(b, callerOf(e.bits>>32)...)
	b = append(b, `"},"shard":"`...)
	b = append(b, d.w.names[e.shard]...)
	b = append(b, `","res":{"status":`...)
	b = strconv.AppendInt(b, int64(e.status), 10)
	b = append(b, `,"us":`...)
	b = strconv.AppendInt(b, int64(e.micros), 10)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendUint(b, 64+e.bits>>20%1900, 10)
	return append(b, "}}"...)
}

// callerOf is the service that asks: none sends half of anything.
func callerOf(bits uint64) string {
	switch bits % 10 {
	case 0, 1, 2, 3:
		return "web"
	case 4, 5, 6:
		return "mobile"
	case 7, 8:
		return "jobs"
	}
	return "partner-api"
}

func regionOf(bits uint64) string {
	if bits%2 == 0 {
		return "eu-west-1"
	}
	return "us-east-1"
}

// appendHex appends the lowest hexadecimal digits of v.
func appendHex(b []byte, v uint64, digits int) []byte {
	n := len(b)
	b = append(b, "0000000000000000"[:digits]...)
	for i := len(b) - 1; i >= n; i-- {
		b[i] = "0123456789abcdef"[v&15]
		v >>= 4
	}
	return b
}
