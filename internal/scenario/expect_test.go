package scenario

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// played is a story of a hot key, two minutes on.
func played(t *testing.T) *Player {
	t.Helper()
	var p Player
	for _, d := range []Directive{
		{Name: "story", Input: "fleet shards=16\nvolume rest rate=88000 keys=160\nkey K rate=12000"},
		{Name: "run", Args: []Arg{{Key: "2m"}}},
	} {
		if _, err := p.Do(&d); err != nil {
			t.Fatal(err)
		}
	}
	return &p
}

func TestExpect(t *testing.T) {
	p := played(t)
	for line, ok := range map[string]bool{
		"expect hotspots=1 lines=1 resolved=0 critical=0 operations=0 findings=0 cause=hot_key key=K fix=salt salt=4": true,
		"expect tenant=of-K dimension=total contributors=(K) held=(observe_mode) never=(stale) advice=none within=2m": true,
		"expect share=(68%, 1%) load=(17500, 1) mean=(6250, 1) imbalance=(2.8, 0.01) after=(8500, 1)":                 true,
		"expect hotspots=2": false, "expect lines=0": false, "expect resolved=1": false, "expect critical=1": false,
		"expect operations=1": false, "expect findings=1": false, "expect cause=volume": false, "expect cause=(hot_key, volume)": false,
		"expect key=L": false, "expect fix=none": false, "expect salt=3": false, "expect contributors=(K, L)": false,
		"expect held=(stale)": false, "expect never=(observe_mode)": false, "expect advice=(capacity)": false, "expect within=1s": false,
		"expect share=(50%, 1%)": false, "expect load=(17000, 1)": false, "expect finding=(anything)": false, "expect even=5%": false,
		"expect nothing=1": false, "expect salt=x": false, "expect hotspots=(1, 2)": false, "expect fleet=other hotspots=1": false,
	} {
		name, args, err := ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Do(&Directive{Name: name, Args: args}); (err == nil) != ok {
			t.Errorf("%s: %v, want it true: %v", line, err, ok)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"run 1m\n----\n":                                   "no fleet to run",
		"world\nclients routed\n----\n":                    "no story yet",
		"expect hotspots=0\n----\n":                        "no story yet",
		"tale\n----\n":                                     "want story, lines",
		"story\nkey K rate=1\n----\n":                      "first line is a fleet",
		"story\nfleet shards=x\n----\n":                    "shards",
		"story\nfleet\nkey K rate=-1\n----\n":              "rate",
		"story\nfleet\nkey K rate=1 color=red\n----\n":     "color is not known",
		"story\nfleet\nkey K rate=1 reads=120%\n----\n":    "reads",
		"story\nfleet\nkey K rate=1 shard=99\n----\n":      `no shard "99"`,
		"story\nfleet\nsalt K#1 suffixes=(1)\n----\n":      "separator",
		"story\nfleet\nkey K rate=1 sample=100\n----\n":    "1:100",
		"story\nfleet\nwindow from=25:00 to=04:00\n----\n": "25:00",
		"story\nfleet a\nkey K rate=1 fleet=b\n----\n":     `no fleet "b"`,
		"run a=(\n----\n":                                  "line 1",
		"subtest x\n":                                      "no subtests",
	} {
		err := Play(&bytes.Buffer{}, "story.txt", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want it to name %q", text, err, want)
		}
	}
}

func TestPlay(t *testing.T) {
	const story = "# what is right\nstory\nfleet shards=4\nvolume rest rate=100 keys=16\n----\n\nrun 1m\n----\n01:00 open: none\n\n"
	var out bytes.Buffer
	if err := Play(&out, "story.txt", story); err != nil {
		t.Error(err)
	}
	if out.String() != story {
		t.Errorf("got\n%s\nwant the story as it was\n%s", out.String(), story)
	}
	if err := Play(&out, "story.txt", strings.Replace(story, "open: none", "open: shard-1", 1)); !errors.Is(err, ErrDiffers) {
		t.Errorf("a story that goes otherwise: %v, want ErrDiffers", err)
	}
}

func TestNumbersForPeople(t *testing.T) {
	n := newNotebook(false)
	n.open(nil, 2)
	for v, want := range map[float64]string{0: "0", 17500: "18,000", 9_300_000: "9,300,000", 0.0333: "0.033", 2.84: "2.8", 99.6: "100", 6_299_999.99999: "6,300,000"} {
		if got := n.significant(v); got != want {
			t.Errorf("significant(%v) = %s, want %s", v, got, want)
		}
	}
	for s, want := range map[string]string{"K": "K", "a b": `"a b"`, "": `""`, "x\xffy": `x\xffy`, "\x1b[2J": `"\x1b[2J"`} {
		if got := shown(s); got != want {
			t.Errorf("shown(%q) = %s, want %s", s, got, want)
		}
	}
}
