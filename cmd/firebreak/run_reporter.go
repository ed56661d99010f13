package main

import (
	"context"
	"io"
	"time"

	"firebreak/dashboards/console"
	"firebreak/internal/config"
)

// reporter makes for the console the reports that `firebreak report` makes.
type reporter struct {
	cfg              *config.Config
	journal, history ownLog
	now              func() time.Time
}

// Now implements console.Reporter.
func (r *reporter) Now() time.Time { return r.now().In(r.cfg.Report.Zone.Location()) }

// Report implements console.Reporter.
func (r *reporter) Report(ctx context.Context, w io.Writer, p *console.Period) error {
	var fleets []*config.Fleet
	for i := range r.cfg.Fleets {
		if f := &r.cfg.Fleets[i]; p.Fleet == "" || p.Fleet == f.Name {
			fleets = append(fleets, f)
		}
	}
	g, err := newGathering(r.cfg, fleets, p.From, p.To)
	if err != nil {
		return err
	}
	run, err := g.read(ctx, r.journal, r.history)
	if err != nil {
		return err
	}
	return forms()[p.Form](w, run)
}

// reporter is what makes reports for the page; nil = this process keeps no history.
func (d *daemon) reporter() console.Reporter {
	if d.history == nil {
		return nil
	}
	return &reporter{cfg: d.cfg, journal: d.journal.ownLog, history: d.history.ownLog, now: time.Now}
}
