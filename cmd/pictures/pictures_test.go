package main

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"firebreak/internal/scenario"
)

var update = flag.Bool("update", false, "rewrite the answers in docs/pictures.md")

const (
	stories = "../../testdata/pictures"
	doc     = "../../docs/pictures.md"
)

// TestPictures: for each case the page, the report and the message say, where they can be seen, what the questions of docs/pictures.md
// ask, with the numbers of the verdict; and the answers there are those of the verdicts.
func TestPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("eight stories of a quarter of an hour")
	}
	var all strings.Builder
	for _, c := range cases() {
		p, err := play(t.Context(), filepath.Join(stories, c.file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		pictures, err := p.draw(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		questions := p.questions(&c)
		all.WriteString(answers(&c, questions))
		var drawn []string
		for _, f := range pictures {
			drawn = append(drawn, f.name)
			seen := visible(t, f.html)
			for _, q := range questions {
				shows := slices.Concat(q.shows, q.only[f.name])
				if f.name == "overview" {
					shows = []string{string(p.verdict.Shard)}
				}
				for _, not := range q.none {
					if f.name != "overview" && strings.Contains(seen, plain(not)) {
						t.Errorf("%s: %s: the %s shows %q in\n%s", c.file, q.ask, f.name, not, seen)
					}
				}
				for _, want := range shows {
					if !strings.Contains(seen, plain(want)) {
						t.Errorf("%s: %s: the %s does not show %q in\n%s", c.file, q.ask, f.name, want, seen)
					}
				}
			}
		}
		if want := []string{"page", "overview", "report", "message"}; !slices.Equal(drawn, want) {
			t.Errorf("%s: pictures %v, want %v", c.file, drawn, want)
		}
	}
	compare(t, all.String())
}

// compare holds the answers against the document.
func compare(t *testing.T, got string) {
	t.Helper()
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), begin)
	want, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s has no %q and %q", doc, begin, end)
	}
	if *update {
		if err := os.WriteFile(doc, []byte(before+begin+"\n"+got+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), got); diff != "" {
		t.Errorf("%s (-as it is +as the verdicts are), see -update:\n%s", doc, diff)
	}
}

// plain is a text as it is compared: in lower case, with one space between words.
func plain(s string) string {
	s = strings.NewReplacer("\u00a0", " ", "’", "'", "`", "", "\"", "", "∗", "*").Replace(strings.ToLower(s))
	return strings.Join(strings.Fields(s), " ")
}

// visible is what a reader of the picture sees: no head, no figures, nothing that is folded or hidden.
func visible(t *testing.T, page []byte) string {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
			return
		}
		if n.Type == html.ElementNode && (slices.Contains([]string{"head", "style", "script", "svg", "details"}, n.Data) || hidden(n)) {
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if n.Type == html.ElementNode && slices.Contains([]string{"p", "div", "dt", "dd", "td", "th", "li", "h1", "h2", "h3", "caption", "br"}, n.Data) {
			b.WriteString(" ")
		}
	}
	walk(root)
	return plain(b.String())
}

func hidden(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "hidden" || a.Key == "class" && (a.Val == "hide" || a.Val == "skip")
	})
}

// TestSaved: a picture is one file, which nothing has to be fetched for and no script runs in.
func TestSaved(t *testing.T) {
	out := t.TempDir()
	if err := write(t.Context(), &cases()[0], stories, out, ""); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(out, "1-*.html"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(b, []byte("<style>")) || bytes.Contains(b, []byte("<script")) || bytes.Contains(b, []byte("<link")) {
			t.Errorf("%s: no style of its own, a script, or a link to something", f)
		}
	}
	if err := run(t.Context(), []string{stories}); err == nil {
		t.Error("no folder to write to, and no error")
	}
}

// TestStoriesAsTold: every story is one that a case shows, and what is wrong with one is an error.
func TestStoriesAsTold(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(stories, "*.txt"))
	if err != nil || len(files) != len(cases()) {
		t.Fatalf("%d stories, %d cases, %v", len(files), len(cases()), err)
	}
	calm := filepath.Join(t.TempDir(), "calm.txt")
	const text = "story\nfleet shards=4\nvolume rest rate=400 keys=40\n----\n\nrun 2m\n----\n02:00 open: none\n\n"
	if err := os.WriteFile(calm, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := play(t.Context(), calm); err == nil {
		t.Error("a story in which nothing fires has pictures")
	}
	if _, err := play(t.Context(), filepath.Join(t.TempDir(), "none.txt")); err == nil {
		t.Error("a story that is not there has pictures")
	}
	var ticks int
	watch := func(*scenario.Tick) error { ticks++; return nil }
	if err := scenario.PlayTo(&bytes.Buffer{}, "calm", text, watch); err != nil || ticks != 11 {
		t.Errorf("%d ticks were seen: %v", ticks, err)
	}
}

// TestTrimmed: what is empty below a picture is cut away, and nothing else.
func TestTrimmed(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 10, 500))
	m.Set(3, 99, color.RGBA{200, 0, 0, 255})
	if got := trimmed(m).Bounds(); got != image.Rect(0, 0, 10, 100+margin) {
		t.Errorf("bounds %v", got)
	}
	m.Set(3, 499, color.RGBA{200, 0, 0, 255})
	if got := trimmed(m).Bounds(); got != m.Rect {
		t.Errorf("bounds %v of a picture that is full", got)
	}
}
