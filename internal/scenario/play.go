package scenario

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrDiffers says that a story did not go as its file says.
var ErrDiffers = errors.New("the story went otherwise than its file says")

// Play plays the story of text and writes it as it went, comments included, in the form it was read in. Its error names the
// first thing that is wrong with the story; ErrDiffers is in it where only the output is not what the file expects.
func Play(w io.Writer, name, text string) error { return PlayTo(w, name, text, nil) }

// PlayTo is Play where watch sees every evaluation; its error ends the story.
func PlayTo(w io.Writer, name, text string, watch func(*Tick) error) error {
	directives, err := Read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p := Player{Watch: watch}
	var differ []error
	for i := range directives {
		d := &directives[i]
		if _, err := fmt.Fprintf(w, "%s\n%s\n", d.Text, separator); err != nil {
			return err
		}
		got, err := p.Do(d)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, d.Line, err)
		}
		if got != "" && !strings.HasSuffix(got, "\n") {
			got += "\n"
		}
		if _, err := fmt.Fprintln(w, got); err != nil {
			return err
		}
		if got != d.Expected {
			differ = append(differ, fmt.Errorf("%s:%d: %s: %w", name, d.Line, d.Name, ErrDiffers))
		}
	}
	return errors.Join(differ...)
}
