package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator/operation"
	"firebreak/dashboards/terminal"
	"firebreak/internal/config"
	"firebreak/internal/simulate"
	"firebreak/policy"
	"firebreak/routing"
)

// thinDemo is a story with an eighth of the lines, as fast as it can be told.
func thinDemo(seed uint64) *demoFlags {
	return &demoFlags{seed: seed, speed: maxDemoSpeed, every: 800}
}

// stories is for .ci/long: one of them is enough for each change.
var stories = flag.Uint64("stories", 1, "TestDemoStory tells so many")

// TestDemoStory: each planted cause is found as what it is, soon, cooled by its fix while it lasts, by what the shards count, and taken
// back when it is gone, and nothing else is found. -short tells the first act.
func TestDemoStory(t *testing.T) {
	for seed := uint64(1); seed <= *stories; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				story := simulate.Acting()
				if testing.Short() {
					first := story.Acts[0]
					story.Acts, story.Length = story.Acts[:1], first.At+first.For+simulate.Undone
				}
				d := direct(t, &story, seed, &out)
				if err := d.run(t.Context()); err != nil {
					t.Fatal(err)
				}
				checkActs(t, d)
				if at := d.acts[0].found.Sub(d.start); at > 30*demoSpeed*time.Second {
					t.Errorf("the first verdict comes after %v of the story: later than 30 s", at)
				}
				if took := d.end.Sub(d.start) / demoSpeed; !testing.Short() && (took < 2*time.Minute || took > 3*time.Minute) {
					t.Errorf("the story takes %v", took)
				}
				if seed == 1 && !testing.Short() {
					checkText(t, out.String()+d.summary())
				}
			})
		})
	}
}

// direct is a story with an eighth of the lines on an engine without a broker.
func direct(t *testing.T, story *simulate.Config, seed uint64, out io.Writer) *demo {
	t.Helper()
	flags := thinDemo(seed)
	world, fleet, err := demoWorldOf(*story, seed, flags.every)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newDirectEngine(&fleet, world, seed)
	if err != nil {
		t.Fatal(err)
	}
	d := newDemo(flags, world, e, &demoOutput{w: out})
	d.end, d.acts = d.start.Add(story.Length), d.acts[:len(story.Acts)] // a demonstration that is told for longer plants on
	return d
}

// checkActs holds the whole story of who acts against what was planted.
func checkActs(t *testing.T, d *demo) {
	t.Helper()
	type outcome struct {
		Cause   policy.Cause
		Fix     policy.Fix
		Outcome string
		Wrong   string
	}
	var got []outcome
	for i := range d.acts {
		a := &d.acts[i]
		if a.verdict == nil {
			t.Fatalf("%v on %s was not found", a.Cause, a.Shard)
		}
		got = append(got, outcome{a.verdict.Cause, a.verdict.Fix, a.outcome(), d.wrong(a)})
		if after := a.found.Sub(a.From); after > 110*time.Second {
			t.Errorf("%v was found after %v", a.Cause, after)
		}
		if after := a.resolved.Sub(a.From); after > 12*time.Minute {
			t.Errorf("%v was cool %v after it was planted", a.Cause, after)
		}
		if before, _, ok := d.askedOf(a.Shard, a.fixed.Add(-3*demoSample), a.fixed); !ok || before < a.verdict.Line {
			t.Errorf("%s was asked for %.0f/s before %v was in force", a.Shard, before, a.Fix)
		}
	}
	want := []outcome{
		{policy.CauseHotKey, policy.FixSalt, operation.Effective, ""},
		{policy.CauseWhaleTenant, policy.FixIsolate, operation.Effective, ""},
		{policy.CauseVolume, policy.FixSplit, operation.Effective, ""},
		{policy.CauseHotKey, policy.FixCache, operation.Effective, ""},
		{policy.CauseVolume, policy.FixScaleOut, operation.Effective, ""},
	}
	if diff := cmp.Diff(want[:len(d.acts)], got); diff != "" {
		t.Errorf("acts (-want +got):\n%s", diff)
	}
	for i := range d.extra {
		t.Errorf("found without being planted: %+v", d.extra[i])
	}
	if err := d.judgeStory(); err != nil {
		t.Error(err)
	}
}

// TestDemoDisobeyed: clients that confirm every document and route by the first one do not pass for a fix that works, and no second
// operation follows.
func TestDemoDisobeyed(t *testing.T) {
	if testing.Short() {
		t.Skip("two stories more")
	}
	t.Parallel()
	const want = "misrouted"
	for _, fix := range []policy.Fix{policy.FixSalt, policy.FixSplit} {
		t.Run(fix.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				story := simulate.Acting()
				act := simulate.Act{Fix: fix, At: 70 * time.Second, For: 22 * time.Minute}
				story.Acts, story.Length = []simulate.Act{act}, act.At+act.For+simulate.Undone
				d := direct(t, &story, 1, &bytes.Buffer{})
				e := d.engine.(*directEngine)
				e.acting.clients.obey = func(int, *routing.Table) {}
				if err := d.run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := d.judgeStory(); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the story ends with %v, want %q", err, want)
				}
				if text := d.summary(); !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
				forward := 0
				for _, o := range e.acting.state.Operations {
					if o.Hotspot != "" && !o.Began.IsZero() {
						forward++
					}
				}
				if forward != 1 {
					t.Errorf("%d operations were begun for it", forward)
				}
			})
		})
	}
}

// TestDemoLive: two instances on a broker find the same, also where the story is told faster than they can follow: then it slows,
// and nothing becomes stale.
func TestDemoLive(t *testing.T) {
	if testing.Short() {
		t.Skip("takes real time")
	}
	flags := thinDemo(1)
	world, fleet, err := demoWorld(flags.seed, flags.every)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newLiveEngine(flags.speed, "")(t.Context(), &fleet, world, flags.seed)
	if err != nil {
		t.Fatal(err)
	}
	d := newDemo(flags, world, e, &demoOutput{w: &bytes.Buffer{}})
	if err := d.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkActs(t, d)
}

// checkText holds the plain output and the summary of the first story against what they have to say.
func checkText(t *testing.T, text string) {
	t.Helper()
	for _, want := range []string{
		"09:01:10  PLANTED   a hot key, \"counter:views\" of tenant t-010306, on shard-5", "09:22:10  GONE      the hot key is taken away",
		"FOUND     0:36 after it was planted\n▲ shard-5 is hot", "salt the key into", "RESOLVED  \"shard-5\" is cool", "state     hottest shard",
		"  hot key       shard-5   hot key \"counter:views\"", "right\n  whale tenant", "right\n  volume", "Nothing else was found.",
		"ACTED     operation 1, salt for \"shard-5\": readers read all pieces, writers write as before", "rollback of operation", "\n  scale out ", "effective", "was folded: it reads",
		"THE HOT KEY ON ITS OWN LOADS: 11.9 %", "  128 shards  ", "More shards cannot", "All of it: firebreak whatif --share 1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' }); i >= 0 {
		t.Errorf("a control character in what is no terminal: %q", text[i:])
	}
	checkWhatif(t, text)
}

// checkWhatif runs the command that the summary ends with: its figures are those of the summary.
func checkWhatif(t *testing.T, text string) {
	t.Helper()
	_, line, found := strings.Cut(text, "All of it: firebreak ")
	if !found {
		return
	}
	answer, err := call(t, strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.SplitSeq(text, "\n") {
		fields := strings.Fields(row)
		if len(fields) > 3 && fields[1] == "shards" && !strings.Contains(answer, fields[2]) {
			t.Errorf("whatif has no %s of %q:\n%s", fields[2], row, answer)
		}
	}
}

// TestDemoEnds: a person may end it at any moment; that is no error, the screen is given back, and the summary says how far it
// came.
func TestDemoEnds(t *testing.T) {
	for after, want := range map[time.Duration]string{
		0: "Nothing yet.", 80 * time.Second: "not judged in time", 160 * time.Second: "right",
	} {
		synctest.Test(t, func(t *testing.T) {
			flags := thinDemo(2)
			flags.speed = 10
			ctx, stop := context.WithTimeout(t.Context(), after/10)
			defer stop()
			var b bytes.Buffer
			out := &demoOutput{w: &b, size: func() (int, int) { return 80, 24 }, screen: terminal.Screen{Colour: true}}
			if err := runDemo(ctx, flags, out, newDemoEngine); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			frames, summary, left := strings.Cut(text, string(out.screen.Leave()))
			if !left || !strings.HasPrefix(frames, string(out.screen.Enter())) || strings.Contains(summary, "\x1b") {
				t.Errorf("after %v the screen is not given back: %q", after, summary)
			}
			if !strings.Contains(summary, want) {
				t.Errorf("after %v: no %q in\n%s", after, want, summary)
			}
			if after > 0 && strings.Count(frames, "\x1b[H") < 10 {
				t.Errorf("after %v: %d frames", after, strings.Count(frames, "\x1b[H"))
			}
		})
	}
}

// TestDemoAnnouncesWhatIsInTheLog: the fleet's clock runs past the log at the end; what it has not reached is neither announced nor
// summed up.
func TestDemoAnnouncesWhatIsInTheLog(t *testing.T) {
	world, _, err := demoWorld(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	d := newDemo(&demoFlags{seed: 1, speed: demoSpeed}, world, nil, &demoOutput{w: &out})
	from := d.acts[0].From
	d.clock.Store(int64(from.Sub(d.start) - 5*time.Second))
	if err := d.judge(&demoTick{Now: from.Add(time.Second)}); err != nil {
		t.Fatal(err)
	}
	if text := d.summary(); strings.Contains(out.String(), "PLANTED") || !strings.Contains(text, "Nothing yet.") {
		t.Errorf("before it is in the log: %s%s", out.String(), text)
	}
	d.clock.Store(int64(from.Sub(d.start)))
	if err := d.judge(&demoTick{Now: from.Add(time.Second)}); err != nil {
		t.Fatal(err)
	}
	if text := d.summary(); !strings.Contains(out.String(), "PLANTED   a hot key") || !strings.Contains(text, "not judged in time") {
		t.Errorf("when it is in the log: %s%s", out.String(), text)
	}
}

// TestDemoDuration: a longer telling plants another story, a shorter one ends early.
func TestDemoDuration(t *testing.T) {
	start := simulate.Default().Start
	for duration, acts := range map[time.Duration]int{0: 5, 6 * time.Second: 1, 4 * time.Minute: 9} {
		flags := &demoFlags{seed: 1, speed: demoSpeed, duration: duration}
		world, _, err := demoWorld(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(world.Scenes(start.Add(flags.length()))); got != acts {
			t.Errorf("%v plants %d acts, want %d", duration, got, acts)
		}
	}
}

// brokenEngine fails at once.
type brokenEngine struct{ ticks chan demoTick }

var errBroken = errors.New("no broker")

func (e *brokenEngine) Publish(context.Context, []simulate.Line) error { return errBroken }
func (e *brokenEngine) Ticks() <-chan demoTick                         { return e.ticks }
func (e *brokenEngine) Close(context.Context) error {
	close(e.ticks)
	return nil
}

// brokenWriter is a terminal that went away.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// TestDemoFails: an engine or an output that fails ends it with that error.
func TestDemoFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := func(context.Context, *config.Fleet, *simulate.World, uint64) (engine, error) {
			return &brokenEngine{make(chan demoTick)}, nil
		}
		if err := runDemo(t.Context(), thinDemo(1), &demoOutput{w: &bytes.Buffer{}}, broken); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		if err := runDemo(t.Context(), thinDemo(1), &demoOutput{w: brokenWriter{}}, newDemoEngine); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
	})
}

func TestDemoFlags(t *testing.T) {
	for _, args := range [][]string{{"--speed", "0"}, {"--speed", "NaN"}, {"--speed=1e9"}, {"--duration=-1s"}, {"--duration=9000h"}} {
		cmd := newDemoCommand()
		cmd.SetArgs(args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.ExecuteContext(t.Context()); exitCode(err) != exitUsage {
			t.Errorf("%v: %v", args, err)
		}
	}
	for colours, want := range map[string]bool{"": false, "15;0": false, "0;15": true, "0;default;7": true, "0;17": false} {
		if lightGround(colours) != want {
			t.Errorf("COLORFGBG=%q: light is %v", colours, !want)
		}
	}
}
