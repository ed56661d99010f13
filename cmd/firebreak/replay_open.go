package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"firebreak/internal/config"
)

// runReplay opens everything before it reads anything, so that a mistake costs no time.
func runReplay(cmd *cobra.Command, flags *replayFlags, files []string) (err error) {
	if err := flags.check(); err != nil {
		return err
	}
	fleets, err := flags.fleets()
	if err != nil {
		return err
	}
	r := &replay{flags: flags}
	if r.report, err = newReporting(flags.report, files, flags.owners); err != nil {
		return err
	}
	progress := newProgress(cmd.ErrOrStderr(), files)
	defer func() {
		progress.done()
		for _, in := range r.inputs {
			err = errors.Join(err, in.Close())
		}
	}()
	for _, path := range files {
		if err := r.open(path, cmd.InOrStdin(), fleets, progress); err != nil {
			return err
		}
	}
	if err := r.build(fleets); err != nil {
		return err
	}
	out := &buffered{w: cmd.OutOrStdout()}
	r.out = jsonPrinter{out}
	if flags.output == "text" {
		r.out = newTextPrinter(out)
	}
	err = r.run(cmd.Context().Err)
	progress.done()
	if flush := out.flush(); err == nil {
		err = flush
	}
	return err
}

// open opens one more file and checks that its lines are what they are said to be. read is told how many bytes were read.
func (r *replay) open(path string, stdin io.Reader, fleets []config.Fleet, read io.Writer) error {
	in, err := openInput(path, stdin, fleets, read)
	if err == nil {
		in.inside, in.total = r.flags.inside, &r.lines
		r.inputs = append(r.inputs, in)
		if err = in.suits(r.flags.format, fleets); err != nil {
			err = in.wrap(err)
		}
	}
	if err == nil {
		return nil
	}
	var format *formatError
	if errors.As(err, &format) && r.flags.format != "" {
		format.said = "--format " + r.flags.format
	}
	return oneLine(err)
}

// build makes the fleets.
func (r *replay) build(fleets []config.Fleet) error {
	named := false
	for _, in := range r.inputs {
		named = named || in.named
	}
	for i := range fleets {
		f, err := r.flags.build(&fleets[i], named)
		if err != nil {
			return err
		}
		f.recorder = r.report.recorder(f.store)
		r.fleets = append(r.fleets, f)
	}
	return nil
}
