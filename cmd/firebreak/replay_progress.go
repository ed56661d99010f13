package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows on a terminal how much of the input was read. It is told by being written to.
type progress struct {
	bar     *progressbar.ProgressBar // nil where nobody looks
	pending int
}

// progressStep is how many bytes pass between two looks of the bar at the clock.
const progressStep = 1 << 20

// progressThrottle is the shortest time between two drawings of the bar.
const progressThrottle = 100 * time.Millisecond

// newProgress makes a bar if w is a terminal. Its length is the size of all files, or unknown with standard input.
func newProgress(w io.Writer, files []string) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	var size int64
	for _, path := range files {
		info, err := os.Stat(path)
		if path == "-" || err != nil || !info.Mode().IsRegular() {
			size = -1
			break
		}
		size += info.Size()
	}
	return &progress{bar: progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(w), progressbar.OptionShowBytes(true), progressbar.OptionSetDescription("replay"),
		progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(progressThrottle))}
}

// Write counts the bytes of b. It does not fail: a bar that cannot be drawn is no reason to stop.
func (p *progress) Write(b []byte) (int, error) {
	if p.bar == nil {
		return len(b), nil
	}
	if p.pending += len(b); p.pending >= progressStep {
		p.bar.Add(p.pending) //nolint:errcheck // see above
		p.pending = 0
	}
	return len(b), nil
}

// done takes the bar away.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Clear() //nolint:errcheck // see Write
		p.bar = nil
	}
}
