package slack

import (
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
)

// drawn is a channel as its readers see it: who posted, headers, sections beside their bar, and below it the thread, opened.
const drawn = `<section class="slack" aria-label="Slack">
<p class="where">Slack <b>#{{.Name}}</b></p>
{{range .Messages}}<article class="post"><p class="who"><b>firebreak</b> <span class="app">APP</span>{{if .Edits}} <span class="dim">(edited)</span>{{end}}</p>
{{template "blocks" .}}
{{if .Replies}}<div class="thread"><p class="dim">{{len .Replies}} {{if eq (len .Replies) 1}}reply{{else}}replies{{end}} in the thread</p>
{{range .Replies}}<div class="reply"><p class="who"><b>firebreak</b> <span class="app">APP</span></p>{{template "blocks" .}}</div>{{end}}</div>{{end}}</article>
{{end}}</section>
{{define "blocks"}}{{range .Blocks}}{{if .Header}}<h2>{{.Text}}</h2>{{end}}{{end}}<div class="attached {{colour .Colour}}">{{range .Blocks}}{{if not .Header}}<p>{{if .Markup}}{{mrkdwn .Text}}{{else}}{{.Text}}{{end}}</p>{{end}}{{end}}</div>{{if not .Blocks}}<p>{{mrkdwn .Text}}</p>{{end}}{{end}}`

// Draw writes a channel as HTML without a style: class names say what is what. Errors are those of w.
func (s *Server) Draw(w io.Writer, id string) error {
	t, err := template.New("slack").Funcs(template.FuncMap{"mrkdwn": mrkdwn, "colour": colour}).Parse(drawn)
	if err != nil {
		return fmt.Errorf("slack: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.Execute(w, s.channels[id])
}

// colour is the class of a bar: "c" and its six digits.
func colour(c string) string { return "c" + strings.TrimPrefix(c, "#") }

// mrkdwn is what Slack makes of markup: links, code, bold and lines. Entities stand in it as they do in HTML, and there is no other way
// to write <, > and &.
// https://api.slack.com/reference/surfaces/formatting.
func mrkdwn(s string) template.HTML {
	s = strings.ReplaceAll(s, `"`, "&#34;")
	s = regexp.MustCompile(`<(https?://[^|>]*)(?:\|([^>]*))?>`).ReplaceAllStringFunc(s, func(link string) string {
		url, text, named := strings.Cut(strings.Trim(link, "<>"), "|")
		if !named {
			text = url
		}
		return "\x00a href=\"" + url + "\"\x01" + text + "\x00/a\x01"
	})
	s = strings.NewReplacer("<", "&lt;", ">", "&gt;", "\x00", "<", "\x01", ">").Replace(s)
	var out strings.Builder
	for i, part := range strings.Split(s, "`") { // every second one is code, in which nothing else is markup
		if i%2 == 1 {
			out.WriteString("<code>" + part + "</code>")
			continue
		}
		out.WriteString(regexp.MustCompile(`(^|\s)\*([^*\n<>]+)\*`).ReplaceAllString(part, "$1<b>$2</b>"))
	}
	return template.HTML(strings.ReplaceAll(out.String(), "\n", "<br>")) //nolint:gosec // every < and > in it is written above
}
