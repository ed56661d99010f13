package terminal

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/cockroachdb/datadriven"

	"firebreak/dashboards/draw"
	"firebreak/policy"
)

// TestFrames holds frames against golden ones; `go test ./dashboards/terminal -rewrite` writes them anew.
func TestFrames(t *testing.T) {
	datadriven.RunTest(t, "testdata/frames", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "empty" {
			return shown(Screen{Width: 80, Height: 24}.Frame(&View{Title: "firebreak demo", Now: start(), Status: Status{Speed: 8, Instances: 1}}))
		}
		f, width, height := demo(), 80, 24
		d.MaybeScanArgs(t, "width", &width)
		d.MaybeScanArgs(t, "height", &height)
		d.MaybeScanArgs(t, "shards", &f.shards)
		if d.HasArg("relative") {
			f.capacity, f.spares = 0, 0
		}
		switch d.Cmd {
		case "hot_key":
			f.more, f.key, f.tenant = 27000, "counter:views", "t-010306"
		case "whale":
			f.more, f.tenant = 12800, "t-003137"
		case "volume":
			f.more = 9500
		case "calm":
		default:
			t.Fatalf("no fleet called %s", d.Cmd)
		}
		v := f.view(t)
		if d.HasArg("gone") {
			v.Acts[0].To, v.Now = v.Now, v.Now.Add(100*time.Second)
			v.Decision.Open[0].Load = f.load
		}
		if d.HasArg("lines") {
			return string(Verdict(&v.Told[0], width)) + State(v) + "\n"
		}
		return shown(Screen{Width: width, Height: height}.Frame(v))
	})
}

// shown is a frame as a terminal shows it, without the blanks at the ends of rows.
func shown(frame []byte) string {
	var b strings.Builder
	for line := range strings.SplitSeq(ours().ReplaceAllString(string(frame), ""), "\r\n") {
		b.WriteString("|" + strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// ours are the control codes that a frame may hold.
func ours() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\[(H|K|J|0m|1m|2m|38;5;[0-9]+m)")
}

// TestBounds: no frame is larger than its screen, and without colours none has any.
func TestBounds(t *testing.T) {
	f := demo()
	f.more, f.key, f.tenant = 27000, "counter:views", "t-010306"
	for _, v := range []*View{f.view(t), {}} {
		for _, size := range [][2]int{{80, 24}, {200, 60}, {40, 12}, {20, 8}, {1, 1}, {0, 0}, {79, 3}} {
			for _, colour := range []bool{false, true} {
				s := Screen{Width: size[0], Height: size[1], Colour: colour}
				checkFrame(t, s, s.Frame(v))
			}
		}
	}
}

func checkFrame(t *testing.T, s Screen, frame []byte) {
	t.Helper()
	text := ours().ReplaceAllString(string(frame), "")
	rows := strings.Split(text, "\r\n")
	if len(rows) > max(1, s.Height) {
		t.Errorf("%+v: %d rows", s, len(rows))
	}
	for _, r := range rows {
		if cells(r) > s.Width {
			t.Errorf("%+v: a row of %d: %q", s, cells(r), r)
		}
		if i := strings.IndexFunc(r, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%+v: a row holds %q: %q", s, r[i:], r)
		}
	}
	if !s.Colour && strings.Contains(string(frame), "m") && regexp.MustCompile("\x1b\\[[0-9;]*m").Match(frame) {
		t.Errorf("%+v: colours in %q", s, frame)
	}
}

// TestColours: columns have the colour of their class, and lightness goes one way through the classes on either ground.
func TestColours(t *testing.T) {
	f := demo()
	f.more, f.key, f.tenant = 27000, "counter:views", "t-010306"
	frame := string(Screen{Width: 80, Height: 24, Colour: true}.Frame(f.view(t)))
	for _, class := range []int{2, 6} {
		if code := fmt.Sprintf("\x1b[38;5;%dm", colour(class, false)); !strings.Contains(frame, code) {
			t.Errorf("no column of class %d in %q", class, frame)
		}
	}
	for light, sign := range map[bool]float64{false: 1, true: -1} {
		for class := 1; class < draw.Classes; class++ {
			if step := sign * (lightness(colour(class+1, light)) - lightness(colour(class, light))); step < 4 {
				t.Errorf("light %v: classes %d and %d differ by %.0f in lightness", light, class, class+1, step)
			}
		}
	}
}

// lightness is the L* of one of the 240 fixed colours of xterm.
func lightness(n int) float64 {
	level := func(v int) float64 {
		x := 0.0
		if v > 0 {
			x = float64(55+40*v) / 255
		}
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	n -= 16
	y := 0.2126*level(n/36) + 0.7152*level(n/6%6) + 0.0722*level(n%6)
	return 116*math.Cbrt(y) - 16
}

// FuzzNames: whatever bytes a key, a tenant, a shard or the fleet are called, frame and lines hold no control character of theirs.
func FuzzNames(f *testing.F) {
	base := demo()
	base.shards = 8
	base.more, base.key, base.tenant = 27000, "counter:views", "t-010306"
	view := base.view(f)
	f.Add("counter:\x1b[2J\x1b]0;owned\x07", "t\r\n\x00", "shard\x9b31m", 80)
	f.Add("\u202egnp.exe", "\u200b\u200b", "名前名前名前名前名前名前名前", 60)
	f.Add(strings.Repeat("\xff", 3000), strings.Repeat("é", 500), "", 20)
	f.Fuzz(func(t *testing.T, key, tenant, shard string, width int) {
		v := *view
		open := v.Told[0]
		open.Key, open.Tenant, open.Shard, open.Reason = key, tenant, shard, shard+key
		v.Decision.Holds, v.Decision.Blind = []policy.Hold{{Reason: policy.HoldPartial, Detail: tenant + key}}, width%3 == 0
		s := Screen{Width: min(max(0, width), 300), Height: 24, Colour: width%2 == 0}
		for cause := range policy.Causes() {
			open.Cause = policy.Causes()[cause]
			v.Decision.Open, v.Told = []policy.Verdict{open}, []policy.Verdict{open}
			checkFrame(t, s, s.Frame(&v))
			text := strings.ReplaceAll(string(Verdict(&open, s.Width)), "\n", "")
			if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
				t.Errorf("%q holds %q", text, text[i:])
			}
		}
	})
}

// TestWrap: no line is longer than asked for unless a word is, and no word is lost.
func TestWrap(t *testing.T) {
	text := "one two  three fourfivesix seven"
	lines := wrap(text, 9)
	if got := strings.Join(lines, "/"); got != "one two/three/fourfivesix/seven" {
		t.Errorf("got %q", got)
	}
	if wrap("", 5) != nil {
		t.Error("nothing gives lines")
	}
	for s, want := range map[string]string{"abcdef": "abc…", "名前名前": "名…", "abcd": "abcd", "é́́": "é́́"} {
		if got := fit(s, 4); got != want {
			t.Errorf("fit(%q) = %q, want %q", s, got, want)
		}
	}
}
