package main

import (
	"sync"

	"firebreak/actuator"
)

// changes are the changes of routing that the journal knows: what a store that has nothing must have had. The zero value knows none.
type changes struct {
	mu      sync.Mutex        // the follower of the journal writes, stewards read
	highest map[string]uint64 // version, by fleet
}

// saw takes in an entry of the journal.
func (c *changes) saw(e *actuator.Entry) {
	if e.Kind != actuator.KindRouted && e.Kind != actuator.KindActed {
		return
	}
	r, err := actuator.Read[struct{ Version uint64 }](e)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.highest == nil {
		c.highest = map[string]uint64{}
	}
	c.highest[e.Fleet] = max(c.highest[e.Fleet], r.Version)
}

// of is the highest version of a fleet that is known; 0 = none is.
func (c *changes) of(fleet string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.highest[fleet]
}
