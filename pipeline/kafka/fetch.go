package kafka

import (
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// MaxPolled is how many records one poll gives.
const MaxPolled = 10_000

// What one answer of a broker holds at most: of each partition little, so that many are in it and none runs ahead of the others
// by panes, which would have to be published one by one; enough for 50,000 records a second of a partition whose broker is
// 50 ms away; and of all so little that a member's memory is small whatever the backlog.
const (
	fetchBytes     = 8 << 20
	fetchPartition = 256 << 10
)

// FetchOptions are what a consumer of a request log asks of its client, besides where to read. Records are to be recycled
// once nothing of them is needed, see [kgo.Record.Recycle]; those that are not are left to the garbage collector.
func FetchOptions() []kgo.Opt {
	pool := &recycled{}
	return []kgo.Opt{
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchMaxWait(500 * time.Millisecond), kgo.FetchMaxBytes(fetchBytes), kgo.FetchMaxPartitionBytes(fetchPartition), kgo.WithPools(pool),
		kgo.WithDecompressor(&decompressor{pool: pool, others: kgo.DefaultDecompressor(pool)}),
	}
}

// recycled keeps the memory of batches that were read. It implements kgo.PoolRecords and kgo.PoolDecompressBytes. The zero
// value is empty.
type recycled struct {
	records sync.Pool // of *[]kgo.Record
	bytes   sync.Pool // of *[]byte
}

// GetRecords implements kgo.PoolRecords.
func (r *recycled) GetRecords(n int) []kgo.Record {
	if had, ok := r.records.Get().(*[]kgo.Record); ok && cap(*had) >= n {
		return *had
	}
	return make([]kgo.Record, n)
}

// PutRecords implements kgo.PoolRecords.
func (r *recycled) PutRecords(records []kgo.Record) { r.records.Put(&records) }

// inflated is how many times as large as its compressed form a batch is guessed to be.
const inflated = 4

// GetDecompressBytes implements kgo.PoolDecompressBytes.
func (r *recycled) GetDecompressBytes(compressed []byte, _ kgo.CompressionCodecType) []byte {
	if had, ok := r.bytes.Get().(*[]byte); ok && cap(*had) >= len(compressed) {
		return *had
	}
	return make([]byte, 0, inflated*len(compressed))
}

// PutDecompressBytes implements kgo.PoolDecompressBytes.
func (r *recycled) PutDecompressBytes(b []byte) { r.bytes.Put(&b) }
