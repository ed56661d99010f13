package console

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"firebreak/dashboards/report"
	"firebreak/internal/words"
	"firebreak/routing"
)

// period reads what a report is asked of: from and to, each a time or a day in the zone of reports, or last, the time up to now. What is
// yet to come is left off.
func (p *pages) period(r *http.Request, form string) (*Period, error) {
	if p.maker.reporter == nil {
		return nil, missing("%s.", nothingKept)
	}
	if err := allowed(r, []string{"fleet", "from", "to", "last"}); err != nil {
		return nil, err
	}
	now := p.maker.reporter.Now().Truncate(time.Minute)
	out := &Period{Form: form, To: now}
	fleet, given, err := name(r, "fleet")
	switch {
	case err != nil:
		return nil, err
	case given && p.model.fleet(fleet) == nil:
		return nil, missing("there is no fleet %s", routing.Escape(fleet))
	}
	out.Fleet = fleet
	q := r.URL.Query()
	from, to, last := q.Get("from"), q.Get("to"), q.Get("last")
	switch {
	case last != "" && from+to != "":
		return nil, wrong("last: want it, or from and to")
	case last != "":
		d, err := stretchOf(last)
		if err != nil {
			return nil, err
		}
		out.From = now.Add(-d)
		return out, nil
	case from == "":
		return nil, wrong("from: want the begin of the time: a day, such as 2026-03-02, or RFC 3339, such as 2026-03-02T08:00:00Z")
	}
	if out.From, err = moment("from", from, now.Location()); err != nil {
		return nil, err
	}
	if to != "" {
		if out.To, err = moment("to", to, now.Location()); err != nil {
			return nil, err
		}
	}
	if out.To.After(now) {
		out.To = now
	}
	return out, out.check()
}

// check refuses times that no report can be of.
func (p *Period) check() error {
	switch {
	case !p.From.Before(p.To):
		return wrong("from: want a time before to, and before now; the last day is not included")
	case p.To.Sub(p.From) > report.MaxPeriod:
		return wrong("from %s to %s: want at most %d days, as far as the history goes back", words.Clock(p.From), words.Clock(p.To), int(report.MaxPeriod.Hours()/24))
	}
	return nil
}

// moment reads a time, or a day in a zone.
func moment(parameter, text string, zone *time.Location) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		if !at.Truncate(time.Minute).Equal(at) {
			return at, wrong("%s: want a whole minute", parameter)
		}
		return at, nil
	}
	if at, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return at, nil
	}
	return time.Time{}, wrong("%s %s: want a day, such as 2026-03-02, or RFC 3339, such as 2026-03-02T08:00:00Z", parameter, words.Flat(text, words.MaxName))
}

// stretchOf reads how long before now a report begins: 90m, 24h, 7d.
func stretchOf(text string) (time.Duration, error) {
	const most = int(report.MaxPeriod / time.Minute)
	units := map[string]int{"m": 1, "h": 60, "d": 24 * 60}
	for unit, minutes := range units {
		digits, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.Atoi(digits); ok && err == nil && n > 0 && n <= most/minutes {
			return time.Duration(n*minutes) * time.Minute, nil
		}
	}
	return 0, wrong("last %s: want minutes, hours or days, such as 90m, 24h or 7d, at most %d days", words.Flat(text, words.MaxName), int(report.MaxPeriod.Hours()/24))
}
