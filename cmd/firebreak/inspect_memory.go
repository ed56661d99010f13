package main

import (
	"fmt"

	"firebreak/internal/config"
	"firebreak/routing"
	"firebreak/sketch"
)

// explicitBuckets is how many virtual shards a shard has that the log names: its key buckets.
const explicitBuckets = 64

// windowBytes is the memory of a fleet's window, in bytes: fixed when it is made, whatever the names. shards is the number
// of its shards.
func windowBytes(f *config.Fleet, shards int) (int, error) {
	vshards := explicitBuckets * shards
	doc, _, err := f.Adopt()
	if err != nil {
		return 0, err
	}
	if doc != nil {
		table, err := routing.NewTable(doc)
		if err != nil {
			return 0, err
		}
		vshards = table.VShards()
	}
	window, err := sketch.NewSliding(sketch.Default(f.Judge().LongPanes, shards, vshards, 0))
	if err != nil {
		return 0, err
	}
	return window.Bytes(), nil
}

// memory says what counting this log needs.
func (t *inspectText) memory() string {
	bytes, err := windowBytes(t.fleet, t.shards())
	if err != nil {
		return "not known: " + oneLine(err).Error()
	}
	return fmt.Sprintf("%s MiB for the window of %s, fixed at its start, however many names come", grouped(float64(bytes)/(1<<20)), t.fleet.Window)
}
