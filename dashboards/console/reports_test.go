package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator"
	"firebreak/dashboards/report"
	"firebreak/internal/access"
	"firebreak/internal/line"
)

// chronicler makes the reports of a test fleet, of its own journal and minutes.
type chronicler struct {
	*watched

	more  []*watched // other fleets of the group
	zone  *time.Location
	asked []Period
	err   error
	hold  chan struct{} // a report is not made before this is closed, or the time is over; nil = at once
	began chan struct{}
}

func (c *chronicler) Now() time.Time {
	if c.zone != nil {
		return c.now().In(c.zone)
	}
	return c.now()
}

func (c *chronicler) Report(ctx context.Context, w io.Writer, p *Period) error {
	c.asked = append(c.asked, *p)
	if c.hold != nil {
		close(c.began)
		select {
		case <-c.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if c.err != nil {
		return c.err
	}
	run := &report.Run{}
	for _, f := range append([]*watched{c.watched}, c.more...) {
		if p.Fleet != "" && p.Fleet != f.name {
			continue
		}
		week, err := report.NewWeek(f.name, p.From, p.To, &f.cfg)
		if err != nil {
			return err
		}
		for i := range f.journal {
			week.Entry(&f.journal[i])
		}
		for i := range f.minutes {
			week.Minute(&f.minutes[i])
		}
		run.Fleets = append(run.Fleets, week.Fleet(""))
	}
	return map[string]func(io.Writer, *report.Run) error{"html": report.Render, "md": report.Markdown, "json": report.JSON}[p.Form](w, run)
}

func reportOf(t *testing.T, from, to time.Time, r actuator.Reported) actuator.Entry {
	t.Helper()
	r.From, r.To = line.Stamp(from), line.Stamp(to)
	e, err := actuator.NewReported(to.Add(10*time.Minute), r)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestReportOnDemand: the report of a time is made when it is asked for, in each form, is that of the command, and is sent with a policy
// of its own that lets it show itself and nothing else.
func TestReportOnDemand(t *testing.T) {
	f := hotKey(t).looked(nil).run(80)
	f.dismiss("bob", "a load test")
	c := &chronicler{watched: f}
	h := f.reported(c)
	for form, wants := range map[string][]string{
		"html": {"<!doctype html>", "Service levels", "Dismissed as a false alarm by ", "cart:42"}, "md": {"# firebreak report", "`cart:42`"}, "json": {`"key":"cart:42"`, `"kind":"dismissed"`},
	} {
		w := get(t, h, "/reports/"+form+"?last=13m")
		for _, want := range wants {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: want %s", form, want)
			}
		}
		if w.Code != 200 || w.Header().Get("Content-Type") != forms()[form] || w.Header().Get("Content-Disposition") != `inline; filename="firebreak-2026-03-01-2026-03-01.`+form+`"` {
			t.Errorf("%s: %d %v", form, w.Code, w.Header())
		}
		csp := w.Header().Get("Content-Security-Policy")
		if strict := "default-src 'none'; style-src 'sha256-"; form == "html" && (!strings.HasPrefix(csp, strict) || strings.Contains(csp, "script-src") || !strings.HasSuffix(csp, "frame-ancestors 'none'")) || form != "html" && csp != policyOf {
			t.Errorf("%s: policy %s", form, csp)
		}
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cache-Control": "no-store"} {
			if got := w.Header().Get(header); got != want {
				t.Errorf("%s: %s: %s", form, header, got)
			}
		}
		if w.Body.Len() > report.MaxBytes {
			t.Errorf("%s has %d bytes", form, w.Body.Len())
		}
	}
}

// TestReportPeriod: which time is asked of.
func TestReportPeriod(t *testing.T) {
	f := hotKey(t).looked(nil).run(80) // it is 12:13:25
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	c := &chronicler{watched: f, zone: berlin}
	h := f.reported(c)
	for _, tt := range []struct{ query, from, to, why string }{
		{"last=24h", "2026-02-28T12:13:00Z", "2026-03-01T12:13:00Z", ""},
		{"last=7d", "2026-02-22T12:13:00Z", "2026-03-01T12:13:00Z", ""},
		{"last=35d", "2026-01-25T12:13:00Z", "2026-03-01T12:13:00Z", ""},
		{"from=2026-02-27&to=2026-02-28", "2026-02-26T23:00:00Z", "2026-02-27T23:00:00Z", ""},
		{"from=2026-02-27&to=", "2026-02-26T23:00:00Z", "2026-03-01T12:13:00Z", ""},
		{"from=2026-02-27&to=2026-03-05", "2026-02-26T23:00:00Z", "2026-03-01T12:13:00Z", ""},
		{"from=2026-02-27T08:30:00Z&to=2026-02-27T12:30:00%2B01:00", "2026-02-27T08:30:00Z", "2026-02-27T11:30:00Z", ""},
		{"from=2026-02-27&fleet=orders", "2026-02-26T23:00:00Z", "2026-03-01T12:13:00Z", ""},
		{"from=2025-10-01&to=2025-11-05", "2025-09-30T22:00:00Z", "2025-11-04T23:00:00Z", ""}, // 35 days and the hour that October has twice
		{"from=2025-10-01&to=2025-11-06", "", "", "want at most 35 days"},
		{"from=2025-11-01;to=2025-11-06", "", "", "parted by &"},
		{"", "", "", "from: want the begin"},
		{"from=yesterday", "", "", "from yesterday: want a day"},
		{"from=2026-02-27T08:30:01Z", "", "", "want a whole minute"},
		{"from=2026-03-02", "", "", "want a time before to, and before now"},
		{"from=2026-02-02&to=2026-02-02", "", "", "want a time before to"},
		{"from=2026-01-01", "", "", "want at most 35 days"},
		{"last=36d", "", "", "last 36d: want minutes"},
		{"last=0h", "", "", "want minutes"},
		{"last=9223372036854775807h", "", "", "want minutes"},
		{"last=-1h", "", "", "want minutes"},
		{"last=24h&from=2026-02-27", "", "", "want it, or from and to"},
		{"since=1h", "", "", "parameter since is not known"},
		{"last=1h&last=2h", "", "", "stands twice"},
		{"last=1h&fleet=nope", "", "", "there is no fleet nope"},
	} {
		c.asked = nil
		w := get(t, h, "/reports/json?"+tt.query)
		if tt.why != "" {
			if w.Code/100 != 4 || !strings.Contains(w.Body.String(), tt.why) || len(c.asked) != 0 {
				t.Errorf("%s: %d %s, want %s", tt.query, w.Code, w.Body, tt.why)
			}
			continue
		}
		if w.Code != 200 || len(c.asked) != 1 {
			t.Errorf("%s: %d %.300s", tt.query, w.Code, w.Body)
			continue
		}
		if p := c.asked[0]; p.From.UTC().Format(time.RFC3339) != tt.from || p.To.UTC().Format(time.RFC3339) != tt.to || strings.Contains(tt.query, "fleet") != (p.Fleet == "orders") {
			t.Errorf("%s: %v, want %s to %s", tt.query, p, tt.from, tt.to)
		}
	}
}

// TestReportBounds: one report is made at a time, within a deadline that outlasts those of other answers; who leaves, and a server that
// ends, stop it; what fails is said in words.
func TestReportBounds(t *testing.T) {
	f := hotKey(t).looked(nil).run(80)
	c := &chronicler{watched: f, hold: make(chan struct{}), began: make(chan struct{})}
	ending := make(chan struct{})
	cfg := access.Default()
	h, err := newHandler(&cfg, f.model, &oracle{}, c, nil, ending)
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan *deadlines, 1)
	go func() {
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/reports/html?last=1h", nil)
		r.Host = "localhost"
		h.ServeHTTP(w, r)
		first <- w
	}()
	<-c.began
	for _, form := range []string{"html", "json"} {
		w := get(t, h, "/reports/"+form+"?last=1h")
		if w.Code != 503 || w.Header().Get("Retry-After") != reportAgain || !strings.Contains(w.Body.String(), "nother report is being made") {
			t.Errorf("%s: %d %v %s", form, w.Code, w.Header(), w.Body)
		}
	}
	close(ending)
	w := <-first
	if w.Code != 503 || !strings.Contains(textOf(t, w.Body.String()), "This process ends.") {
		t.Errorf("at the end: %d %s", w.Code, w.Body)
	}
	if !w.read.IsZero() || w.write.Before(time.Now().Add(reportTime)) {
		t.Errorf("deadlines of %v and %v cut off what takes %v", w.read, w.write, reportTime)
	}
	bad := &chronicler{watched: f, err: errors.New("history: no broker <b>answers</b>")}
	for range 2 { // the turn is given back
		if w := get(t, f.reported(bad), "/reports/html?last=1h"); w.Code != 502 || !strings.Contains(textOf(t, w.Body.String()), "The report cannot be made: history: no broker <b>answers</b>.") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodHead, "/reports/html?last=1h", nil)
	r.Host = "localhost"
	head := httptest.NewRecorder()
	if f.reported(bad).ServeHTTP(head, r); head.Code != 200 || len(bad.asked) != 2 {
		t.Errorf("HEAD made a report: %d", head.Code)
	}
}

// deadlines is an answer that remembers how long it may take.
type deadlines struct {
	*httptest.ResponseRecorder

	read, write time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.read = at
	return nil
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.write = at
	return nil
}

// TestReportsPage: the page lists what was written, the newest period first, with a link to each form of it made anew, and what was
// given up with why; without a history it says so, and makes none.
func TestReportsPage(t *testing.T) {
	f := hotKey(t).looked(nil).run(80)
	week := 7 * 24 * time.Hour
	for i, r := range []actuator.Reported{{Text: "Two shards were hot.", Hotspots: 2, Where: "/reports/w1.html"}, {Why: "no space <left>"}, {Text: "Nothing.", Where: "javascript:alert(1)"}} {
		e := reportOf(t, f.start.Add(time.Duration(i)*week), f.start.Add(time.Duration(i+1)*week), r)
		f.tell(e, nil)
		f.tell(e, nil)
	}
	kept, alone := f.reported(&chronicler{watched: f}), served(t, f.model, &oracle{})
	page := get(t, kept, "/reports").Body.String()
	text := textOf(t, page)
	for _, want := range []string{"Two shards were hot. It is in /reports/w1.html.", "2 hotspots", "given up", "It could not be written: no space <left>.", "It is in javascript:alert(1).", "Days begin at 00:00, UTC."} {
		if !strings.Contains(text, want) {
			t.Errorf("not said: %s", want)
		}
	}
	for _, want := range []string{`href="/reports/html?last=24h"`, `href="/reports/md?last=7d"`, `href="/reports/json?from=2026-03-15T12%3A00%3A00Z&amp;to=2026-03-22T12%3A00%3A00Z"`, `href="/reports" aria-current="page"`, `value="2026-02-22"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	list := read[reportsAnswer](t, kept, "/api/v1/reports")
	var got []string
	for _, r := range list.Reports {
		got = append(got, fmt.Sprint(r.Hotspots, " ", r.Text, "|", r.Why))
	}
	if diff := cmp.Diff([]string{"0 Nothing.|", "0 |no space <left>", "2 Two shards were hot.|"}, got); diff != "" || !list.Makes {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	text = textOf(t, get(t, alone, "/reports").Body.String())
	if !strings.Contains(text, "No report can be made here: a process that stands alone") || strings.Contains(text, "Make one now") {
		t.Error("without a history the page does not say so")
	}
	if w := get(t, alone, "/reports/json?last=1h"); w.Code != 404 || !strings.Contains(w.Body.String(), "No report can be made here") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if read[reportsAnswer](t, alone, "/api/v1/reports").Makes {
		t.Error("it says that it makes reports")
	}
	for i := range 3 * maxReports {
		e := reportOf(t, f.start.Add(time.Duration(i)*time.Hour), f.start.Add(time.Duration(i+1)*time.Hour), actuator.Reported{Text: "x"})
		f.model.Recall(&e)
	}
	if n := len(f.model.reports); n != maxReports {
		t.Errorf("%d reports are kept", n)
	}
}
