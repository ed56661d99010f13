package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"firebreak/dashboards/draw"
)

// MaxBytes is what a page stays under.
const MaxBytes = 1 << 20

//go:embed report.tmpl
var pageTemplate string

//go:embed report.css
var pageStyle string

// errLarge says that a page is too large even with the least that it may show.
var errLarge = errors.New("report: the page does not fit its limit")

// Render writes the page of a run, under MaxBytes: where it would be larger, it shows fewer hotspots in full, fewer
// rows of its tables and, last, fewer fleets, and says so. Errors are those of w.
func Render(w io.Writer, run *Run) error {
	t, err := draw.Parse(template.New("report"))
	if err == nil {
		t, err = t.Parse(pageTemplate)
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	for l, tries := fullLimits(), 0; tries < 8; l, tries = l.lower(), tries+1 {
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, "page", newPage(run, l)); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if b.Len() < MaxBytes {
			_, err := w.Write(b.Bytes())
			return err
		}
	}
	return errLarge
}

// Policy is the content security policy of a page: its own style sheet and nothing else. It stands in the page; who serves one sends it
// as a header too.
func Policy() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// newPage is a run as the template shows it.
func newPage(run *Run, l limits) *page {
	p := &page{
		CSP:    Policy(),
		CSS:    template.CSS(pageStyle), //nolint:gosec // the embedded style sheet
		Broken: draw.Prose(run.Broken, draw.MaxPhrase),
	}
	for _, f := range run.Files[:min(len(run.Files), l.files)] {
		p.Files = append(p.Files, draw.Name(f, draw.MaxName))
	}
	p.More = len(run.Files) - len(p.Files)
	many := len(run.Fleets) > 1
	titles := make([]string, 0, len(run.Fleets))
	for i := range run.Fleets {
		if i >= l.fleets {
			p.Dropped++
			continue
		}
		t := newTeller(&run.Fleets[i], fmt.Sprintf("f%d", i+1), l)
		v := t.view(many)
		p.Fleets = append(p.Fleets, v)
		titles = append(titles, v.Headline.String())
	}
	p.Title = draw.Cut("firebreak: "+strings.Join(titles, " "), 160)
	return p
}
