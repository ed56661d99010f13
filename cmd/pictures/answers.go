package main

import (
	"fmt"
	"strings"
)

// Marks of docs/pictures.md: what stands between them is made of the stories.
const (
	begin = "<!-- answers -->\n"
	end   = "<!-- end of answers -->\n"
)

// answers are the questions of a case with their answers, as Markdown.
func answers(c *example, questions []question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s. %s\n\n", c.file[:1], c.title)
	for _, q := range questions {
		fmt.Fprintf(&b, "* **%s** %s\n", q.ask, q.answer)
	}
	b.WriteString("\n")
	return b.String()
}
