package survey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"firebreak/internal/config"
	"firebreak/pipeline/record"
)

// hostileNames and hostileValues are what a configuration and a comment must survive.
func hostileNames() []string {
	return []string{
		"key", "tenant", "ts_ms", "op", "weight", "count", "sample_rate", "shard", "status", "true", "null", "~", "- x", "a: b", "#c", "a.b", `q"uote`, `back\slash`,
		"sp ace", "é", "日本", "1", "user\tname", "new\nline", "\u202eevil", "%s", "{x}", "[y]", "*anchor", "&amp", "!tag", "|", ">", "@at", "`tick`", "'", "yes", "1e3",
	}
}

func hostileValues() []string {
	return []string{
		"", "-", "null", "true", "0", "1", "-1", "3.5", "1700000000", "1700000000000", "2026-03-01T12:00:00Z", "GET", "PUT", "getChunk", "# DECIDE: x", "\x00", "\xff\xfe",
		"a\nb", "\u2028x", `"`, `\`, "key: 1", "/a/b?c=d", "acme:cart:7", "NaN", "1e999", "click", strings.Repeat("k", 1500), "\u202e", "'", "{}",
	}
}

// drawLog draws a log of hostile names and values in one of the formats.
func drawLog(t *rapid.T) string {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(hostileNames()), 1, 8, rapid.ID[string]).Draw(t, "names")
	if rapid.IntRange(0, 3).Draw(t, "keyed") > 0 && !slices.Contains(names, "key") {
		names[0] = "key"
	}
	values := make([]*rapid.Generator[string], len(names))
	for i := range names {
		few := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostileValues()), rapid.StringN(0, 12, 40)), 1, 6).Draw(t, "values")
		if values[i] = rapid.SampledFrom(few); names[i] == "key" {
			values[i] = rapid.StringMatching(`[a-z]{1,3}[:/]?[0-9]{1,3}`)
		}
	}
	format := rapid.SampledFrom([]string{formatJSON, formatCSV, formatTSV, formatLogfmt, "bare"}).Draw(t, "format")
	var b strings.Builder
	row := func(cells []string) {
		switch format {
		case formatJSON:
			b.WriteString("{")
			for i, c := range cells {
				name, _ := json.Marshal(names[i])
				value, _ := json.Marshal(c)
				fmt.Fprintf(&b, "%s%s:%s", strings.Repeat(",", min(i, 1)), name, value)
			}
			b.WriteString("}")
		case formatLogfmt:
			for i, c := range cells {
				value, _ := json.Marshal(c)
				fmt.Fprintf(&b, "%s=%s ", names[i], value)
			}
		default:
			comma := map[string]string{formatTSV: "\t", formatCSV: ",", "bare": ","}[format]
			for i, c := range cells {
				b.WriteString(strings.Repeat(comma, min(i, 1)) + `"` + strings.ReplaceAll(c, `"`, `""`) + `"`)
			}
		}
		b.WriteString("\n")
	}
	if format == formatCSV || format == formatTSV {
		row(names)
	}
	for range rapid.IntRange(1, 40).Draw(t, "lines") {
		var cells []string
		for i := range names {
			cells = append(cells, values[i].Draw(t, "cell"))
		}
		row(cells)
	}
	return b.String()
}

// TestProposalIsValid: over many logs a proposal is accepted by the strict loader as it is and says the same, the same log
// gives the same bytes, at most one line is to be decided, and nothing in it comes out as anything but text.
func TestProposalIsValid(t *testing.T) {
	proposals, logs := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		logs++
		if holds(t, drawLog(t)) {
			proposals++
		}
	})
	if proposals*4 < logs {
		t.Errorf("%d of %d logs that were drawn gave a proposal: hardly anything was tested", proposals, logs)
	}
}

// fataler is a test, a fuzz target or a property.
type fataler interface {
	Fatalf(format string, args ...any)
}

// holds checks a proposal for a log; false = there is none.
func holds(t fataler, text string) bool {
	s := NewSample(Limit{}, 1)
	if s.Add("log", strings.NewReader(text)) != nil {
		return false
	}
	p, err := Propose(s, "orders")
	if err != nil {
		if strings.Contains(err.Error(), "fault of firebreak") || strings.ContainsAny(err.Error(), "\x00\x1b") {
			t.Fatalf("%v", err)
		}
		return false
	}
	c, err := config.Parse("firebreak.yml", p.YAML)
	if err != nil {
		t.Fatalf("not valid: %v\n%s", err, p.YAML)
	}
	if !reflect.DeepEqual(c.Fleets, []config.Fleet{p.Fleet}) {
		t.Fatalf("the file says %+v, the proposal %+v\n%s", c.Fleets, p.Fleet, p.YAML)
	}
	again, err := Propose(s, "orders")
	if err != nil || !bytes.Equal(again.YAML, p.YAML) {
		t.Fatalf("the same sample gives another proposal (%v)\n%s\n%s", err, p.YAML, again.YAML)
	}
	lines := strings.Split(string(p.YAML), "\n")
	marked := 0
	for i, l := range lines {
		if strings.IndexFunc(l, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Fatalf("line %d does not print: %q", i+1, l)
		}
		if strings.Contains(l, " # DECIDE: ") && !strings.HasPrefix(strings.TrimSpace(l), "#") {
			marked++
			if p.Decide == nil || p.Decide.Line != i+1 {
				t.Fatalf("line %d is marked, %+v is to be decided", i+1, p.Decide)
			}
		}
	}
	if marked > 1 || p.Decide != nil && marked != 1 {
		t.Fatalf("%d lines are to be decided\n%s", marked, p.YAML)
	}
	read := 0
	err = s.decode(c.Fleets[0].Record, func(_ int, _ *line, _ *record.Record, reason record.Reason) bool {
		if reason == record.ReasonNone {
			read++
		}
		return true
	})
	if err != nil || read != p.Read || read == 0 {
		t.Fatalf("the file reads %d lines (%v), the proposal says %d", read, err, p.Read)
	}
	return true
}

// FuzzPropose: no bytes make a proposal that is not valid, or a panic.
func FuzzPropose(f *testing.F) {
	for _, seed := range []string{
		"ts_ms,tenant,key,op,weight\n1,t,k,GET,1\n", `{"ts":1700000000,"key":"k","a":{"b":[1,{"c":2}]}}` + "\n", "t=1 key=k\n", "a\tb\nc\td\n",
		`10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 203 "-" "x"` + "\n", "word\nword\n", "\"a\",\"b\"\n\"1\",\"\"\"\"\n", "\x1f\x8b\x08", "key\nk1\nk2\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, string(data)) })
}
