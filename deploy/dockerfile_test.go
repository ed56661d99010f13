package deploy

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// stages reads the Dockerfile as BuildKit does.
func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := instructions.Parse(tree.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestDockerfile: what is built is from a pinned image of this toolchain; what runs is from nothing, is not root, and has no shell.
func TestDockerfile(t *testing.T) {
	all := stages(t)
	if len(all) != 2 || all[1].BaseName != "scratch" {
		t.Fatalf("%d stages, the last from %q", len(all), all[len(all)-1].BaseName)
	}
	if want := "golang:" + strings.TrimPrefix(runtime.Version(), "go") + "-bookworm"; all[0].BaseName != want && !pinned(all[0].BaseName) {
		t.Errorf("built with %s, want a pinned version such as %s", all[0].BaseName, want)
	}
	var user string
	for _, c := range all[1].Commands {
		switch c := c.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.EntrypointCommand:
			if c.PrependShell {
				t.Error("the entry point wants a shell")
			}
		case *instructions.CmdCommand:
			if c.PrependShell || strings.Join(c.CmdLine, " ") != "run --config /etc/firebreak/firebreak.yml" {
				t.Errorf("command %v, shell %v", c.CmdLine, c.PrependShell)
			}
		case *instructions.RunCommand:
			t.Error("nothing can run in an empty image")
		}
	}
	if user != "65532:65532" {
		t.Errorf("user %q", user)
	}
}

func pinned(image string) bool { return regexp.MustCompile(`^golang:1\.26\.\d+-`).MatchString(image) }

// TestStatic: the Dockerfile's own command builds a program that needs no loader and no library, and that starts where there is
// nothing else.
func TestStatic(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	out := buildAsDocker(t)
	f, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("it needs %v, %v", libraries, err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("it needs a loader")
		}
	}
}

// buildAsDocker builds the program by the Dockerfile's own command.
func buildAsDocker(t *testing.T) (path string) {
	t.Helper()
	var build string
	for _, c := range stages(t)[0].Commands {
		if r, ok := c.(*instructions.RunCommand); ok && strings.Contains(strings.Join(r.CmdLine, " "), "go build") {
			build = strings.Join(r.CmdLine, " ")
		}
	}
	out := filepath.Join(t.TempDir(), "firebreak")
	command := strings.Replace(build, "/out/firebreak", out, 1)
	if command == build {
		t.Fatalf("no output in %q", build)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = ".."
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return out
}

// TestContext: what the Dockerfile compiles is sent to the builder: every folder of ours that the program imports.
func TestContext(t *testing.T) {
	ignore, err := os.ReadFile("../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./cmd/firebreak")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for path := range strings.Lines(string(out)) {
		if rest, ours := strings.CutPrefix(strings.TrimSpace(path), "firebreak/"); ours {
			found++
			if top, _, _ := strings.Cut(rest, "/"); !strings.Contains(string(ignore), "\n!"+top+"\n") {
				t.Errorf(".dockerignore leaves out %s", top)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d packages of ours", found)
	}
}
