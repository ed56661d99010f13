package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/pipeline/kafka"
)

// errNoEvidence is a verdict whose inputs are not in the history.
var errNoEvidence = errors.New("there is no evidence of it in the history")

// found is what both logs have of a hotspot.
type found struct {
	reader   *history.Reader
	evidence []history.Entry  // oldest first
	said     []actuator.Entry // verdicts, plans and holds, in the journal's order
	missing  []*history.MissingError
}

// Close frees what the evidence is unpacked with.
func (f *found) Close() { f.reader.Close() }

// evidenceOf reads what both logs have of a hotspot.
func evidenceOf(ctx context.Context, logs *ourLogs, hot *spotted) (*found, error) {
	from := time.Time(hot.verdict.Onset).Add(-readSlack)
	entries := actuator.NewReader()
	f := &found{}
	err := readLog(ctx, logs.journal, from, func(e *kafka.Entry) {
		entry, ok := entries.Read(e.Value)
		if ok && entry.Hotspot == hot.id && entry.Phase != actuator.PhaseEnded && slices.Contains([]actuator.Kind{actuator.KindVerdict, actuator.KindPlan, actuator.KindHold}, entry.Kind) {
			f.said = append(f.said, entry)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if f.reader, err = history.NewReader(); err != nil {
		return nil, err
	}
	err = readLog(ctx, logs.history, from, func(e *kafka.Entry) {
		if entry, ok := f.reader.Read(e.Value); ok && entry.Kind == history.KindEvidence && entry.Fleet == hot.fleet && slices.Contains(entry.Hotspots, hot.id) {
			f.evidence = append(f.evidence, entry)
		}
	})
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("history: %w", err)
	}
	slices.SortStableFunc(f.evidence, func(a, b history.Entry) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	for _, m := range f.reader.Missing() {
		if m.Fleet == hot.fleet && slices.Contains(m.Hotspots, hot.id) {
			f.missing = append(f.missing, m)
		}
	}
	return f, nil
}

// choose unpacks the evidence of a time, or the newest in which the hotspot fires.
func (f *found) choose(at string, hot *spotted) (*history.Evidence, error) {
	var out *history.Evidence
	for i := len(f.evidence) - 1; i >= 0; i-- {
		e, err := f.evidence[i].Evidence()
		if err != nil {
			return nil, err
		}
		if at != "" && stamped(e.Now, at) || at == "" && f.fires(e.Now) {
			return e, nil
		}
		if out == nil && at == "" {
			out = e // of who resolved it, where nothing else is left
		}
	}
	switch {
	case out != nil:
		return out, nil
	case len(f.missing) > 0:
		return nil, f.missing[0]
	case at != "" && len(f.evidence) > 0:
		return nil, wrong("at", at, "a time of one of its verdicts: "+strings.Join(f.times(), ", "))
	}
	return nil, fmt.Errorf("hotspot %s: %w", hot.text(), errNoEvidence)
}

// stamped says whether a time is told by a text, or by a beginning of it.
func stamped(t time.Time, text string) bool {
	if exact, err := time.Parse(time.RFC3339, text); err == nil {
		return t.Truncate(time.Second).Equal(exact) || moment(t).Equal(exact)
	}
	return strings.HasPrefix(t.UTC().Format(time.RFC3339Nano), text)
}

// fires says whether the journal has a verdict of a time by which the hotspot fires.
func (f *found) fires(t time.Time) bool {
	return slices.ContainsFunc(f.said, func(e actuator.Entry) bool {
		return e.Kind == actuator.KindVerdict && e.Phase != actuator.PhaseResolved && e.At.Equal(moment(t))
	})
}

// times are those of the verdicts of which there is evidence, oldest first, as --at takes them.
func (f *found) times() []string {
	var out []string
	for i := range f.evidence {
		if e, err := f.evidence[i].Evidence(); err == nil {
			out = append(out, moment(e.Now).Format(time.RFC3339Nano))
		}
	}
	return out
}

// at are the entries of a time.
func (f *found) at(t time.Time) (out []*actuator.Entry) {
	for i := range f.said {
		if f.said[i].At.Equal(moment(t)) {
			out = append(out, &f.said[i])
		}
	}
	return out
}

// moment is a time as the journal has it.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
