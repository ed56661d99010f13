package pagerduty

import (
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
)

// drawn are the incidents as their pages have them: title, state, the fields of the payload, details by name, links.
const drawn = `<section class="pager" aria-label="PagerDuty">
<p class="where">PagerDuty{{if not .}}: nobody was paged{{end}}</p>
{{range .}}<article class="incident {{.State}}"><p class="who"><b>{{.State}}</b> · severity {{.Payload.Severity}} · paged {{.Pages}}×</p>
<h2>{{.Summary}}</h2>
<dl><div><dt>Source</dt><dd>{{.Payload.Source}}</dd></div><div><dt>Component</dt><dd>{{.Payload.Component}}</dd></div><div><dt>Class</dt><dd>{{.Payload.Class}}</dd></div><div><dt>Timestamp</dt><dd>{{.Payload.Timestamp}}</dd></div>
{{$d := .Payload.Details}}{{range names $d}}<div><dt>{{.}}</dt><dd>{{index $d .}}</dd></div>
{{end}}</dl><p>{{range .Links}}<a href="{{.Href}}">{{.Text}}</a> {{end}}</p></article>
{{end}}</section>
`

// Draw writes the incidents as HTML without a style: class names say what is what. Errors are those of w.
func (s *Server) Draw(w io.Writer) error {
	names := func(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
	t, err := template.New("pagerduty").Funcs(template.FuncMap{"names": names}).Parse(drawn)
	if err != nil {
		return fmt.Errorf("pagerduty: %w", err)
	}
	return t.Execute(w, s.Incidents())
}
