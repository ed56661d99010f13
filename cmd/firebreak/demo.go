package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"firebreak/dashboards/terminal"
	"firebreak/internal/access"
	"firebreak/internal/admin"
	"firebreak/internal/config"
	"firebreak/internal/simulate"
)

// demoFlags are the flags of demo.
type demoFlags struct {
	seed     uint64
	speed    float64
	duration time.Duration
	every    int    // one request of so many is logged; 0 = as simulate.Default has it
	produce  string // brokers that get the log instead; "" = watch it here
	topic    string // of these brokers
	console  string // where the live page is served; "" = nowhere
	admin    string // where who writes the log is asked after its health; "" = nowhere
}

// demoSpeed tells the story in less than three minutes, and its first verdict in seconds.
const demoSpeed = 30

// newDemoCommand builds `firebreak demo`: a generated fleet, a story of five causes of heat, each found and cooled while one looks on.
func newDemoCommand() *cobra.Command {
	var flags demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch a generated fleet get hot shards, each found, cooled and taken back",
		Long: `Watch a generated fleet of 32 shards and 100,000 tenants, its time compressed: a hot key, a whale tenant, volume, a key
that is read too much and a fleet without room are planted, found in the fleet's request log, cooled (salt, isolation, split,
cache, a spare), confirmed by what the shards count of themselves, and taken back. Nobody approves: the fleet's mode is auto.
Nothing but this program is needed. The summary at the end says what was planted, as what it was found, what was done and
what came of it; the exit code is 1 where that is not as it should be.

--produce writes the fleet's log to a topic of these brokers instead, in real time, the story over and over; whatever reads
that topic watches. docker-compose.yml is an example.`,
		Example: `  firebreak demo
  firebreak demo --seed 7 --speed 30
  firebreak demo --produce localhost:9092 --topic requests`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.check(cmd.Flags().Changed); err != nil {
				return err
			}
			if flags.produce != "" {
				return runProduce(cmd.Context(), &flags, newDemoOutput(cmd.OutOrStdout(), os.Getenv))
			}
			return runDemo(cmd.Context(), &flags, newDemoOutput(cmd.OutOrStdout(), os.Getenv), newLiveEngine(flags.speed, flags.console))
		},
	}
	f := cmd.Flags()
	f.Uint64Var(&flags.seed, "seed", 1, "of the fleet and its story")
	f.Float64Var(&flags.speed, "speed", demoSpeed, "seconds of the story a second")
	f.DurationVar(&flags.duration, "duration", 0, "how long to go on, of real time; 0s tells the story once; with --produce until it is ended")
	f.StringVar(&flags.produce, "produce", "", "brokers, host:port,...: write the log there and watch nothing")
	f.StringVar(&flags.console, "console", access.Default().Listen, "host:port of the live page, on this machine; \"\" for none")
	f.StringVar(&flags.admin, "admin", "", "for --produce: host:port of /-/ready, which says whether the log is written; \"\" for none")
	f.StringVar(&flags.topic, "topic", demoTopic, "for --produce, made if it is missing")
	return cmd
}

// maxDemoSpeed and maxDemo bound what is asked for to what can be told.
const (
	maxDemoSpeed = 1000
	maxDemo      = 30 * 24 * time.Hour
)

// check refuses what cannot be told, and flags that say nothing beside others; given tells which were given.
func (f *demoFlags) check(given func(name string) bool) error {
	switch {
	case f.produce != "" && given("speed"):
		return usageError{errors.New("--speed: a log is written in real time; leave out --speed or --produce")}
	case f.produce != "" && given("console"):
		return usageError{errors.New("--console: a log is written and nothing watched; leave out --console or --produce")}
	case f.produce == "" && given("admin"):
		return usageError{errors.New("--admin: says whether a log is written; want --produce beside it")}
	case f.produce == "" && given("topic"):
		return usageError{errors.New("--topic: of which brokers; want --produce beside it")}
	}
	if f.admin != "" {
		if err := (&admin.Config{Listen: f.admin}).Validate(); err != nil {
			return usageError{oneLine(fmt.Errorf("--admin: %w", err))}
		}
	}
	if err := (&access.Config{Listen: f.console}).Validate(); err != nil {
		return usageError{oneLine(fmt.Errorf("--console: %w", err))}
	}
	if !(f.speed >= 0.1 && f.speed <= maxDemoSpeed) {
		return wrong("speed", fmt.Sprint(f.speed), fmt.Sprintf("0.1 to %d", maxDemoSpeed))
	}
	if f.duration < 0 || f.duration > maxDemo {
		return wrong("duration", f.duration.String(), "0s to "+maxDemo.String())
	}
	return nil
}

// length is how long the story is told, of its own time.
func (f *demoFlags) length() time.Duration {
	if f.duration == 0 {
		return simulate.Acting().Length
	}
	return time.Duration(float64(f.duration) * f.speed).Round(time.Second)
}

// engineMaker makes the engine that watches the log of a fleet.
type engineMaker func(ctx context.Context, fleet *config.Fleet, world *simulate.World, seed uint64) (engine, error)

// runDemo tells the story and prints the summary; an act that is over and did not end well is an error. That ctx ends is none: it is how a
// person ends it.
func runDemo(ctx context.Context, flags *demoFlags, out *demoOutput, start engineMaker) error {
	world, fleet, err := demoWorld(flags.seed, flags.every)
	if err != nil {
		return err
	}
	e, err := start(ctx, &fleet, world, flags.seed)
	if err != nil {
		return err
	}
	d := newDemo(flags, world, e, out)
	if served, ok := e.(interface{ address() string }); ok && served.address() != "" {
		d.page = served.address()
		if err := out.text("the live page of this fleet: " + d.page + "\n"); err != nil {
			return err
		}
	}
	if err := d.run(ctx); err != nil {
		return err
	}
	if err := out.text(d.summary()); err != nil {
		return err
	}
	return d.judgeStory()
}

// demoOutput is where the demonstration is shown.
type demoOutput struct {
	w      io.Writer
	size   func() (width, height int) // nil = w is no terminal
	screen terminal.Screen
}

// newDemoOutput finds out what w can show.
func newDemoOutput(w io.Writer, env func(string) string) *demoOutput {
	out := &demoOutput{w: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || env("TERM") == "dumb" {
		return out
	}
	out.size = func() (width, height int) {
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return 80, 24
		}
		return width, height
	}
	out.screen = terminal.Screen{Colour: env("NO_COLOR") == "", Light: lightGround(env("COLORFGBG"))}
	return out
}

// lightGround reads COLORFGBG, which some terminals set to the numbers of their colours, the ground last: 7 and 15 are white.
func lightGround(colours string) bool {
	n := len(colours)
	return n >= 2 && colours[n-2:] == ";7" || n >= 3 && colours[n-3:] == ";15"
}

// text writes what is not a frame.
func (o *demoOutput) text(s string) error {
	_, err := io.WriteString(o.w, s)
	return err
}

// frame draws on a terminal, and does nothing elsewhere.
func (o *demoOutput) frame(v *terminal.View) error {
	if o.size == nil {
		return nil
	}
	o.screen.Width, o.screen.Height = o.size()
	_, err := o.w.Write(o.screen.Frame(v))
	return err
}

// enter and leave stand around the frames.
func (o *demoOutput) enter() error {
	if o.size == nil {
		return nil
	}
	_, err := o.w.Write(o.screen.Enter())
	return err
}

func (o *demoOutput) leave() error {
	if o.size == nil {
		return nil
	}
	_, err := o.w.Write(o.screen.Leave())
	return err
}
