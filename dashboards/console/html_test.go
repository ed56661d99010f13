package console

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// elements that pages are made of, and attributes.
func elements() []string {
	return strings.Fields("html head meta title link script body a header p nav ul li main footer h1 h2 h3 dl div dt dd ol section article span bdi figure figcaption svg desc g path text circle rect defs pattern details summary table thead tbody tr th td caption form label input button strong code")
}

func attributes() []string {
	return strings.Fields("required maxlength formaction lang charset name content rel href src defer class id tabindex aria-label aria-labelledby aria-current aria-hidden hidden role data-live data-label data-for viewBox patternUnits patternTransform fill preserveAspectRatio d transform x y cx cy r rx width height action method for autocomplete spellcheck inputmode type min max step value scope")
}

// parsed is a page, checked for what every page must be: no element and no attribute that is not of the templates, no inline script
// or style, nothing of another host, one h1, landmarks, headings without gaps.
func parsed(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	count, level := map[string]int{}, 0
	ids := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		if !slices.Contains(elements(), n.Data) {
			t.Fatalf("element %s", n.Data)
		}
		if n.Data == "script" && n.FirstChild != nil {
			t.Fatal("inline script")
		}
		if h := strings.TrimPrefix(n.Data, "h"); len(n.Data) == 2 && strings.Contains("123", h) {
			if at := int(h[0] - '0'); at > level+1 {
				t.Errorf("h%d after h%d", at, level)
			} else {
				level = at
			}
		}
		for _, a := range n.Attr {
			if !slices.Contains(attributes(), a.Key) {
				t.Fatalf("attribute %s of %s", a.Key, n.Data)
			}
			leads := slices.Contains([]string{"href", "src", "action", "formaction", "data-live"}, a.Key)
			if leads && (!strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Val, "//")) {
				t.Fatalf("%s=%q", a.Key, a.Val)
			}
			if a.Key == "id" && ids[a.Val] {
				t.Errorf("id %s stands twice", a.Val)
			} else if a.Key == "id" {
				ids[a.Val] = true
			}
		}
	}
	for _, once := range []string{"h1", "main", "header", "footer", "title"} {
		if n := count[once]; n != 1 && (once != "header" || n < 1) && (once != "title" || n < 1) {
			t.Errorf("%d of %s", n, once)
		}
	}
	return root
}

// textOf is the text of a page.
func textOf(t *testing.T, page string) string {
	t.Helper()
	var b strings.Builder
	for n := range parsed(t, page).Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return strings.ReplaceAll(b.String(), "\u00a0", " ")
}
