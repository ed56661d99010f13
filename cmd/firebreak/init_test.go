package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"firebreak/internal/config"
)

// initLog is a log of a form of its own: 400 lines, 60 keys, 7 tenants.
func initLog(from int) string {
	var b strings.Builder
	b.WriteString("op_time,customer,item_key,verb\n")
	for i := from; i < from+400; i++ {
		fmt.Fprintf(&b, "%d,shop-%d,item:%d,%s\n", start/1000+int64(i), i%7, i*i%61, []string{"GET", "SET"}[i%2])
	}
	return b.String()
}

// TestInit: what is written is a configuration that replay takes as it is; what is to be decided is said on standard error,
// with the line; plain, compressed, from standard input and from a file it is the same.
func TestInit(t *testing.T) {
	plain := initLog(0)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(plain)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "log.csv.gz")
	if err := os.WriteFile(file, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var want string
	for i, in := range []struct {
		args  []string
		stdin string
	}{{nil, plain}, {[]string{"-"}, packed.String()}, {[]string{file}, ""}} {
		var out, said strings.Builder
		if err := run(t.Context(), append([]string{"init", "--fleet", "orders"}, in.args...), strings.NewReader(in.stdin), &out, &said); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = out.String()
		}
		if out.String() != want {
			t.Errorf("init %v: another proposal:\n%s", in.args, out.String())
		}
		checkSaid(t, out.String(), said.String())
	}
	path := filepath.Join(dir, "firebreak.yml")
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"replay", "--config", path, file}, nil, &out, &strings.Builder{}); err != nil || !strings.Contains(out.String(), "400 counted") {
		t.Errorf("replay with the proposal: %v\n%s", err, out.String())
	}
}

// checkSaid holds what is said on standard error against the file.
func checkSaid(t *testing.T, file, said string) {
	t.Helper()
	if _, err := config.Parse("firebreak.yml", []byte(file)); err != nil {
		t.Errorf("the proposal is not valid: %v", err)
	}
	lines := strings.Split(file, "\n")
	for i, l := range lines {
		if entry, what, marked := strings.Cut(strings.TrimSpace(l), " # DECIDE: "); marked {
			if want := fmt.Sprintf("firebreak init: decide line %d, %s: %s\n", i+1, entry, what); !strings.Contains(said, want) {
				t.Errorf("%q is not said:\n%s", want, said)
			}
		}
	}
	if !strings.Contains(said, "400 lines of csv with a header; 400 read as records\n") || strings.Count(said, "decide line") != 1 {
		t.Errorf("said:\n%s", said)
	}
}

// TestInitBusyLog: the head of a busy log is short, not the log: the command has no --whole, and what was looked at is said.
func TestInitBusyLog(t *testing.T) {
	var out, said strings.Builder
	if err := run(t.Context(), []string{"init", "--lines", "60"}, strings.NewReader(initLog(0)), &out, &said); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "the sample is short, not the log: its lines span 58 s") || !strings.Contains(said.String(), "then: firebreak replay --config firebreak.yml -\n") {
		t.Errorf("said:\n%s", said.String())
	}
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, `{"ts":%d,"key":"k%d","pad":"%s"}`+"\n", 1700000000+i, i%3, strings.Repeat("x", 900_000))
	}
	said.Reset()
	if err := run(t.Context(), []string{"init"}, strings.NewReader(b.String()), &out, &said); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "looked at the first 8 MiB: 10 lines, not the 10,000 that were asked for; the log goes on") {
		t.Errorf("said:\n%s", said.String())
	}
}

// TestInitPartitions: two files are one log; two that are not are refused.
func TestInitPartitions(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, text := range []string{initLog(0), initLog(400), "ts,other\n1700000000,x\n"} {
		files = append(files, filepath.Join(dir, fmt.Sprintf("part-%d.csv", i)))
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, said strings.Builder
	if err := run(t.Context(), []string{"init", files[0], files[1]}, nil, &out, &said); err != nil || !strings.Contains(said.String(), "800 lines of csv") {
		t.Errorf("two partitions: %v\n%s", err, said.String())
	}
	err := run(t.Context(), []string{"init", files[0], files[2]}, nil, &out, &said)
	if err == nil || exitCode(err) != exitError || !strings.Contains(err.Error(), "part-2.csv") {
		t.Errorf("two logs: %v", err)
	}
}

// TestSurveyErrors: bad input is an error of the work, bad flags are a usage error; each is one line that names its input.
func TestSurveyErrors(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yml")
	if err := os.WriteFile(bad, []byte("fleets: [{nam: x}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args        []string
		stdin, want string
		code        int
	}{
		{[]string{"init"}, "", "standard input: the file is empty", exitError},
		{[]string{"inspect"}, "", "standard input: the file is empty", exitError},
		{[]string{"init"}, strings.Repeat("\x00\x01\x02\n", 50), "binary", exitError},
		{[]string{"inspect", "-"}, "a b c\nd e f\n", "no format that is known", exitError},
		{[]string{"init", filepath.Join(dir, "none")}, "", "none", exitError},
		{[]string{"init", dir}, "", "is a directory", exitError},
		{[]string{"init", "--lines", "0"}, "", "--lines", exitUsage},
		{[]string{"init", "--fleet", ""}, "", "--fleet", exitUsage},
		{[]string{"init", "--fleet", "a\nb"}, "", "--fleet", exitUsage},
		{[]string{"inspect", "--config", filepath.Join(dir, "none.yml")}, "x", "none.yml", exitUsage},
		{[]string{"inspect", "--config", bad}, "x", "nam", exitUsage},
	}
	for _, tt := range tests {
		var out strings.Builder
		err := run(t.Context(), tt.args, strings.NewReader(tt.stdin), &out, &strings.Builder{})
		if exitCode(err) != tt.code || err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") || out.Len() > 0 {
			t.Errorf("%q: exit %d, error %v, output %q; want exit %d and %q", tt.args, exitCode(err), err, out.String(), tt.code, tt.want)
		}
	}
	for _, args := range [][]string{{"init"}, {"inspect"}} {
		if err := run(t.Context(), args, strings.NewReader(initLog(0)), failing{}, &strings.Builder{}); exitCode(err) != exitError {
			t.Errorf("%q on a full disk: %v", args, err)
		}
	}
}
