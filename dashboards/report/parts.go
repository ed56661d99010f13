package report

import (
	"fmt"
	"html/template"

	"firebreak/dashboards/draw"
)

// Parts adds to a page's templates what the report is made of: the figures of [draw.Parse], phrase of a words.Phrase, and board of
// a table of the heaviest, a [Board]. So the live page shows the same in the same form.
func Parts(t *template.Template) (*template.Template, error) {
	t, err := draw.Parse(t)
	if err == nil {
		t, err = t.Parse(pageTemplate)
	}
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return t, nil
}

// Board is a table of the heaviest keys or tenants, as the template board shows it.
type Board = board

// BoardRow is one of them.
type BoardRow = boardRow

// Style is the style sheet that the parts are written for.
func Style() string { return pageStyle }
