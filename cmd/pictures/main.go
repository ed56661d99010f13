// Command pictures makes what people see of the eight cases of docs/pictures.md: for each story of testdata/pictures the page of its
// hotspot and the overview of the live page, the report, and the messages, as HTML files without a reference to anything outside.
//
//	pictures [-chromium PATH] STORIES OUTDIR
//
// With -chromium it makes a PNG of each but the overview beside it. A story goes the way of a log: the core judges it, the scribe writes the journal,
// the console's model and the report's recorder see each tick, and the queue of notices sends to a workspace of Slack and a service of
// PagerDuty that refuse what the real ones refuse. Only time is the story's own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// timeout bounds all of it: the stories take seconds, each PNG some seconds more.
const timeout = 15 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	err := run(ctx, os.Args[1:])
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// run makes all pictures.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("pictures", flag.ContinueOnError)
	chromium := flags.String("chromium", "", "also make a PNG of each file, with this Chromium")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return errors.New("want the folder of the stories and a folder to write to")
	}
	stories, out := flags.Arg(0), flags.Arg(1)
	if err := os.MkdirAll(out, 0o750); err != nil {
		return err
	}
	all := cases()
	for i := range all {
		if err := write(ctx, &all[i], stories, out, *chromium); err != nil {
			return err
		}
	}
	return nil
}

// write makes the pictures of a case.
func write(ctx context.Context, c *example, stories, out, chromium string) error {
	p, err := play(ctx, filepath.Join(stories, c.file+".txt"))
	if err != nil {
		return err
	}
	files, err := p.draw(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", c.file, err)
	}
	for _, f := range files {
		path := filepath.Join(out, c.file[:1]+"-"+f.name)
		if err := os.WriteFile(path+".html", f.html, 0o600); err != nil {
			return err
		}
		if chromium == "" || f.name == "overview" {
			continue
		}
		if err := shoot(ctx, chromium, path, f.width); err != nil {
			return err
		}
	}
	return nil
}
