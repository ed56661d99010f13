package pipeline

import (
	"container/heap"
	"errors"
	"io"
	"math"

	"firebreak/pipeline/record"
)

// Stream yields the records of one partition in the order of its log. A line that is a record of several fleets yields
// one for each. The record is valid until the next call. io.EOF ends the stream.
type Stream interface {
	Next() (fleet int, rec *record.Record, err error)
}

// Merge hands over the records of all streams in the order of their times, each stream in its own order; of equal times
// the lower stream goes first. ended is called once all of a stream was handed over. A stream that is alone is not looked ahead into.
//
// Each stream is looked ahead into by as many records as a gap needs to be confirmed, and goes by the earliest of them:
// one stray date does not keep its stream waiting for all others.
//
// An error other than io.EOF ends that stream; Merge goes on with the others and returns all of them, joined.
func Merge(streams []Stream, observe func(partition, fleet int, rec *record.Record), ended func(partition int)) error {
	if len(streams) == 1 {
		return drain(streams[0], observe, ended)
	}
	m := &merger{ended: ended}
	for i, s := range streams {
		a := &ahead{stream: s, partition: i, last: math.MinInt64}
		m.fill(a)
		if len(a.queue) > 0 {
			m.queue = append(m.queue, a)
		}
	}
	heap.Init(&m.queue)
	for len(m.queue) > 0 {
		a := m.queue[0]
		head := a.queue[0]
		observe(a.partition, head.fleet, &head.rec)
		copy(a.queue, a.queue[1:])
		a.queue = a.queue[:len(a.queue)-1]
		a.spare = append(a.spare, head)
		m.fill(a)
		if len(a.queue) == 0 {
			heap.Pop(&m.queue)
			continue
		}
		heap.Fix(&m.queue, 0)
	}
	return errors.Join(m.errs...)
}

// drain hands over one stream.
func drain(s Stream, observe func(partition, fleet int, rec *record.Record), ended func(int)) error {
	for {
		fleet, rec, err := s.Next()
		if err != nil {
			ended(0)
			if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			return err
		}
		observe(0, fleet, rec)
	}
}

type merger struct {
	queue aheads
	errs  []error
	ended func(int)
}

// ahead is a stream with the records that were read ahead.
type ahead struct {
	stream    Stream
	partition int
	queue     []*keptOf
	spare     []*keptOf
	over      bool
	last      int64 // time of the last record that had one
	at        int64 // the earliest time in queue
}

// keptOf is a kept record of one fleet.
type keptOf struct {
	kept

	fleet int
	time  int64
}

// fill reads ahead and finds when the stream is due.
func (m *merger) fill(a *ahead) {
	for len(a.queue) < confirming && !a.over {
		fleet, rec, err := a.stream.Next()
		if err != nil {
			a.over = true
			if !errors.Is(err, io.EOF) {
				m.errs = append(m.errs, err)
			}
			break
		}
		k := &keptOf{}
		if n := len(a.spare); n > 0 {
			k, a.spare = a.spare[n-1], a.spare[:n-1]
		}
		k.set(rec)
		if k.fleet, k.time = fleet, rec.Time; rec.Time == record.NoTime {
			k.time = a.last
		}
		a.last = k.time
		a.queue = append(a.queue, k)
	}
	if len(a.queue) == 0 {
		m.ended(a.partition)
	}
	a.at = math.MaxInt64
	for _, k := range a.queue {
		a.at = min(a.at, k.time)
	}
}

// aheads is a heap of streams by the time at which they are due.
type aheads []*ahead

func (q aheads) Len() int { return len(q) }
func (q aheads) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].partition < q[j].partition
}
func (q aheads) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push is for heap.Interface; streams are only taken away.
func (q *aheads) Push(x any) {
	if a, ok := x.(*ahead); ok {
		*q = append(*q, a)
	}
}

// Pop removes the last stream.
func (q *aheads) Pop() any {
	last := len(*q) - 1
	a := (*q)[last]
	*q = (*q)[:last]
	return a
}
