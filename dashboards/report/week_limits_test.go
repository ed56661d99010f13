package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/routing"
)

// weekNames are hostile names: those of every kind, and of those that Markdown has.
func weekNames() []string {
	return append(hostileNames()[:33], "a|b`c``d", "# h\n- l\n", "[x](http://evil.example)", "![i](//evil)", "@everyone <!channel>", "www.evil.example", "*bold* _it_ ~~s~~",
		strings.Repeat("k", 5000), " lead", "`", "\\", "")
}

// wholeWeek is a week of minutes of n shards and of hot hotspots, all names of which are hostile.
func wholeWeek(t *testing.T, n, hot int) Fleet {
	t.Helper()
	cfg := policy.Default()
	cfg.Capacity = policy.Capacity{Total: 1000}
	from := time.Date(2026, 3, 23, 7, 0, 0, 0, time.UTC)
	to := time.Date(2026, 3, 30, 6, 0, 0, 0, time.UTC) // clocks are put forward in it
	w, err := NewWeek("or<b>ders", from, to, &cfg)
	if err != nil {
		t.Fatal(err)
	}
	names := weekNames()
	for i := range hot {
		at := from.Add(time.Duration(i) * to.Sub(from) / time.Duration(hot)).Truncate(time.Second)
		name := names[i%len(names)]
		v := line.Verdict{
			Head: line.NewHead("verdict", "or<b>ders", line.Stamp(at)), Hotspot: line.Name(fmt.Sprint("h", i)), Shard: line.Name(fmt.Sprint("s<i>", i%n)), Severity: "critical",
			Cause: []string{"hot_key", "whale_tenant", "volume", "unknown", "of a newer version"}[i%5], Key: line.Name(name), Tenant: line.Name(name), Caller: line.Name(name), Fix: "salt",
			Load: 900, Line: 700, Target: 650, Capacity: 1000, Onset: line.Stamp(at.Add(-time.Minute)), Reason: line.Prose(name), Missing: []line.Prose{line.Prose(name)},
			Window: line.Window{From: line.Stamp(at), To: line.Stamp(at)}, Projections: []line.Projection{{Fix: "salt", Shard: 300, Feasible: true, Why: line.Prose(name)}, {Fix: "split", Why: line.Prose(name)}},
			Contributors: []line.Contributor{{Cause: "hot_key", Key: line.Name(name), Tenant: line.Name(name), Share: line.Share{Value: 0.5}}},
		}
		b, err := line.Encode(&v)
		if err != nil {
			t.Fatal(err)
		}
		w.Entry(&actuator.Entry{ID: fmt.Sprint("f", i), Fleet: "or<b>ders", At: at, Kind: actuator.KindVerdict, Phase: actuator.PhaseFired, Hotspot: fmt.Sprint("h", i), Line: b})
		said, err := actuator.NewDismissed("or<b>ders", at, actuator.Dismissed{Hotspot: v.Hotspot, By: line.Name(name[:min(len(name), 50)] + "."), Reason: line.Prose(name[:min(len(name), 50)] + ".")})
		if err != nil {
			t.Fatal(err)
		}
		w.Entry(&said)
		if i%2 == 0 {
			w.Entry(&actuator.Entry{ID: fmt.Sprint("r", i), Fleet: "or<b>ders", At: at.Add(20 * time.Minute), Kind: actuator.KindVerdict, Phase: actuator.PhaseResolved, Hotspot: fmt.Sprint("h", i), Line: b})
		}
	}
	shards := make([]history.Shard, n)
	for at := from; at.Before(to); at = at.Add(time.Minute) {
		if h := at.Sub(from).Hours(); h > 50 && h < 55 {
			continue
		}
		m := &history.Minute{Fleet: "or<b>ders", Start: at, Covered: time.Minute, Coverage: 1, Samples: 1e5, Load: 400 * float64(n), Mean: 400, Hottest: 900, Shards: shards}
		for i := range shards {
			load := 300 + float64((i*7919+int(at.Unix()/60)*31)%600)
			shards[i] = history.Shard{Name: fmt.Sprint("s<i>", i), Role: routing.Serving, Load: load, Capacity: 1000, Full: load / 700, Line: 700}
		}
		for _, name := range names {
			m.TopKeys = append(m.TopKeys, history.Heavy{Key: name, Tenant: name, Load: 10})
			m.Top = append(m.Top, history.Heavy{Tenant: name, Load: 10})
		}
		w.Minute(m)
	}
	return w.Fleet("bytes")
}

// TestWeekIsSmallAndPlain (S18, S19): a whole week of 256 shards in which clocks are changed and 400 hotspots have hostile names is
// one page under its limit, in which nothing that came from data is markup; JSON is valid and gives names back.
func TestWeekIsSmallAndPlain(t *testing.T) {
	run := &Run{Fleets: []Fleet{wholeWeek(t, 256, 400)}}
	page, root := rendered(t, run)
	t.Logf("%d bytes", len(page))
	for _, want := range []string{"6 d 23 h", "not recorded", "more are not listed"} {
		if !strings.Contains(strings.ReplaceAll(page, "\u00a0", " "), want) {
			t.Errorf("want %q", want)
		}
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "b" || n.Data == "i" || n.Data == "img" || n.Data == "a" && !strings.HasPrefix(n.Attr[0].Val, "#") && n.Attr[0].Key == "href") {
			t.Errorf("an element <%s>", n.Data)
		}
	}
	var data bytes.Buffer
	if err := JSON(&data, run); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Fleets []struct {
			Fleet line.Name
			Keys  []struct{ Key line.Name }
		}
	}
	if err := json.Unmarshal(data.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Fleets[0].Fleet != "or<b>ders" {
		t.Errorf("fleet %q", doc.Fleets[0].Fleet)
	}
	back := map[string]bool{}
	for _, k := range doc.Fleets[0].Keys {
		back[string(k.Key)] = true
	}
	for _, name := range weekNames() {
		if name != "" && !back[name] {
			t.Errorf("the key %.40q does not come back", name)
		}
	}
}

// TestMarkdownIsPlain: hostile names do not make markup, links, headings or rows of their own.
func TestMarkdownIsPlain(t *testing.T) {
	var b bytes.Buffer
	if err := Markdown(&b, &Run{Fleets: []Fleet{wholeWeek(t, 3, 20)}}); err != nil {
		t.Fatal(err)
	}
	columns := 0
	for n, l := range strings.Split(b.String(), "\n") {
		if strings.ContainsAny(l, "\x1b\x00\u202e\u200b") {
			t.Errorf("line %d does not print: %.80q", n, l)
		}
		if strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "# firebreak") && !strings.HasPrefix(l, "## Fleet ") && !strings.HasPrefix(l, "### ") {
			t.Errorf("line %d is a heading: %.80q", n, l)
		}
		if plain := outsideCode(l); strings.Contains(plain, "<") && !strings.Contains(plain, `\<`) || strings.Contains(plain, "](") || strings.Contains(plain, "http://") {
			t.Errorf("line %d has markup: %.120q", n, plain)
		}
		if !strings.HasPrefix(l, "|") {
			columns = 0
			continue
		}
		switch got := strings.Count(strings.ReplaceAll(l, `\|`, ""), "|"); {
		case columns == 0:
			columns = got
		case got != columns:
			t.Errorf("line %d has %d bars, its table %d: %.120q", n, got, columns, l)
		}
	}
}

// outsideCode is a line without its code spans.
func outsideCode(l string) string {
	var out strings.Builder
	for l != "" {
		at := strings.IndexByte(l, '`')
		if at < 0 {
			break
		}
		if at > 0 && l[at-1] == '\\' { // a mark that stands for itself
			out.WriteString(l[:at+1])
			l = l[at+1:]
			continue
		}
		out.WriteString(l[:at])
		n := len(l[at:]) - len(strings.TrimLeft(l[at:], "`"))
		fence, rest := strings.Repeat("`", n), l[at+n:]
		for {
			end := strings.Index(rest, fence)
			if end < 0 {
				return out.String() + l
			}
			run := len(rest[end:]) - len(strings.TrimLeft(rest[end:], "`"))
			rest = rest[end+run:]
			if run == n {
				break
			}
		}
		l = rest
	}
	return out.String() + l
}
