package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"firebreak/dashboards/report"
)

// reported replays with --report and returns the page as it stands in its file, what was printed, and the error.
func reported(t *testing.T, args ...string) (page, printed string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.html")
	var out, errOut bytes.Buffer
	err = run(t.Context(), append([]string{"replay", "--report", path}, args...), strings.NewReader(""), &out, &errOut)
	if errOut.Len() > 0 {
		t.Errorf("replay %v wrote to stderr: %s", args, errOut.String())
	}
	data, readErr := os.ReadFile(path)
	if readErr != nil && err == nil {
		t.Fatal(readErr)
	}
	left, globErr := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if globErr != nil || len(left) > 1 {
		t.Errorf("beside the report there are %v", left)
	}
	return string(data), out.String(), err
}

// mustReport is reported for what must work; the page is parsed.
func mustReport(t *testing.T, args ...string) (page string, root *html.Node) {
	t.Helper()
	page, _, err := reported(t, args...)
	if err != nil {
		t.Fatalf("replay %v: %v", args, err)
	}
	if len(page) == 0 || len(page) >= report.MaxBytes {
		t.Errorf("replay %v: a page of %d bytes", args, len(page))
	}
	root, err = html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "img" || n.Data == "iframe" || n.Data == "link") {
			t.Errorf("replay %v: the page has <%s>", args, n.Data)
		}
	}
	return page, root
}

// textsOf are the texts of all elements of a name and class, with single spaces.
func textsOf(root *html.Node, element, class string) []string {
	var out []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != element {
			continue
		}
		var has string
		for _, a := range n.Attr {
			if a.Key == "class" {
				has = a.Val
			}
		}
		if class != "" && !strings.Contains(" "+has+" ", " "+class+" ") {
			continue
		}
		var b strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				b.WriteString(d.Data)
			}
		}
		out = append(out, strings.Join(strings.Fields(b.String()), " "))
	}
	return out
}

// TestReport: the page tells the hotspot that was printed; printing is as it is without --report, and the same log gives
// the same bytes.
func TestReport(t *testing.T) {
	path := save(t, "monday.csv", hotKey().write())
	args := []string{"--shards", "16", "--capacity", "800", path}
	page, root := mustReport(t, args...)
	if head := textsOf(root, "h1", ""); len(head) != 1 || !strings.Contains(head[0], "cart:42") {
		t.Errorf("headline %q", head)
	}
	if taken := textsOf(root, "li", "taken"); len(taken) != 1 || !strings.HasPrefix(taken[0], "salt the key") {
		t.Errorf("the fix is %q", taken)
	}
	for _, want := range []string{"What", "Where", "Why", "What to do", "How sure", "critical", "Way back:", "monday.csv", "9,600 lines"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	again, printed, err := reported(t, args...)
	if err != nil || again != page {
		t.Errorf("replayed again, the page differs (%v)", err)
	}
	var plain bytes.Buffer
	if err := run(t.Context(), append([]string{"replay"}, args...), strings.NewReader(""), &plain, &plain); err != nil || plain.String() != printed {
		t.Errorf("--report changes what is printed (%v)", err)
	}
	if strings.Contains(page, filepath.Dir(path)) {
		t.Error("the page tells the folder of the log")
	}
}

// TestReportOwner: the report of a replay names who answers for the key or tenant of a hotspot, where and by which runbook, if the configuration
// does; the first that fits counts, as in messages.
func TestReportOwner(t *testing.T) {
	log := save(t, "monday.csv", hotKey().write())
	const fleet = "fleets: [{name: orders, shards: 16, placement: {bytes: key}}]\n"
	for owners, want := range map[string]string{
		"owners: [{keys: ['cart:*'], team: carts, channel: '#carts', runbook: 'https://wiki.example/carts'}, {team: rest}]\n": "carts; channel #carts; runbook https://wiki.example/carts",
		"owners: [{tenants: [other], team: other}, {fleets: [orders], team: rest}]\n":                                         "rest",
		"": "",
	} {
		_, root := mustReport(t, "--config", save(t, "firebreak.yml", []byte(fleet+owners)), "--capacity", "800", log)
		terms, says := textsOf(root, "dt", ""), textsOf(root, "dd", "")
		at := slices.Index(terms, "Owner")
		switch {
		case (at >= 0) != (want != ""):
			t.Errorf("%s: an owner is named: %v", owners, at >= 0)
		case at >= 0 && says[at] != want:
			t.Errorf("%s: the owner is %q, want %q", owners, says[at], want)
		}
		if next := slices.Index(terms, "Next"); next < 0 || want != "" && !strings.HasPrefix(says[next], strings.Split(want, ";")[0]+" decides") {
			t.Errorf("%s: next: %q", owners, says[next])
		}
	}
}

// TestReportOfLogs: logs that lack something, and logs of several fleets, have their reports.
func TestReportOfLogs(t *testing.T) {
	log := hotKey().write()
	noTime := bytes.ReplaceAll(log, []byte("ts_ms,"), []byte("x,"))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(log); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		want []string // on the page
		fail bool
	}{
		{"no placement", []string{save(t, "a.csv", log)}, []string{"No shard can be judged", "Who asks most", "cart:42"}, false},
		{"no time", []string{"--shards", "16", save(t, "b.csv", noTime)}, []string{"cart:42", "a log without time", "The log has no time"}, false},
		{"calm", []string{"--shards", "16", save(t, "c.csv", traffic{seconds: 120, perSecond: 200}.write())}, []string{"No shard was hot.", "A log of this rate finds"}, false},
		{"whole", []string{"--shards", "16", "--whole", save(t, "d.csv", log)}, []string{"one window", "cart:42"}, false},
		{"only a header", []string{"--shards", "16", save(t, "e.csv", []byte(canonicalHeader))}, []string{"Nothing was counted"}, false},
		{"broken off", []string{"--shards", "16", save(t, "f.csv.gz", zipped.Bytes()[:zipped.Len()*2/3])}, []string{"Reading ended early.", "gzip input ends too early", "cart:42"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page, _, err := reported(t, tt.args...)
			if tt.fail != (err != nil) {
				t.Errorf("error %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(page, want) {
					t.Errorf("the page lacks %q", want)
				}
			}
		})
	}
}

// TestReportHostile (S18): keys that are markup, in a log that was read line by line, are text on the page.
func TestReportHostile(t *testing.T) {
	keys := []string{`<script>alert(1)</script>`, `\"><img src=x onerror=alert(1)>`, `</title></style>{{.}}`, `\u202egnp.exe`, `\u0000\u001b[2J`, "a\xffb"}
	var log bytes.Buffer
	for n := range 3000 {
		fmt.Fprintf(&log, `{"ts_ms":%d,"tenant":"%s","op":"GET","key":"%s"}`+"\n", start+n*50, keys[n%5], keys[n%len(keys)])
	}
	page, root := mustReport(t, "--shards", "4", "--place", "key", "--format", "json", save(t, `<b onclick=x>.json`, log.Bytes()))
	names := strings.Join(textsOf(root, "bdi", "name"), "\n")
	for _, want := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</title></style>{{.}}`, `\u{202e}gnp.exe`, `\u{0}\u{1b}[2J`, `a\xffb`, `<b onclick=x>.json`} {
		if !strings.Contains(names, want) {
			t.Errorf("%s is not shown as a name", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "<img") || strings.Contains(page, "\u202e") {
		t.Error("a name stands as itself in the page")
	}
}

// TestReportRefused: where no report could be written, or would be written over the log, nothing is read; what fails
// later leaves the old report as it was.
func TestReportRefused(t *testing.T) {
	log := save(t, "log.csv", hotKey().write())
	folder := t.TempDir()
	old := save(t, "old.html", []byte("the old one"))
	for _, tt := range []struct {
		name, path string
		args       []string
		code       int
	}{
		{"a folder", folder, []string{"--shards", "16", log}, exitUsage},
		{"no such folder", filepath.Join(folder, "nowhere", "out.html"), []string{"--shards", "16", log}, exitUsage},
		{"standard output", "-", []string{"--shards", "16", log}, exitUsage},
		{"the log itself", log, []string{"--shards", "16", log}, exitUsage},
		{"a story", old, []string{"--scenario", "hot-key.txt"}, exitUsage},
		{"nothing to place by", old, []string{"--shards", "16", "--place", "tenant", save(t, "bare.csv", []byte("ts_ms,key,op,weight\n1772366400000,k,GET,1\n"))}, exitError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), append([]string{"replay", "--report", tt.path}, tt.args...), strings.NewReader(""), &out, &out)
			if exitCode(err) != tt.code || strings.Contains(fmt.Sprint(err), "\n") {
				t.Errorf("%v, exit code %d, want %d", err, exitCode(err), tt.code)
			}
			if tt.code == exitUsage && out.Len() > 0 {
				t.Errorf("printed %s", out.String())
			}
		})
	}
	if data, err := os.ReadFile(old); err != nil || string(data) != "the old one" {
		t.Errorf("the old report is %q (%v)", data, err)
	}
	if data, err := os.ReadFile(log); err != nil || !bytes.HasPrefix(data, []byte(canonicalHeader)) {
		t.Errorf("the log is overwritten (%v)", err)
	}
}

// TestReportReal: the reports of real logs name their cause in the headline and take the fix that it needs.
func TestReportReal(t *testing.T) {
	for _, tt := range []struct {
		file  string
		args  []string
		head  string
		taken string
	}{
		{"meta-kv-1", []string{"--place", "key", "--pane", "1s", "--window", "8s", "--for", "2s", "--warmup", "0s"}, "one key", "cache"},
		{"adserver-access", []string{"--place", "key"}, "/adclick.php", "cache"},
		{"wiki-edits-by-wiki", []string{"--place", "tenant", "--from", "2015-09-12T06:40:00Z", "--to", "2015-09-12T07:10:00Z"}, "vi.wikipedia", "isolate"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			path := filepath.Join("..", "..", "..", "shared", "data", "norm", tt.file+".csv.gz")
			if _, err := os.Stat(path); err != nil {
				t.Skip("no real logs beside the repository")
			}
			_, root := mustReport(t, append(tt.args, "--shards", "16", path)...)
			if head := textsOf(root, "h1", ""); !strings.Contains(head[0], tt.head) {
				t.Errorf("headline %q lacks %q", head[0], tt.head)
			}
			if taken := textsOf(root, "li", "taken"); len(taken) == 0 || !strings.HasPrefix(taken[0], tt.taken) {
				t.Errorf("taken %q, want %q", taken, tt.taken)
			}
		})
	}
}
