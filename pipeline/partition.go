package pipeline

import (
	"encoding/hex"
	"fmt"
)

// TopicID is what a broker calls one life of a topic: a topic that is deleted and made again has another.
type TopicID [16]byte

// String returns the 32 hexadecimal digits.
func (id TopicID) String() string { return hex.EncodeToString(id[:]) }

// Partition is one partition of one life of a topic of the request log.
type Partition struct {
	Topic  TopicID
	Number int32
}

// Topic is what is known of a topic of the request log.
type Topic struct {
	ID         TopicID
	Name       string // "cluster/topic"
	Partitions int32
}

// Skip says why offsets of a range were never read.
type Skip uint8

// The reasons, in the order of their wire form.
const (
	SkipNone      Skip = iota
	SkipRetention      // the broker had deleted them
	SkipLost           // the broker lost them: its log ended before them
)

// String returns the one spelling of s.
func (s Skip) String() string {
	names := [...]string{"none", "retention", "lost"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("skip(%d)", uint8(s))
}

// Range is what an instance did with one partition in one tick: all of From <= offset < To is counted or skipped.
type Range struct {
	Partition

	From    int64
	To      int64
	End     int64 // of the partition, read at the end of the tick; -1 = not known
	Time    int64 // the latest event time that the partition has had, ns; record.NoTime = none yet
	First   int64 // the event time of its first record, where the tick began an unknown partition; else record.NoTime
	Records int64 // lines that were read
	Skipped int64 // offsets that were never read
	Why     Skip
	Thin    uint8 // one record in 2^Thin was counted, as a sample
}

// idle says that nothing was there to be read.
func (r *Range) idle() bool { return r.Records == 0 && r.End >= 0 && r.To >= r.End }
