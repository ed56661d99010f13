package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"firebreak/pipeline"
)

// Start is where a follower begins. The zero value is the oldest entry that is kept.
type Start struct {
	where  where
	offset int64
	at     time.Time
	id     pipeline.TopicID // of which life of the topic; zero = of any
}

type where uint8

const (
	oldest where = iota
	offset
	since
)

// Oldest begins at the oldest entry that is kept.
func Oldest() Start { return Start{} }

// At begins at an offset. Entries from there on that are kept no more are [ErrTruncated], an offset beyond the end
// [ErrRecreated].
func At(entry int64) Start { return Start{where: offset, offset: entry} }

// Since begins at the first entry that was appended at that time or later.
func Since(t time.Time) Start { return Start{where: since, at: t} }

// Of makes a Start one of that topic only: if the log's topic is another one by then, following ends with [ErrRecreated].
func (s Start) Of(id pipeline.TopicID) Start {
	s.id = id
	return s
}

// Errors that end following: the reader's state no longer belongs to the log and must be built anew.
var (
	// ErrRecreated says that the topic was deleted or made anew, or lost its end: offsets went backwards.
	ErrRecreated = errors.New("the log is another one")
	// ErrTruncated says that entries which were not read yet have been deleted.
	ErrTruncated = errors.New("entries were deleted before they were read")
)

// state is what a log is at a moment.
type state struct {
	id         pipeline.TopicID
	start, end int64 // offset of the first entry that is kept, and of the one that comes next
}

// stateOf asks for the state of a topic's partition 0.
func stateOf(ctx context.Context, adm *kadm.Client, topic string) (state, error) {
	var s state
	meta, err := adm.ListTopics(ctx, topic)
	if err != nil {
		return s, err
	}
	if err := meta[topic].Err; err != nil {
		return s, err
	}
	s.id = pipeline.TopicID(meta[topic].ID)
	starts, err := adm.ListStartOffsets(ctx, topic)
	if err != nil {
		return s, err
	}
	ends, err := adm.ListCommittedOffsets(ctx, topic)
	if err != nil {
		return s, err
	}
	if err := errors.Join(starts.Error(), ends.Error()); err != nil {
		return s, err
	}
	first, _ := starts.Lookup(topic, 0)
	last, _ := ends.Lookup(topic, 0)
	s.start, s.end = first.Offset, last.Offset
	return s, nil
}

// resolve is the offset that a follower begins at.
func (s Start) resolve(ctx context.Context, adm *kadm.Client, topic string) (int64, pipeline.TopicID, error) {
	now, err := stateOf(ctx, adm, topic)
	if err != nil {
		return 0, now.id, err
	}
	if s.id != (pipeline.TopicID{}) && now.id != s.id {
		return 0, now.id, fmt.Errorf("%w: topic id %v, not %v", ErrRecreated, now.id, s.id)
	}
	switch s.where {
	case oldest:
		return now.start, now.id, nil
	case offset:
		return s.offset, now.id, now.holds(s.offset)
	case since:
	}
	listed, err := adm.ListOffsetsAfterMilli(ctx, s.at.UnixMilli(), topic)
	if err != nil {
		return 0, now.id, err
	}
	if err := listed.Error(); err != nil {
		return 0, now.id, err
	}
	found, _ := listed.Lookup(topic, 0)
	return found.Offset, now.id, nil // the end, where nothing is as young
}

// holds says whether reading can go on at an offset.
func (s state) holds(next int64) error {
	switch {
	case next < s.start:
		return fmt.Errorf("%w: offset %d is wanted, %d is the oldest", ErrTruncated, next, s.start)
	case next > s.end:
		return fmt.Errorf("%w: offset %d is wanted, it ends at %d", ErrRecreated, next, s.end)
	}
	return nil
}
