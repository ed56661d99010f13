package admin

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Condition is one thing that must hold for the process to be ready.
type Condition struct {
	Name  string       // a few words, unique
	Check func() error // why not; nil = it holds. It is called from any goroutine and returns at once
	Aside bool         // it is told with verbose only, and the process is ready without it
}

// ready answers 200 if every condition holds that is not aside, else 503. With verbose each condition has a line; without it only those
// that make it 503 have.
func ready(conditions []Condition) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		verbose := r.URL.Query().Has("verbose")
		status, answer := http.StatusOK, "ready"
		var lines strings.Builder
		for _, c := range conditions {
			switch err := c.Check(); {
			case err != nil && c.Aside:
				if verbose {
					fmt.Fprintf(&lines, "aside      %s: %s\n", oneLine(c.Name), oneLine(err.Error()))
				}
			case err != nil:
				status, answer = http.StatusServiceUnavailable, "not ready"
				fmt.Fprintf(&lines, "not ready  %s: %s\n", oneLine(c.Name), oneLine(err.Error()))
			case verbose:
				fmt.Fprintf(&lines, "ready      %s\n", oneLine(c.Name))
			}
		}
		text(w, status, answer+"\n"+lines.String())
	}
}

// oneLine keeps a text on its line: joined errors have several.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func healthy(w http.ResponseWriter, _ *http.Request) { text(w, http.StatusOK, "healthy\n") }

func index(w http.ResponseWriter, _ *http.Request) {
	text(w, http.StatusOK, `firebreak

/metrics           metrics for Prometheus, described in docs/metrics.md
/-/healthy         is the process alive
/-/ready           is it ready; /-/ready?verbose says what for and why not
/debug/pprof/      profiles
`)
}

func text(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // a client that left is no error of ours
}
