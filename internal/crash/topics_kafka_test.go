//go:build kafka && linux

package crash

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"time"

	"firebreak/pipeline/kafka"
)

// keepFlag is where what a run left behind is kept: logs of processes, and our topics as JSON lines.
var keepFlag = flag.String("keep", "", "folder for the logs of the processes and the entries of our topics")

// keep writes an entry of a topic of ours into a file, if it is to be kept.
func (r *topicReader) keep(e *kafka.Entry) error {
	if r.kept == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = r.kept.Write(append(line, '\n'))
	}
	return err
}

// topicReader reads one of our topics from its beginning, up to its end as often as it is asked.
type topicReader struct {
	log  *kafka.Log
	next int64
	kept *os.File // nil = nothing is kept
}

func (g *group) open(topic string) *topicReader {
	g.t.Helper()
	l, err := kafka.OpenLog(g.opts, topic, 0)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(l.Close)
	r := &topicReader{log: l}
	if *keepFlag != "" {
		if r.kept, err = os.CreateTemp(*keepFlag, topic+"-*.jsonl"); err != nil {
			g.t.Fatal(err)
		}
		g.t.Cleanup(func() { r.kept.Close() })
	}
	return r
}

// errAtEnd ends reading.
var errAtEnd = errors.New("at the end")

// read reads up to the end as it is now.
func (r *topicReader) read(ctx context.Context, fn func(kafka.Entry) error) error {
	end, err := r.log.End(ctx)
	if err != nil || r.next >= end {
		return err
	}
	err = r.log.Follow(ctx, kafka.At(r.next), func(e kafka.Entry) error {
		if err := errors.Join(r.keep(&e), fn(e)); err != nil {
			return err
		}
		r.next = e.Offset + 1
		if r.next >= end {
			return errAtEnd
		}
		return nil
	})
	if errors.Is(err, errAtEnd) {
		return nil
	}
	return err
}

// counted reads the log of deltas until all that was written is counted and complete, or for a time.
func (g *group) counted(c *Counted, from *topicReader, last int64, ends map[int32]int64, within time.Duration) {
	g.t.Helper()
	for deadline := time.Now().Add(within); ; {
		if err := from.read(g.t.Context(), func(e kafka.Entry) error { return c.Apply(e.Offset, e.Time, e.Value) }); err != nil {
			g.t.Fatal(err)
		}
		if c.Done(last, ends) || time.Now().After(deadline) {
			return
		}
		time.Sleep(time.Second)
	}
}

// journal reads the journal.
func (g *group) journal() *Journal {
	g.t.Helper()
	j := NewJournal()
	err := g.open(kafka.JournalTopic(groupName)).read(g.t.Context(), func(e kafka.Entry) error {
		j.Apply(e.Time, e.Value)
		return nil
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return j
}
