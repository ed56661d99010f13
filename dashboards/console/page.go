package console

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"

	"firebreak/dashboards/draw"
	"firebreak/dashboards/report"
	"firebreak/internal/words"
)

//go:embed console.tmpl
var pageTemplate string

//go:embed console.css
var pageStyle string

//go:embed console.js
var pageScript string

// policyOf content: nothing from elsewhere, no inline script or style, no frame.
const policyOf = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// pages answers people. The API does what both need.
type pages struct {
	api
	maker         *maker
	tmpl          *template.Template
	style, script asset
}

// asset is a file that is embedded, under a path that changes with it.
type asset struct {
	path, kind string
	body       []byte
}

func newAsset(ext, kind, body string) asset {
	sum := sha256.Sum256([]byte(body))
	return asset{"/static/" + hex.EncodeToString(sum[:8]) + ext, kind, []byte(body)}
}

func newPages(m *Model, s Source, reports *maker, acts Actor) (*pages, error) {
	t, err := report.Parts(template.New("console"))
	if err == nil {
		t, err = t.Parse(pageTemplate)
	}
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return &pages{
		api: api{m, s, reports.reporter, acts, make(chan struct{}, maxAsking)}, maker: reports, tmpl: t, style: newAsset(".css", "text/css; charset=utf-8", report.Style()+pageStyle),
		script: newAsset(".js", "text/javascript; charset=utf-8", pageScript),
	}, nil
}

// frame is what stands around every page.
type frame struct {
	Title         string
	Style, Script string
	Nav           []link
	Live          bool // it is drawn anew when something changed
	Back          link // of a problem: where to go on; empty = to the overview
	Body          any
}

type link struct {
	Text, Href string
	Here       bool
}

// servedPage is a page: where it is, what its query may have, and who draws it.
type servedPage struct {
	path       string
	parameters []string
	draw       func(*http.Request) (string, frame, error)
}

func (p *pages) served() []servedPage {
	return []servedPage{
		{"/{$}", []string{"hours"}, p.home},
		{"/fleets/{fleet}", []string{"hours"}, p.overview},
		{"/fleets/{fleet}/hotspots/{id}", nil, p.hotspotPage},
		{"/fleets/{fleet}/search", []string{"key", "tenant"}, p.searchPage},
		{"/fleets/{fleet}/actions", []string{"done"}, p.actionsPage},
		{"/fleets/{fleet}/routing", nil, p.routingPage},
		{"/whatif", []string{"share", "rate", "shards", "salt", "reads", "target", "capacity", "sample", "as", "at"}, p.whatifPage},
		{"/reports", nil, p.reportsPage},
		{"/status", nil, p.statusPage},
	}
}

// register adds the pages.
func (p *pages) register(mux *http.ServeMux) {
	for _, served := range p.served() {
		mux.HandleFunc("GET "+served.path, func(w http.ResponseWriter, r *http.Request) {
			var name string
			var f frame
			status, err := http.StatusOK, allowed(r, served.parameters)
			if err == nil {
				name, f, err = served.draw(r)
			}
			if err != nil {
				status, name, f = p.problem(err)
			}
			p.show(w, r, status, name, &f)
		})
	}
	for form := range forms() {
		mux.HandleFunc("GET /reports/"+form, func(w http.ResponseWriter, r *http.Request) { p.report(w, r, form) })
	}
	for _, a := range []asset{p.style, p.script} {
		mux.HandleFunc("GET "+a.path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", a.kind)
			w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
			_, _ = w.Write(a.body)
		})
	}
	mux.HandleFunc("POST /fleets/{fleet}/actions", p.actionsForm)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		status, name, f := p.problem(missing("There is no such page."))
		p.show(w, r, status, name, &f)
	})
}

// problem is the page of an error.
func (p *pages) problem(err error) (int, string, frame) {
	status := http.StatusInternalServerError
	if f, ok := errors.AsType[*failure](err); ok {
		status = f.status
	}
	return status, "problem", frame{Title: http.StatusText(status), Body: words.Say(words.Ended(words.Capital(err.Error())))}
}

// show writes a page, whole or not at all.
func (p *pages) show(w http.ResponseWriter, r *http.Request, status int, name string, f *frame) {
	f.Style, f.Script, f.Nav = p.style.path, p.script.path, p.nav(r.URL.EscapedPath())
	var b bytes.Buffer
	if err := p.tmpl.ExecuteTemplate(&b, name, f); err != nil {
		http.Error(w, "the page cannot be drawn", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// maxNav bounds the fleets in the head of a page.
const maxNav = 12

// nav are the links in the head of a page.
func (p *pages) nav(path string) []link {
	out := []link{}
	for _, f := range p.model.fleets[:min(len(p.model.fleets), maxNav)] {
		href := fleetPath(f.Name)
		out = append(out, link{draw.Name(f.Name, draw.MaxLabel), href, path == href || path == "/" && len(p.model.fleets) == 1})
	}
	if len(p.model.fleets) > 1 {
		out = append([]link{{"All fleets", "/", path == "/"}}, out...)
	}
	return append(out, link{"What if", "/whatif", path == "/whatif"}, link{"Reports", "/reports", path == "/reports"}, link{"Status", "/status", path == "/status"})
}

func fleetPath(name string) string { return "/fleets/" + url.PathEscape(name) }

func hotspotPath(fleet, id string) string {
	return fleetPath(fleet) + "/hotspots/" + url.PathEscape(id)
}

// pathFleet finds the fleet of a path. The lock is held.
func (p *pages) pathFleet(r *http.Request) (*fleet, error) {
	if f := p.model.fleet(r.PathValue("fleet")); f != nil {
		return f, nil
	}
	return nil, missing("there is no fleet %s", words.Show(r.PathValue("fleet"), words.MaxName))
}

// home is the only fleet, or the list of all.
func (p *pages) home(r *http.Request) (string, frame, error) {
	if len(p.model.fleets) == 1 {
		r.SetPathValue("fleet", p.model.fleets[0].Name)
		return p.overview(r)
	}
	p.model.mu.RLock()
	defer p.model.mu.RUnlock()
	var all []fleetCard
	for _, f := range p.model.fleets {
		state, text := f.headline()
		all = append(all, fleetCard{draw.Name(f.Name, draw.MaxName), fleetPath(f.Name), state, text})
	}
	return "fleets", frame{Title: "Fleets", Live: true, Body: all}, nil
}

type fleetCard struct {
	Name, Href, State string
	Headline          phrase
}
