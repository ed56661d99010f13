package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"firebreak/pipeline/kafka"
)

// ownLog is a log of ours, where the journal and the history stand: a topic, or the memory of a process that is alone.
type ownLog interface {
	Append(ctx context.Context, values ...[]byte) (int64, error)
	End(ctx context.Context) (int64, error)
	Follower(from kafka.Start) logFollower
}

// logFollower reads a log in its order. Position is the offset up to which it was read, negative before it is known.
type logFollower interface {
	Run(ctx context.Context, fn func(kafka.Entry) error) error
	Position() int64
}

// topicLog is a topic.
type topicLog struct{ *kafka.Log }

// Follower implements ownLog.
func (t topicLog) Follower(from kafka.Start) logFollower { return t.Log.Follower(from) }

// followed is a log of ours that is followed for as long as the process runs.
type followed struct {
	ownLog

	name   string // for the process's own log
	zap    *zap.Logger
	reader atomic.Pointer[logFollower] // of now; nil before follow
}

// follow reads the log, from so far back. A topic that was made anew is read from its beginning.
func (f *followed) follow(ctx context.Context, back time.Duration, read func(*kafka.Entry)) error {
	from := kafka.Since(time.Now().Add(-back))
	for ctx.Err() == nil {
		follower := f.Follower(from)
		f.reader.Store(&follower)
		err := follower.Run(ctx, func(e kafka.Entry) error {
			read(&e)
			return nil
		})
		if ctx.Err() != nil {
			break
		}
		f.zap.Warn("a log of ours cannot be read", zap.String("log", f.name), zap.Error(err))
		if errors.Is(err, kafka.ErrRecreated) || errors.Is(err, kafka.ErrTruncated) {
			from = kafka.Oldest()
		}
		pause(ctx, time.Second)
	}
	return nil //nolint:nilerr // its end is no error, and others were logged
}

// atEnd tells whether the log was read to its end: what others wrote is known.
func (f *followed) atEnd(ctx context.Context) bool {
	follower := f.reader.Load()
	if follower == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	end, err := f.End(ctx)
	return err == nil && (*follower).Position() >= end
}
