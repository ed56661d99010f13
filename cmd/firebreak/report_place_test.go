package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/zap"
	zapobserver "go.uber.org/zap/zaptest/observer"

	"firebreak/internal/config"
)

// TestReportPlaceIsTried: what doctor says of where reports go, run warns of in the same words; what is right leaves nothing behind.
func TestReportPlaceIsTried(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands and rights of this test are of Unix")
	}
	dir := t.TempDir()
	file, plain, closed := filepath.Join(dir, "file"), filepath.Join(dir, "plain"), filepath.Join(dir, "closed")
	for _, path := range []string{file, plain} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	r := newLogsRig(t, "")
	head, err := os.ReadFile(r.path)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		dir, command string
		right        bool
		want         string
		user         bool // the superuser may do it
	}{
		"a folder":                   {dir, "", true, "ok     report.dir " + dir + ": can be written to", false},
		"a folder to be made":        {filepath.Join(dir, "a", "b"), "", true, "b: is missing and can be made", false},
		"a file":                     {file, "", false, "WRONG  report.dir " + file + ": " + file + " is no folder", false},
		"below a file":               {filepath.Join(file, "a"), "", false, "not a directory", false},
		"a folder that is closed":    {closed, "", false, "permission denied", true},
		"in a folder that is closed": {filepath.Join(closed, "a", "b"), "", false, "permission denied", true},
		"a program":                  {"", "sh", true, "ok     report.command sh: is /", false},
		"no such program":            {"", "mial", false, `WRONG  report.command mial: exec: "mial": executable file not found in $PATH`, false},
		"no program":                 {"", plain, false, "permission denied", false},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.user && os.Geteuid() == 0 {
				t.Skip("to the superuser no folder is closed")
			}
			yaml := string(head) + "report: {weekly: \"Mon 08:00\""
			if tt.dir != "" {
				yaml += ", dir: \"" + tt.dir + "\""
			}
			if tt.command != "" {
				yaml += ", command: [\"" + tt.command + "\", -s, week]"
			}
			out, _ := doctored(t, yaml+"}\n")
			if !strings.Contains(out, tt.want) {
				t.Errorf("no %q in\n%s", tt.want, out)
			}
			cfg, err := config.Parse("f.yml", []byte(yaml+"}\n"))
			if err != nil {
				t.Fatal(err)
			}
			core, logs := zapobserver.New(zap.WarnLevel)
			d := &daemon{cfg: cfg, journal: &journal{}, history: &historian{}, log: zap.New(core)}
			d.reportWeekly()
			if warned := logs.FilterMessage("the report of a week will fail").Len(); (warned == 0) != tt.right || d.weekly == nil {
				t.Errorf("run warns %d times: %v", warned, logs.All())
			}
			if got := strings.Count(out, "mend: "); !tt.right && got == 0 {
				t.Errorf("nothing is said that mends it:\n%s", out)
			}
		})
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 3 {
		t.Errorf("something is left behind: %v", left)
	}
	if out, err := doctored(t, string(head)+"report: {weekly: \"Mon 08:00\", dir: \""+file+"\"}\n", "--standalone"); !strings.Contains(out, "none is written with --standalone") || strings.Contains(out, "report.dir") {
		t.Errorf("standalone: %v\n%s", err, out)
	}
}
