package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// watchVersion is the version of the watcher's memory: its first byte. Before it a memory was the JSON of what was told, which
// begins with a printable character and holds no history.
const watchVersion = 2

// watchMemory is what the watcher remembers, as it travels in checkpoints: gob, behind the version.
type watchMemory struct {
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
	var m watchMemory
	var err error
	if m.Told, err = json.Marshal(all); err != nil {
		return nil, fmt.Errorf("what was told: %w", err)
	}
	if m.History, err = w.keeper.Save(); err != nil {
		return nil, err
	}
	out := bytes.NewBuffer([]byte{watchVersion})
	if err := gob.NewEncoder(out).Encode(&m); err != nil {
		return nil, fmt.Errorf("memory of the watcher: %w", err)
	}
	return out.Bytes(), nil
}

// Load implements pipeline.Sink. What was told is taken over even if the history's part cannot be read.
func (w *watcher) Load(memory []byte) error {
	m := watchMemory{Told: memory}
	if len(memory) > 0 && memory[0] < ' ' {
		m = watchMemory{}
		if memory[0] != watchVersion {
			return fmt.Errorf("memory of the watcher: version %d, want %d", memory[0], watchVersion)
		}
		if err := gob.NewDecoder(bytes.NewReader(memory[1:])).Decode(&m); err != nil {
			return fmt.Errorf("memory of the watcher: %w", err)
		}
	}
	var all []toldOf
	if len(m.Told) > 0 {
		if err := json.Unmarshal(m.Told, &all); err != nil {
			return fmt.Errorf("what was told: %w", err)
		}
	}
	for _, t := range all {
		w.told[string(t.Fleet)] = t.Told
	}
	return w.keeper.Load(m.History)
}
