package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// watcherVersion is the version of the watcher's memory.
const watcherVersion = 1

// watcherMemory is what the watcher remembers. It travels in checkpoints, three forms deep, each with a version or a name of its
// own so that one can change without the others:
//
//	pipeline.Checkpoint.Watch: gob of what policy remembers, and of the sink's memory
//	'-> the sink's memory:     the version in one byte, then gob of this
//	    '-> Told:              JSON
//	    '-> History:           see history.Keeper
type watcherMemory struct {
	Told    []byte // JSON: a list of toldOf
	History []byte // see history.Keeper
}

// toldOf is what was told of a fleet.
type toldOf struct {
	Fleet line.Name
	Told  actuator.Told
}

// Save implements pipeline.Sink.
func (w *watcher) Save() ([]byte, error) {
	var all []toldOf
	for fleet, told := range w.told {
		all = append(all, toldOf{line.Name(fleet), told})
	}
	var m watcherMemory
	var err error
	if m.Told, err = json.Marshal(all); err != nil {
		return nil, fmt.Errorf("what was told: %w", err)
	}
	if m.History, err = w.keeper.Save(); err != nil {
		return nil, err
	}
	out := bytes.NewBuffer([]byte{watcherVersion})
	if err := gob.NewEncoder(out).Encode(&m); err != nil {
		return nil, fmt.Errorf("memory of the watcher: %w", err)
	}
	return out.Bytes(), nil
}

// Load implements pipeline.Sink; an empty memory is none. What was told is taken over even if the history's part cannot be read.
func (w *watcher) Load(memory []byte) error {
	if len(memory) == 0 {
		return nil
	}
	if memory[0] != watcherVersion {
		return fmt.Errorf("memory of the watcher: version %d, want %d", memory[0], watcherVersion)
	}
	var m watcherMemory
	if err := gob.NewDecoder(bytes.NewReader(memory[1:])).Decode(&m); err != nil {
		return fmt.Errorf("memory of the watcher: %w", err)
	}
	var all []toldOf
	if err := json.Unmarshal(m.Told, &all); err != nil {
		return fmt.Errorf("what was told: %w", err)
	}
	for _, t := range all {
		w.told[string(t.Fleet)] = t.Told
	}
	return w.keeper.Load(m.History)
}
