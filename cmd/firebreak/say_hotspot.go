package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/internal/line"
	"firebreak/internal/strictyaml"
	wording "firebreak/internal/words"
	"firebreak/pipeline/kafka"
)

// spotted is a hotspot of the journal.
type spotted struct {
	id, fleet string
	verdict   *line.Verdict // as last told while it fired
	over      time.Time     // zero = it is open
}

// text names it with what a person knows it by.
func (s *spotted) text() string {
	state := "open"
	if !s.over.IsZero() {
		state = "over since " + wording.Clock(s.over)
	}
	return fmt.Sprintf("%s (shard %s of %s, %s, %s)", s.id, shownName(string(s.verdict.Shard)), shownName(s.fleet), wording.Cause(s.verdict.Cause), state)
}

// hotspotsOf reads the hotspots of the time back from now, oldest first.
func hotspotsOf(ctx context.Context, journal ownLog, now time.Time, back time.Duration) ([]*spotted, error) {
	reader := actuator.NewReader()
	var all []*spotted
	byID := map[string]*spotted{}
	err := readLog(ctx, journal, now.Add(-back), func(e *kafka.Entry) {
		entry, ok := reader.Read(e.Value)
		if !ok || entry.Kind != actuator.KindVerdict || entry.Hotspot == "" {
			return
		}
		v, err := actuator.Read[line.Verdict](&entry)
		if err != nil {
			return
		}
		s := byID[entry.Hotspot]
		if s == nil {
			s = &spotted{id: entry.Hotspot, fleet: entry.Fleet, verdict: &v}
			byID[s.id] = s
			all = append(all, s)
		}
		if entry.Phase == actuator.PhaseResolved {
			s.over = entry.At
			return
		}
		s.verdict, s.over = &v, time.Time{}
	})
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return all, nil
}

const (
	// leastID is how many letters of an id name a hotspot, if no other begins with them.
	leastID = 6
	// nearShown is how many hotspots an error lists.
	nearShown = 5
)

// named finds a hotspot by its id or the beginning of it. The error names those that may be meant.
func named(all []*spotted, id string) (*spotted, error) {
	var found []*spotted
	for _, s := range all {
		if s.id == id {
			return s, nil
		}
		if len(id) >= leastID && strings.HasPrefix(s.id, id) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
	default:
		return nil, usageError{fmt.Errorf("hotspot %s: %d begin so: %s", shownName(id), len(found), newestOf(found))}
	}
	if len(all) == 0 {
		return nil, usageError{fmt.Errorf("hotspot %s: the journal has no hotspot of the last month", shownName(id))}
	}
	var ids []string
	for _, s := range all {
		ids = append(ids, s.id)
	}
	if near := strictyaml.Nearest(id, ids); near != "" {
		return nil, usageError{fmt.Errorf("there is no hotspot %s; did you mean %s?", shownName(id), all[slices.Index(ids, near)].text())}
	}
	return nil, usageError{fmt.Errorf("there is no hotspot %s; the newest are %s", shownName(id), newestOf(all))}
}

// newestOf are the newest of some hotspots, open ones first.
func newestOf(all []*spotted) string {
	newest := slices.Clone(all)
	slices.Reverse(newest)
	slices.SortStableFunc(newest, func(a, b *spotted) int {
		switch {
		case a.over.IsZero() == b.over.IsZero():
			return 0
		case a.over.IsZero():
			return -1
		}
		return 1
	})
	var texts []string
	for _, s := range newest[:min(len(newest), nearShown)] {
		texts = append(texts, s.text())
	}
	return strings.Join(texts, "; ")
}

// loadBack is how far back the history is read for the load of now.
const loadBack = 10 * time.Minute

// loadNow is what the shard of a hotspot bears: of the newest minute, or of the verdict where there is none.
func loadNow(ctx context.Context, log ownLog, s *spotted, now time.Time) (float64, error) {
	load := float64(s.verdict.Load)
	reader, err := history.NewReader()
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	err = readLog(ctx, log, now.Add(-loadBack), func(e *kafka.Entry) {
		entry, ok := reader.Read(e.Value)
		if !ok || entry.Kind != history.KindMinute || entry.Fleet != s.fleet || entry.At.Before(now.Add(-loadBack)) {
			return
		}
		m, err := entry.Minute()
		if err != nil {
			return
		}
		for i := range m.Shards {
			if m.Shards[i].Name == string(s.verdict.Shard) {
				load = loadIn(&m.Shards[i], s.verdict.Dimension)
			}
		}
	})
	if err != nil {
		return 0, fmt.Errorf("history: %w", err)
	}
	if load <= 0 {
		return 0, errors.New("its load is not known")
	}
	return load, nil
}

func loadIn(s *history.Shard, dimension string) float64 {
	switch dimension {
	case "reads":
		return s.Reads
	case "writes":
		return s.Writes
	}
	return s.Load
}
