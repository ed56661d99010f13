package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"firebreak/dashboards/report"
	"firebreak/internal/words"
)

const (
	// reportTime bounds the making of a report: five weeks of a large group are read and judged in less.
	reportTime = 2 * time.Minute
	// reportAgain is when who finds another report being made may ask again, in seconds.
	reportAgain = "10"
)

// maker makes reports, one at a time: each reads weeks of two logs.
type maker struct {
	reporter Reporter // nil = none can be made
	ending   <-chan struct{}
	turn     chan struct{} // of one
}

func newMaker(r Reporter, ending <-chan struct{}) *maker {
	return &maker{reporter: r, ending: ending, turn: make(chan struct{}, 1)}
}

// nothingKept says why there are no reports.
const nothingKept = "No report can be made here: a process that stands alone, and the demonstration, keep neither a journal nor a history"

// make makes the report of a time. The error is a failure.
func (m *maker) make(ctx context.Context, p *Period) ([]byte, error) {
	if m.reporter == nil {
		return nil, missing("%s.", nothingKept)
	}
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	default:
		return nil, &failure{http.StatusServiceUnavailable, "another report is being made: ask again in " + reportAgain + " seconds"}
	}
	ctx, cancel := context.WithTimeout(ctx, reportTime)
	defer cancel()
	go func() {
		select {
		case <-m.ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	var b bytes.Buffer
	err := m.reporter.Report(ctx, &b, p)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, &failure{http.StatusGatewayTimeout, "the report is not made within " + words.Lasting(reportTime) + ": ask for a shorter time"}
	case ctx.Err() != nil:
		return nil, &failure{http.StatusServiceUnavailable, "this process ends"}
	case err != nil:
		return nil, &failure{http.StatusBadGateway, "the report cannot be made: " + err.Error()}
	}
	return b.Bytes(), nil
}

// forms are what a report can be made as, with their media types.
func forms() map[string]string {
	return map[string]string{"html": "text/html; charset=utf-8", "md": "text/markdown; charset=utf-8", "json": "application/json"}
}

// report answers with the report of a time.
func (p *pages) report(w http.ResponseWriter, r *http.Request, form string) {
	asked, err := p.period(r, form)
	var body []byte
	if err == nil && r.Method != http.MethodHead {
		out := http.NewResponseController(w) // a recorder of a test has no deadlines
		_ = out.SetReadDeadline(time.Time{})
		_ = out.SetWriteDeadline(time.Now().Add(reportTime + writeTimeout))
		body, err = p.maker.make(r.Context(), asked)
	}
	if err != nil {
		p.noReport(w, r, form, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", forms()[form])
	h.Set("Content-Disposition", fmt.Sprintf(`inline; filename="firebreak-%s-%s.%s"`, asked.From.Format(time.DateOnly), asked.To.Format(time.DateOnly), form))
	if form == "html" {
		h.Set("Content-Security-Policy", report.Policy()+"; frame-ancestors 'none'")
	}
	_, _ = w.Write(body) //nolint:gosec // G705: html/template made it
}

// noReport says why there is none: to people as a page, to programs as the API does, or as a sentence where they wanted Markdown.
func (p *pages) noReport(w http.ResponseWriter, r *http.Request, form string, err error) {
	if f, ok := errors.AsType[*failure](err); ok && f.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", reportAgain)
	}
	switch {
	case form == "json":
		explain(w, err)
		return
	case form == "md" && !people(r):
		status, _, f := p.problem(err)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = fmt.Fprintln(w, f.Body)
		return
	}
	status, name, f := p.problem(err)
	p.show(w, r, status, name, &f)
}
