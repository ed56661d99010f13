package kafka

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/pipeline"
)

// TestLeftAloneWhileAnotherCounts: a delta of ours is rejected because another counted on. Its partition is left alone: nothing of
// it is offered, and it is not read, as long as the other one goes on. When that has stood still for two ticks it is taken up, where
// the other one stopped.
func TestLeftAloneWhileAnotherCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var view *pipeline.View
		c, id, polled := counting(t, &view)
		other := func(to int64) {
			view.Counted = map[pipeline.Partition]pipeline.Progress{id: {To: to, End: to, At: time.Now()}}
		}
		poll := func(records ...*kgo.Record) {
			c.take(t.Context(), kgo.Fetches{{Topics: []kgo.FetchTopic{{Topic: requests, Partitions: []kgo.FetchPartition{{Records: records}}}}}})
		}
		poll(polled[:3]...)
		other(4)
		c.inflight = 9
		if c.outcome(pipeline.Outcome{Delta: true, By: c.id, Number: 9, Mismatched: []pipeline.Partition{id}}) {
			t.Fatal("it goes on as if nothing had been rejected")
		}
		c.seek()
		if o := c.owned[id]; !o.paused || c.tick.Part(id) != nil {
			t.Errorf("paused %v, counted %v: want it left alone", o.paused, c.tick.Part(id) != nil)
		}
		poll(polled[4:]...) // fetched before it was paused
		if c.reseek || c.tick.Parts() != 0 {
			t.Errorf("reseek %v, %d partitions: want what was fetched dropped", c.reseek, c.tick.Parts())
		}
		for tick := range int64(5) { // the other one goes on; from the third tick on it stands still
			other(4 + min(tick, 2))
			c.readmit()
			if again := c.tick.Part(id) != nil; again != (tick == 4) {
				t.Fatalf("tick %d: counted again %v", tick, again)
			}
		}
		if o := c.owned[id]; o.paused || c.tick.Part(id).To() != 6 {
			t.Errorf("paused %v, counted to %d: want to go on where the other one stopped", o.paused, c.tick.Part(id).To())
		}
	})
}
