package scenario

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// asDirective converts what the reference reader gives.
func asDirective(td *datadriven.TestData) Directive {
	d := Directive{Name: td.Cmd, Input: td.Input, Expected: td.Expected}
	for _, a := range td.CmdArgs {
		d.Args = append(d.Args, Arg{a.Key, a.Vals})
	}
	return d
}

// TestReadAgrees: outside of tests stories are read as datadriven reads them.
func TestReadAgrees(t *testing.T) {
	texts := map[string]string{"by hand": `
# a comment
run a=(b, (c, d)) e= f \
  g=h
input

more
----
----
out

out
----
----

stats
----
end`}
	files, err := filepath.Glob(filepath.Join(stories, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("stories: %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			var want []Directive
			datadriven.RunTestFromString(t, text, func(_ *testing.T, td *datadriven.TestData) string {
				want = append(want, asDirective(td))
				return td.Expected
			})
			got, err := Read(text)
			if err != nil {
				t.Fatal(err)
			}
			ignore := cmpopts.IgnoreFields(Directive{}, "Line", "Text")
			if diff := cmp.Diff(want, got, ignore, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("directives (-datadriven +ours):\n%s", diff)
			}
		})
	}
}

// FuzzParseLine: the same words as datadriven's parser, or an error where it has one.
func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{"", "run", "run a=b c=(d, e) f", "x =", "x a=(b", "x a=(b,(c,d)) e=", "x a=()", "é a=(é, ü)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		name, args, err := ParseLine(line)
		wantName, list, wantErr := datadriven.ParseLine(line)
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%q: %v, datadriven %v", line, err, wantErr)
		}
		if err != nil {
			return
		}
		var want []Arg
		for _, a := range list {
			want = append(want, Arg{a.Key, a.Vals})
		}
		if name != wantName || len(args) != len(want) || len(args) > 0 && !reflect.DeepEqual(args, want) {
			t.Fatalf("%q: %q %q, datadriven %q %q", line, name, args, wantName, want)
		}
	})
}

// FuzzPlay: no story makes the player panic.
func FuzzPlay(f *testing.F) {
	f.Add("story\nfleet shards=4\nvolume a rate=10 keys=4\n----\n\nrun 1m\n----\n")
	f.Add("story\nfleet a place=none\n----\n\nlines at=0s\n{\"ts_ms\":@0s,\"key\":\"\\xff\"}\n----\n\nrun 20s\n----\n\nexpect even=5% load=(1, 2)\n----\n")
	f.Add("world\nhealth x\n----\n\nrun 1h\n----\n\nexpect hotspots=1\n----\n\nstats\n----\n")
	f.Add("story\nfleet\nsalt K suffixes=(1, x)\nplaced t shards=(spare-9)\nquota t rate=-1\n----\n")
	f.Fuzz(func(t *testing.T, text string) {
		directives, err := Read(text)
		if err != nil {
			return
		}
		var p Player
		for i := range directives {
			d := &directives[i]
			// What takes long is left out: much traffic, much time, many lines.
			if d.Name == "run" && (len(d.Args) != 1 || !slices.Contains([]string{"10s", "20s", "1m"}, d.Args[0].Key)) || strings.Contains(d.Input, "000") || d.Name == "lines" && len(d.Args) > 1 {
				return
			}
			if _, err := p.Do(d); err != nil {
				return
			}
			if p.clock > 0 {
				return
			}
		}
	})
}
