package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestModulePathCommand runs the command of CONTRIBUTING.md that gives the module another path, on a copy: nothing
// is left that names the old one, and every import is found.
func TestModulePathCommand(t *testing.T) {
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, command, found := strings.Cut(string(page), "## The module path")
	_, command, fenced := strings.Cut(command, "```sh\n")
	command, _, closed := strings.Cut(command, "```")
	if !found || !fenced || !closed || !strings.Contains(command, "new=example.com/team/firebreak") {
		t.Fatalf("CONTRIBUTING.md has no such command: %q", command)
	}
	dir := t.TempDir()
	copyModule(t, "../..", dir)
	command = strings.Replace(command, "example.com/team/firebreak", "github.com/example/firebreak", 1)
	inDir(t, dir, "bash", "-euo", "pipefail", "-c", command)
	if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(`"fire`+`break/`)) {
			t.Errorf("%s names the old path", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got := inDir(t, dir, "go", "list", "-deps", "-test", "./..."); !strings.Contains(got, "github.com/example/firebreak/cmd/firebreak") {
		t.Errorf("the packages are\n%s", got)
	}
}

// inDir runs a program in a folder and returns what it prints.
func inDir(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// copyModule copies what Go and the linter read.
func copyModule(t *testing.T, from, to string) {
	t.Helper()
	if err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		base := entry.Name()
		switch {
		case entry.IsDir() && (base == ".git" || base == "testdata"):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o600)
	}); err != nil {
		t.Fatal(err)
	}
}
