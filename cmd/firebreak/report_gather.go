package main

import (
	"context"
	"fmt"
	"time"

	"firebreak/actuator"
	"firebreak/dashboards/report"
	"firebreak/internal/config"
	"firebreak/internal/history"
	wording "firebreak/internal/words"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
)

const (
	// journalBefore is how much of the journal before the period is read: a hotspot that is open at its begin may have fired then.
	journalBefore = 35 * 24 * time.Hour
	// readSlack is how much earlier than the event time that is wanted a log is read: clocks differ.
	readSlack = 10 * time.Minute
)

// gathering puts the report of a period together.
type gathering struct {
	from     time.Time
	weeks    []*report.Week
	costs    []string
	owners   []func(tenant, key string) wording.Owner
	evidence bool // may be shown: names are not hidden
	begin    time.Time
}

func newGathering(cfg *config.Config, fleets []*config.Fleet, from, to time.Time) (*gathering, error) {
	g := &gathering{from: from, begin: from, evidence: cfg.Redact() == nil}
	for _, f := range fleets {
		judge := f.Judge()
		w, err := report.NewWeek(f.Name, from, to, &judge)
		if err != nil {
			return nil, err
		}
		cost := ""
		if f.Cost != pipeline.CostRequests {
			cost = f.Cost.String()
		}
		g.weeks, g.costs, g.begin = append(g.weeks, w), append(g.costs, cost), w.Begin()
		g.owners = append(g.owners, ownerOf(cfg.Owners, f.Name, cfg.Redact()))
	}
	return g, nil
}

// read reads both logs, the journal first, up to their ends of now.
func (g *gathering) read(ctx context.Context, journal, hist ownLog) (*report.Run, error) {
	reader := actuator.NewReader()
	err := readLog(ctx, journal, g.from.Add(-journalBefore), func(e *kafka.Entry) {
		if entry, ok := reader.Read(e.Value); ok {
			for _, w := range g.weeks {
				w.Entry(&entry)
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	entries, err := history.NewReader()
	if err != nil {
		return nil, err
	}
	defer entries.Close()
	err = readLog(ctx, hist, g.begin.Add(-readSlack), func(e *kafka.Entry) {
		if entry, ok := entries.Read(e.Value); ok {
			g.take(&entry)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	run := &report.Run{}
	for i, w := range g.weeks {
		f := w.Fleet(g.costs[i])
		f.Summary.Owner = g.owners[i]
		run.Fleets = append(run.Fleets, f)
	}
	return run, nil
}

// take takes an entry of the history. A minute that cannot be read is a minute that nobody recorded.
func (g *gathering) take(e *history.Entry) {
	for _, w := range g.weeks {
		switch {
		case e.Fleet != w.Name():
		case e.Kind == history.KindMinute:
			if m, err := e.Minute(); err == nil {
				w.Minute(m)
			}
		case g.evidence && w.Wants(&e.Head):
			w.Evidence(*e)
		}
	}
}
