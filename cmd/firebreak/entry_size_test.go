package main

import (
	"testing"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
)

// TestEntriesFitTheirLogs: what writes entries keeps to less than a log takes, and that fits, with its head, what our topics take.
func TestEntriesFitTheirLogs(t *testing.T) {
	for writer, most := range map[string]int{"deltas": pipeline.MaxDelta, "journal": actuator.MaxEntry, "history": history.MaxEntry} {
		if most > kafka.MaxEntry {
			t.Errorf("%s: entries of up to %d bytes, a log takes %d", writer, most, kafka.MaxEntry)
		}
	}
	const head = 61 + 5*10 // of a batch of one record: its fixed fields, and lengths and deltas as numbers of at most 10 bytes
	if kafka.MaxEntry+head > kafka.MaxMessage {
		t.Errorf("an entry of %d bytes does not fit a message of %d", kafka.MaxEntry, kafka.MaxMessage)
	}
}
