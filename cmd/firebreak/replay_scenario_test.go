package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplayScenario(t *testing.T) {
	const file = "../../testdata/scenarios/hot-key.txt"
	story, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"replay", "--scenario", file}, strings.NewReader(""), &out, &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != strings.TrimRight(string(story), "\n")+"\n\n" {
		t.Errorf("got\n%s\nwant the story as it stands in its file", out.String())
	}
	other := filepath.Join(t.TempDir(), "other.txt")
	if err := os.WriteFile(other, bytes.ReplaceAll(story, []byte("salt 4 ->"), []byte("salt 3 ->")), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args []string
		code int
	}{
		"goes otherwise":   {[]string{"--scenario", other}, exitError},
		"no such file":     {[]string{"--scenario", other + ".not"}, exitUsage},
		"a log beside it":  {[]string{"--scenario", file, "access.log"}, exitUsage},
		"neither of these": {nil, exitUsage},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), append([]string{"replay"}, tt.args...), strings.NewReader(""), &out, &out)
			if exitCode(err) != tt.code {
				t.Errorf("%v, exit code %d, want %d", err, exitCode(err), tt.code)
			}
		})
	}
}
