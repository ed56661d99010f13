package simulate

import (
	"slices"
	"time"
)

// Counters are what the shards count of themselves since the beginning, by id: nothing of it comes from the log, nor from a table. Requests
// that a client's quota or cache keeps back never get to a shard.
type Counters struct {
	Until  time.Time // up to where the log is written
	Asked  []float64 // requests
	Served []float64 // of them, those within the capacity
}

// Since is what each shard was asked for and served a second, from an earlier state of the counters on.
func (c *Counters) Since(was *Counters) (asked, served []float64) {
	seconds := c.Until.Sub(was.Until).Seconds()
	asked, served = make([]float64, len(c.Asked)), make([]float64, len(c.Asked))
	if seconds <= 0 {
		return asked, served
	}
	for i := range c.Asked {
		a, s := c.Asked[i], c.Served[i]
		if i < len(was.Asked) {
			a, s = a-was.Asked[i], s-was.Served[i]
		}
		asked[i], served[i] = a/seconds, s/seconds
	}
	return asked, served
}

// Counters are those of now.
func (w *World) Counters() Counters {
	c := w.counters
	c.Asked, c.Served = slices.Clone(c.Asked), slices.Clone(c.Served)
	return c
}

// count has the shards count a slice.
func (w *World) count(start time.Time, demand []float64) {
	c := &w.counters
	for len(c.Asked) < len(demand) {
		c.Asked, c.Served = append(c.Asked, 0), append(c.Served, 0)
	}
	for i, rate := range demand {
		c.Asked[i] += rate * slice.Seconds()
		c.Served[i] += min(rate, w.capacity(i)) * slice.Seconds()
	}
	c.Until = start.Add(slice)
}

// capacity is what a shard serves, requests/s.
func (w *World) capacity(shard int) float64 {
	if shards := w.home.Document().Shards; shard < len(shards) && shards[shard].Capacity > 0 {
		return shards[shard].Capacity
	}
	return w.cfg.Capacity
}
