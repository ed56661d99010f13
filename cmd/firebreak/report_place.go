package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"firebreak/internal/config"
)

// tried is what came of trying a thing: what it is, what is right with it or the error, and what mends that.
type tried struct {
	name, detail, mend string
	err                error
}

// tryReport tries where the reports of weeks go, as far as that can be done before there is one: the folder takes a file, the command is
// there. It leaves nothing behind, and starts nothing. Receivers are tried with all others.
func tryReport(c *config.Report) []tried {
	var out []tried
	if c.Dir != "" {
		detail, err := tryDir(c.Dir)
		out = append(out, tried{"report.dir " + c.Dir, detail, "make the folder, and let the user that runs this write to it, or set report.dir", err})
	}
	if len(c.Command) > 0 {
		path, err := exec.LookPath(c.Command[0])
		out = append(out, tried{"report.command " + c.Command[0], "is " + path + "; it is not started", "install the program, or set report.command to its whole path", err})
	}
	return out
}

// tryDir tries whether a file can be made in a folder, or the folder in the nearest one above it that is there.
func tryDir(dir string) (detail string, err error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		above := filepath.Dir(dir)
		if above == dir {
			return "", err
		}
		if _, err := tryDir(above); err != nil {
			return "", err
		}
		return "is missing and can be made", nil
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s is no folder", dir)
	}
	f, err := os.CreateTemp(dir, ".firebreak.*")
	if err != nil {
		return "", err
	}
	return "can be written to", errors.Join(f.Close(), os.Remove(f.Name()))
}
