package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"firebreak/internal/line"
	"firebreak/internal/strictyaml"
	"firebreak/routing"
)

// Limits of answers.
const (
	maxHotspots = 200    // in a list
	maxCells    = 65_536 // of a heat map
	maxQuery    = 8192   // bytes
)

// api answers programs.
type api struct {
	model  *Model
	source Source

	reporter Reporter      // nil = nothing is kept that a report could be made of
	actor    Actor         // nil = nothing is acted on here
	asking   chan struct{} // as many places as people may wait for an answer
}

// failure is an answer with a reason.
type failure struct {
	status int
	reason string
}

func (f *failure) Error() string { return f.reason }

func wrong(format string, args ...any) error {
	return &failure{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func missing(format string, args ...any) error {
	return &failure{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

// routes of the API, by what stands behind /api/v1/.
func (a *api) routes() map[string]func(*http.Request) (any, error) {
	return map[string]func(*http.Request) (any, error){
		"fleets": a.fleets, "hotspots": a.hotspots, "hotspots/{id}": a.hotspot, "heatmap": a.heatmap, "search": a.search, "whatif": a.whatif,
		"fleets/{fleet}/actions": a.actionsOf, "fleets/{fleet}/routing": a.routingOf, "reports": a.reports, "status": a.status, "openapi.json": func(*http.Request) (any, error) { return a.document(), nil },
	}
}

// register adds the routes.
func (a *api) register(mux *http.ServeMux) {
	answers := a.routes()
	for _, described := range a.described() {
		known := make([]string, 0, len(described.parameters))
		for _, p := range described.parameters {
			known = append(known, p.name)
		}
		answer := answers[described.path]
		mux.HandleFunc("GET /api/v1/"+described.path, func(w http.ResponseWriter, r *http.Request) {
			err := allowed(r, known)
			var v any
			if err == nil {
				v, err = answer(r)
			}
			if err != nil {
				explain(w, err)
				return
			}
			send(w, http.StatusOK, v)
		})
	}
	mux.HandleFunc("POST /api/v1/fleets/{fleet}/actions", a.act)
	mux.HandleFunc("GET /api/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "there is nothing here; /api/v1/openapi.json lists what there is")
	})
}

// act has what a person says of a fleet carried out.
func (a *api) act(w http.ResponseWriter, r *http.Request) {
	f, _, err := a.actedOn(r)
	if err == nil {
		err = allowed(r, nil)
	}
	var done *askedAnswer
	if err == nil {
		done, err = a.ask(r.Context(), w, r, f.Name)
	}
	if err != nil {
		explain(w, err)
		return
	}
	send(w, http.StatusOK, done)
}

// pathName is the name of the fleet in a path of the API, as an answer has it.
func pathName(r *http.Request) (string, error) {
	name, err := routing.Unescape(r.PathValue("fleet"))
	if err != nil {
		return "", wrong("fleet: %v", err)
	}
	return name, nil
}

// allowed refuses parameters that are not known, or stand twice: a filter that is spelled wrong must not answer for everything.
func allowed(r *http.Request, known []string) error {
	if len(r.URL.RawQuery) > maxQuery {
		return wrong("the query has %d bytes, at most %d", len(r.URL.RawQuery), maxQuery)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // what Query leaves out without a word
		return wrong("the query cannot be read: %v; parameters are parted by &, and %% begins two hex digits", err)
	}
	for name, values := range query {
		if !slices.Contains(known, name) {
			text := fmt.Sprintf("parameter %s is not known; there is %s", routing.Escape(name), strings.Join(known, ", "))
			if len(known) == 0 {
				text = fmt.Sprintf("parameter %s: this takes none", routing.Escape(name))
			} else if near := strictyaml.Nearest(name, known); near != "" {
				text += "; did you mean " + near + "?"
			}
			return wrong("%s", text)
		}
		if len(values) > 1 {
			return wrong("parameter %s stands twice", name)
		}
	}
	return nil
}

// send writes an answer.
func send(w http.ResponseWriter, status int, v any) {
	b, err := line.Encode(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{"error":{"status":500,"reason":"the answer cannot be written"}}`+"\n")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) //nolint:gosec // JSON, which nobody sniffs; a client that left is no error of ours
}

// fail answers with a reason.
func fail(w http.ResponseWriter, status int, reason string) {
	send(w, status, problemAnswer{problem{status, line.Prose(reason)}})
}

// explain answers with an error.
func explain(w http.ResponseWriter, err error) {
	if f, ok := errors.AsType[*failure](err); ok {
		fail(w, f.status, f.reason)
		return
	}
	fail(w, http.StatusInternalServerError, err.Error())
}

// name reads a parameter that is a name in its escaped form; given is false where it is not there.
func name(r *http.Request, parameter string) (value string, given bool, err error) {
	if !r.URL.Query().Has(parameter) {
		return "", false, nil
	}
	text := r.URL.Query().Get(parameter)
	raw, err := routing.Unescape(text)
	if err != nil {
		return "", true, wrong("%s: %v; a backslash is written \\\\, a byte that is not UTF-8 \\xNN", parameter, err)
	}
	return raw, true, nil
}

// which finds the fleet that a request names; it may name none where there is only one. The lock is held.
func (a *api) which(r *http.Request) (*fleet, error) {
	text, given, err := name(r, "fleet")
	switch {
	case err != nil:
		return nil, err
	case !given && len(a.model.fleets) == 1:
		return a.model.fleets[0], nil
	case !given:
		return nil, wrong("fleet: want the name of one, there are %d", len(a.model.fleets))
	}
	if f := a.model.fleet(text); f != nil {
		return f, nil
	}
	return nil, missing("there is no fleet %s", routing.Escape(text))
}

// number reads a whole number from 1 to most.
func number(r *http.Request, parameter string, without, most int) (int, error) {
	if !r.URL.Query().Has(parameter) {
		return without, nil
	}
	n, err := strconv.Atoi(r.URL.Query().Get(parameter))
	if err != nil || n < 1 || n > most {
		return 0, wrong("%s: want a whole number from 1 to %d", parameter, most)
	}
	return n, nil
}
