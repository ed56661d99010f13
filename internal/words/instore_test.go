package words

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"firebreak/internal/line"
)

// TestShell: what is shown to be copied prints, and bash takes it for the arguments that it is of, to the byte.
func TestShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	rapid.Check(t, func(t *rapid.T) {
		var argv []line.Name
		for range rapid.IntRange(1, 4).Draw(t, "n") {
			raw := rapid.SliceOfN(rapid.OneOf(rapid.ByteRange(1, 255), rapid.SampledFrom([]byte("'\\$`\"! \n"))), 0, 20).Draw(t, "bytes")
			argv = append(argv, line.Name(raw))
		}
		text := Shell(argv)
		if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Fatalf("%q does not print", text)
		}
		out, err := exec.CommandContext(t.Context(), bash, "-c", `printf '%s\0' `+text).Output()
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, a := range argv {
			want.WriteString(string(a) + "\x00")
		}
		if got := string(out); got != want.String() {
			t.Fatalf("%s is %q, want %q", text, got, want.String())
		}
	})
}

// TestInStore: how far a fix goes in a store is part of its words, and the same words are said once a plan.
func TestInStore(t *testing.T) {
	in := &line.InStore{Store: "Redis", Called: "a reshard", Possible: "yes", Reason: "slowly", Commands: []line.Command{
		{Argv: []line.Name{"redis-cli", "x y"}, Stdin: "a\n", Needs: []string{"slot"}},
	}, More: 3}
	for possible, want := range map[string]string{
		"yes": "In Redis: a reshard; by these commands: slowly.", "advice": "In Redis: a reshard; by hand: slowly.", "never": "In Redis: a reshard; never by a command: slowly.",
	} {
		in.Possible = possible
		if got := strings.ReplaceAll(InStore(in).String(), "\u00a0", " "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	got := strings.Join(Commands(in), "|")
	if want := `redis-cli 'x y' <<< $'a\x0a'  # not known here: slot|# and 3 commands more`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	told := &Told{Verdict: &line.Verdict{Fix: "split"}, Plan: &line.Plan{Projection: line.Projection{Fix: "split"}, Steps: []line.Step{{InStore: in}, {InStore: in}, {}}}}
	if got := told.InStore().String(); strings.Count(got, "a reshard") != 1 {
		t.Error(got)
	}
}
