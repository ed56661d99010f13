package console

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"firebreak/internal/words"
)

// reportsView is the page of reports.
type reportsView struct {
	Why      string // none can be made here; empty = they can
	Ready    []madeRow
	Zone     string // of days
	From, To string // days that the form begins with
	Today    string
	Written  []writtenRow
}

// madeRow is a report that is made when it is asked for.
type madeRow struct {
	Name  string
	Links []link
}

// writtenRow is a report of the journal.
type writtenRow struct {
	From, To, At string
	Failed       bool
	Text         phrase
	Hotspots     string
	Links        []link // nil = it cannot be made
}

// maxWhere is how much of the path of a report is shown, in characters.
const maxWhere = 300

// reportsPage lists the reports that were written, and offers to make others.
func (p *pages) reportsPage(*http.Request) (string, frame, error) {
	v := reportsView{}
	if r := p.maker.reporter; r == nil {
		v.Why = nothingKept + ". A log that is kept elsewhere can be reported on: firebreak replay --report out.html FILE."
	} else {
		now := r.Now()
		for _, last := range []struct{ name, last string }{{"The last 24 hours", "24h"}, {"The last 7 days", "7d"}} {
			v.Ready = append(v.Ready, madeRow{last.name, made(url.Values{"last": {last.last}})})
		}
		v.Zone, v.From, v.To, v.Today = now.Location().String(), now.AddDate(0, 0, -7).Format(time.DateOnly), now.Format(time.DateOnly), now.AddDate(0, 0, 1).Format(time.DateOnly)
	}
	for _, w := range p.model.written() {
		row := writtenRow{
			From: words.Clock(timeOf(w.From)), To: words.Clock(timeOf(w.To)), At: words.Clock(w.At), Failed: w.Why != "",
			Hotspots: words.Count(w.Hotspots, "hotspot"), Text: words.Say(string(w.Text)).Apart(),
		}
		switch {
		case row.Failed:
			row.Text = words.Say("It could not be written: ", words.Ended(string(w.Why)))
		case w.Where != "":
			path := phrase{{Text: words.Flat(string(w.Where), maxWhere), Name: true}}
			row.Text = append(row.Text, words.Say(" It is in ", path, ".")...)
		}
		if p.maker.reporter != nil {
			row.Links = made(url.Values{"from": {timeOf(w.From).UTC().Format(time.RFC3339)}, "to": {timeOf(w.To).UTC().Format(time.RFC3339)}})
		}
		v.Written = append(v.Written, row)
	}
	return "reports", frame{Title: "Reports", Body: v}, nil
}

// made are the links to one report, by form.
func made(q url.Values) []link {
	return []link{{"page", "/reports/html?" + q.Encode(), false}, {"Markdown", "/reports/md?" + q.Encode(), false}, {"JSON", "/reports/json?" + q.Encode(), false}}
}

// written are the reports of the journal, the newest period first.
func (m *Model) written() []Reported {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := slices.Clone(m.reports)
	slices.Reverse(out)
	return out
}

// reports answers with the reports that were written.
func (a *api) reports(*http.Request) (any, error) {
	out := reportsAnswer{Makes: a.reporter != nil, Reports: []reportAnswer{}}
	for _, w := range a.model.written() {
		out.Reports = append(out.Reports, reportAnswer{From: w.From, To: w.To, At: stampOf(w.At), Hotspots: w.Hotspots, Text: w.Text, Where: w.Where, Why: w.Why})
	}
	return out, nil
}
