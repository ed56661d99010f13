package report

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
)

// elements and attributes that a page has; nothing that came from data can add one.
func knownElements() []string {
	return strings.Fields("html head meta title style body a header p main nav ol ul li article section h1 h2 h3 dl div dt dd details summary figure figcaption " +
		"table caption thead tbody tr th td span strong bdi svg g path circle rect text desc defs pattern")
}

func knownAttributes() []string {
	return strings.Fields("lang charset http-equiv content name class href id role aria-label aria-labelledby aria-hidden tabindex scope data-label " +
		"viewbox preserveaspectratio transform patternunits patterntransform fill d x y cx cy r width height rx")
}

// checkPage holds a page against what every page must be: no script, no reference to anything outside, ids that are
// unique and found, labelled figures, nothing that hides or reorders text.
func checkPage(t *testing.T, root *html.Node) {
	t.Helper()
	elements, attributes := knownElements(), knownAttributes()
	ids, wanted := map[string]bool{}, []string{}
	csp, style := "", ""
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			if strings.IndexFunc(n.Data, func(r rune) bool { return r != '\n' && r != '\u00a0' && !unicode.IsPrint(r) }) >= 0 {
				t.Errorf("text with a character that does not print: %q", n.Data)
			}
			continue
		}
		if n.Type == html.CommentNode {
			t.Errorf("a comment: %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(elements, n.Data) {
			t.Errorf("an element <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if !slices.Contains(attributes, strings.ToLower(a.Key)) {
				t.Errorf("an attribute %s=%q on <%s>", a.Key, a.Val, n.Data)
			}
			switch a.Key {
			case "id":
				if ids[a.Val] {
					t.Errorf("id %q twice", a.Val)
				}
				ids[a.Val] = true
			case "href":
				if !strings.HasPrefix(a.Val, "#") {
					t.Errorf("a reference to %q", a.Val)
				}
				wanted = append(wanted, a.Val[1:])
			case "fill":
				id, ours := strings.CutPrefix(strings.TrimSuffix(a.Val, ")"), "url(#")
				if !ours {
					t.Errorf("a colour of %q", a.Val)
				}
				wanted = append(wanted, id)
			case "aria-labelledby":
				wanted = append(wanted, strings.Fields(a.Val)...)
			case "content":
				if attr(n, "http-equiv") == "Content-Security-Policy" {
					csp = a.Val
				}
			}
		}
		if n.Data == "style" {
			style = textOf(n)
		}
		if n.Data == "svg" && attr(n, "aria-hidden") == "" && (attr(n, "role") != "img" || find(n, "title") == nil || find(n, "desc") == nil) {
			t.Errorf("a figure without role, title and description")
		}
	}
	for _, id := range wanted {
		if !ids[id] {
			t.Errorf("a reference to #%s, which is not there", id)
		}
	}
	sum := sha256.Sum256([]byte(style))
	if want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.HasPrefix(csp, want) {
		t.Errorf("content security policy %q, want %q of the style as it stands", csp, want)
	}
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style refers to something outside")
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func find(n *html.Node, element string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == element {
			return d
		}
	}
	return nil
}

// all are the elements of a class, in order.
func all(n *html.Node, element, class string) []*html.Node {
	var out []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == element && (class == "" || slices.Contains(strings.Fields(attr(d, "class")), class)) {
			out = append(out, d)
		}
	}
	return out
}

// textOf is the text of a node as it stands.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// reading is a page as it is read aloud: a line for each block, figures by their title and description.
func reading(root *html.Node) string {
	var b, line strings.Builder
	flush := func() {
		if text := strings.Join(strings.Fields(line.String()), " "); text != "" {
			b.WriteString(text + "\n")
		}
		line.Reset()
	}
	blocks := strings.Fields("p h1 h2 h3 dt li tr caption figcaption summary header section article table dl div svg")
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			line.WriteString(n.Data)
			return
		}
		if n.Data == "style" || n.Data == "head" || n.Data == "svg" && attr(n, "aria-hidden") != "" {
			return
		}
		if n.Data == "svg" {
			flush()
			b.WriteString("[" + textOf(find(n, "title")) + ": " + textOf(find(n, "desc")) + "]\n")
			return
		}
		block := n.Type == html.ElementNode && slices.Contains(blocks, n.Data)
		if block {
			flush()
		}
		switch n.Data {
		case "h1":
			line.WriteString("# ")
		case "h2":
			line.WriteString("## ")
		case "h3":
			line.WriteString("### ")
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		switch n.Data {
		case "dt":
			line.WriteString(": ")
		case "td", "th":
			line.WriteString(" | ")
		}
		if block && n.Data != "dt" {
			flush()
		}
	}
	walk(root)
	flush()
	return b.String()
}
