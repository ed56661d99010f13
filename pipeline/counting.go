package pipeline

import (
	"fmt"
	"time"

	"firebreak/routing"
	"firebreak/sketch"
)

const (
	// discoveredShards is for how many shards lists are sized where the log has yet to name them.
	discoveredShards = 128
	// wholeShards is for how many shards the lists of a whole log are sized at least.
	wholeShards = 512
	// maxAhead bounds the panes ahead of the window. Only those with traffic take memory.
	maxAhead = 4000
	// maxOpen bounds the panes that are counted at once: those that disorder keeps open, and the next.
	maxOpen = 8
	// saltedPieces is how many pieces of salted keys a pane lists.
	saltedPieces = 1024
)

// Counting sizes the sketch that counts a fleet in fixed memory: for its panes, shards and virtual shards, and as many
// panes ahead as time may run ahead of the slowest partition. All that count one fleet must share the seed.
func (c *Config) Counting(seed uint64) (sketch.Config, error) {
	shards, vshards := discoveredShards, discoveredShards*routing.ExplicitBuckets
	if c.Document != nil {
		table, err := routing.NewTable(c.Document)
		if err != nil {
			return sketch.Config{}, fmt.Errorf("fleet %s: %w", routing.Escape(c.Fleet), err)
		}
		shards, vshards = table.Shards(), table.VShards()
	}
	if c.Whole {
		// A whole log has one window only, and its names one chance to be listed: four times the room of a live window.
		out := sketch.Default(maxWholePanes, max(4*shards, wholeShards), vshards, seed)
		out.Shards = shards
		out.Ahead = 2 // a pane more than the window has begins before pairs of them are merged
		return out, nil
	}
	out := sketch.Default(c.LongPanes(), shards, vshards, seed)
	out.Open = min(maxOpen, 2+int(c.Disorder/max(c.Pane, time.Millisecond)))
	out.Ahead = min(maxAhead, int((c.Disorder+c.Skew+c.Idle)/max(c.Pane, time.Millisecond))+2)
	return out, nil
}

// NewCounters makes the counters of a fleet, for NewFleet. pieces is nil where the document has no salts. bytes is the
// memory of both, which does not grow.
func NewCounters(c Config, seed uint64) (window *sketch.Sliding, pieces Counter, bytes int, err error) {
	size, err := c.Counting(seed)
	if err != nil {
		return nil, nil, 0, err
	}
	if window, err = sketch.NewSliding(size); err != nil {
		return nil, nil, 0, err
	}
	if c.Document == nil || len(c.Document.Salts) == 0 {
		return window, nil, window.Bytes(), nil
	}
	ofPieces, err := sketch.NewSliding(salted(size))
	if err != nil {
		return nil, nil, 0, err
	}
	return window, ofPieces, window.Bytes() + ofPieces.Bytes(), nil
}

// salted sizes the sketch of the pieces of salted keys of a fleet that is counted with size.
func salted(size sketch.Config) sketch.Config {
	size.Listed, size.TenantSlots, size.PairSlots, size.Spread, size.Shards, size.VShards = saltedPieces, 0, 0, 0, 0, 0
	return size
}
