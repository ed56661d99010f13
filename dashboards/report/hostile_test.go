package report

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// hostileNames are names that were markup, scripts, templates or tricks of the eye elsewhere.
func hostileNames() []string {
	kinds := []string{
		`<script>alert(%d)</script>`, `"><img src=x onerror=alert(%d)>`, `'><svg onload=alert(%d)>`, `</script><script>alert(%d)</script>`, `</title><b>%d</b>`,
		`</style><style>*{display:none}</style>%d`, `</svg><iframe src=//evil/%d>`, `javascript:alert(%d)`, `" onfocus=alert(%d) autofocus x="`, `{{.CSP}}%d{{end}}`,
		`{{template "page" .}}%d`, "${alert(%d)}", `&lt;b&gt;%d&amp;`, `<!--%d--><![CDATA[`, `]]>%d`, "\x00\n\x1b[2J%d\xff\xfe", "\u202eevil%d\u202c", "zero\u200bwidth\u200d%d\ufeff",
		"a\xff%d", "a\xfe%d", `a\xff%d`, "line\r\nbreak\u2028%d", "%d" + strings.Repeat("長", 300), strings.Repeat("k", 10<<10) + "%d", "`%d`", "%%25%d", "-- %d", " %d ", "\u00a0%d",
		"<a href=javascript:alert(%d)>", "<math><mi xlink:href=data:x>%d", `\u{202e}%d`, "url(//evil/%d)", "@import '//evil/%d';",
	}
	names := make([]string, 0, 1000)
	for i := range 1000 {
		names = append(names, fmt.Sprintf(kinds[i%len(kinds)], i))
	}
	return names
}

// TestHostileNames (S18): a thousand names of markup, script and worse, in every place where a name can stand, make no
// element and no attribute, refer to nothing, and are shown as the text that they are.
func TestHostileNames(t *testing.T) {
	names := hostileNames()
	if testing.Short() {
		names = names[:100] // all kinds, twice
	}
	const batch = 50
	for from := 0; from < len(names); from += batch {
		_, root := rendered(t, hostileRun(t, names[from:from+batch]))
		shown := map[string]bool{}
		for _, n := range all(root, "bdi", "name") {
			shown[textOf(n)] = true
		}
		for _, name := range names[from : from+8] {
			if strings.ContainsRune(name, '長') || len(name) > 64 {
				continue // cut
			}
			if !shown[wantShown(name)] {
				t.Errorf("%q is not shown as %q", name, wantShown(name))
			}
		}
	}
}

// wantShown is how a short name is to be shown, written down independently: bytes first, then what does not print.
func wantShown(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\uFFFD':
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case r < 0x20, r == 0x7f, strings.ContainsRune("\u00a0\u200b\u200d\u202e\u202c\u2028\ufeff", r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hostileRun has the names as shards, keys, tenants, callers, fleet, files, hotspots, sentences, steps and reasons.
func hostileRun(t *testing.T, names []string) *Run {
	t.Helper()
	var shards []routing.Shard
	for i := range 16 {
		name := names[i]
		if len(name) > 255 {
			name = name[len(name)-200:]
		}
		shards = append(shards, routing.Shard{Name: name, Role: routing.Serving})
	}
	doc, err := routing.Adopt("f", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, shards)
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	f := newFleet(t, 16, "key")
	f.name, f.table, f.panes = names[0], table, 3
	for i, name := range names {
		f.sources = append(f.sources, source{tenant: names[len(names)-1-i], key: name, reads: 0.5, rate: steady(500)})
	}
	s := f.snapshot()
	var d policy.Decision
	for i := range 10 {
		v := verdictOf(s, i, i, 500, 18, f.start.Add(time.Minute))
		v.Hotspot, v.Placement, v.Key, v.Tenant, v.Caller, v.Reason, v.Missing = names[i+20], names[i], names[i], names[i+1], names[i+2], names[i+3], names[i:i+2]
		v.Cause = policy.Causes()[i%4]
		for j := range v.Projected {
			v.Projected[j].Why = names[i+j]
		}
		v.Contribute = []policy.Contribution{{Cause: policy.CauseHotKey, Key: names[i], Tenant: names[i+1]}, {Cause: policy.CauseWhaleTenant, Tenant: names[i+1]}}
		d.Verdicts = append(d.Verdicts, v)
		d.Plans = append(d.Plans, policy.Plan{ID: names[i], Hotspot: v.Hotspot, Fix: v.Fix, Steps: []policy.Step{{Kind: policy.StepSalt, Text: names[i]}, {Kind: policy.StepMove, Text: names[i+1], Operations: 2}}})
		d.Plans = append(d.Plans, policy.Plan{ID: names[i+1], Hotspot: "", Undo: true, Steps: []policy.Step{{Kind: policy.StepUnsalt, Text: names[i+4]}}})
		d.Holds = append(d.Holds, policy.Hold{Hotspot: v.Hotspot, Reason: policy.HoldObserve, Detail: names[i]}, policy.Hold{Reason: policy.HoldStale, Detail: names[i]})
		d.Advice = append(d.Advice, policy.Advice{Shard: names[i], Topic: policy.TopicDisk, Reason: names[i+1]})
		d.Findings = append(d.Findings, policy.Finding{Shard: names[i], Reason: names[i+1]})
	}
	f.recorder.Tick(s, &f.cfg, &d)
	fleet := f.of()
	fleet.Summary.Missing, fleet.Summary.Cost = names[:3], names[1]
	fleet.Summary.Refused, fleet.Summary.Findings = []Tally{{3, names[2]}}, []Finding{{names[3], names[4]}}
	return &Run{Files: names[:9], Fleets: []Fleet{fleet, fleet2(fleet, names[5])}, Broken: names[6]}
}

// fleet2 is the same fleet by another name.
func fleet2(f Fleet, name string) Fleet {
	f.Summary.Fleet = name
	return f
}

// TestContrast: words and their ground differ by at least 4.5 to 1, in light, dark and print, and so do marks from what
// they are drawn on by 3 to 1.
func TestContrast(t *testing.T) {
	_, root := rendered(t, &Run{})
	style := textOf(find(root, "style"))
	blocks := strings.Split(style, ":root{")[1:]
	if len(blocks) != 3 {
		t.Fatalf("%d palettes, want light, dark and print", len(blocks))
	}
	for i, block := range blocks {
		palette := map[string]string{}
		for part := range strings.SplitSeq(block[:strings.IndexByte(block, '}')], ";") {
			if name, value, ok := strings.Cut(strings.TrimSpace(part), ":"); ok {
				palette[strings.TrimSpace(name)] = value
			}
		}
		for _, word := range []string{"--ink", "--soft", "--accent", "--good"} {
			if c := contrast(t, palette[word], palette["--paper"]); c < 4.5 {
				t.Errorf("palette %d: %s on paper is %.2f to 1", i, word, c)
			}
		}
		for class := 2; class <= 6; class++ {
			a, b := palette[fmt.Sprint("--c", class-1)], palette[fmt.Sprint("--c", class)]
			if c := contrast(t, a, b); c < 1.15 || class == 4 && c < 1.6 {
				t.Errorf("palette %d: classes %d and %d differ by %.2f to 1", i, class-1, class, c)
			}
		}
		for _, class := range []string{"--c5", "--c6"} {
			if c := contrast(t, palette[class], palette["--c1"]); c < 3 {
				t.Errorf("palette %d: %s and the coldest class differ by %.2f to 1", i, class, c)
			}
		}
	}
}

// contrast is that of WCAG 2: relative luminances.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, color string) float64 {
	t.Helper()
	var r, g, b int
	if len(color) == 4 {
		color = fmt.Sprintf("#%[1]c%[1]c%[2]c%[2]c%[3]c%[3]c", color[1], color[2], color[3])
	}
	if _, err := fmt.Sscanf(color, "#%02x%02x%02x", &r, &g, &b); err != nil {
		t.Fatalf("colour %q: %v", color, err)
	}
	linear := func(v int) float64 {
		if x := float64(v) / 255; x > 0.04045 {
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
