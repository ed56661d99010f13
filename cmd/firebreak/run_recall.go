package main

import (
	"bytes"
	"slices"

	"firebreak/actuator"
	"firebreak/pipeline/kafka"
)

// recall takes an entry of before: of those only what people said, which reports were written, and what may still stand at a receiver
// is known.
func (j *journal) recall(e *kafka.Entry) {
	said := slices.ContainsFunc(recalled(), func(mark []byte) bool { return bytes.Contains(e.Value, mark) })
	if !said && !j.repeats.want(e.Value) {
		return // most of them; to decode all would take a process that starts seconds
	}
	j.mu.Lock()
	entry, ok := j.entries.Read(e.Value)
	j.mu.Unlock()
	if ok {
		j.repeats.apply(&entry)
		j.owes.recall(&entry)
		j.runner.Recall(&entry)
		j.reports.saw(&entry)
		j.changes.saw(&entry)
		if j.page != nil {
			j.page.Recall(&entry)
		}
	}
}

// recalled are what entries hold that are read although they are old: their kinds, as Encode writes them, the end of a hotspot, an
// advice or a blindness, and of deliveries what a receiver was told of that may not be over, or is.
func recalled() [][]byte {
	var marks [][]byte
	for _, k := range []actuator.Kind{actuator.KindAccepted, actuator.KindDismissed, actuator.KindReopened, actuator.KindReport, actuator.KindRouted, actuator.KindActed} {
		marks = append(marks, []byte(`"kind":"`+k.String()+`"`))
	}
	return append(marks, []byte(`"phase":"`+actuator.PhaseResolved.String()+`"`), []byte(`"kind":"`+actuator.KindSighted.String()+`"`), []byte(`"what":"`+actuator.KindAdvice.String()+`"`),
		[]byte(`"open":[`), []byte(`"over":[`))
}
