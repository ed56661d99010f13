//go:build unix

package mover_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"firebreak/actuator/mover"
	"firebreak/actuator/operation"
	"firebreak/routing"
)

func shell(script string) mover.Mover {
	return mover.NewCommand([]string{"/bin/sh", "-c", script}, time.Minute)
}

// TestCommand: what an exit code means, and what is told of it.
func TestCommand(t *testing.T) {
	for name, c := range map[string]struct {
		script, want string
		notYet       bool
	}{
		"done":          {"cat > /dev/null", "", false},
		"reads nothing": {"exit 0", "", false},
		"not yet":       {"echo 40 percent >&2; exit 75", "under way: 40 percent", true},
		"failed":        {"echo a >&2; echo 'no such table' >&2; echo >&2; exit 3", "exit status 3: no such table", false},
		"no words":      {"exit 1", "exit status 1", false},
		"evil words":    {`printf 'a\033[31mb\377' >&2; exit 1`, "a [31mb?", false},
		"many words":    {"head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1", strings.Repeat("x", 300) + "...", false},
		"much output":   {"head -c 1000000 /dev/zero; exit 0", "", false},
		"killed":        {"kill -9 $$", "killed", false},
	} {
		t.Run(name, func(t *testing.T) {
			err := shell(c.script).Do(t.Context(), task(t))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || errors.Is(err, mover.ErrNotYet) != c.notYet {
				t.Errorf("%v, want %q", err, c.want)
			}
			if err != nil && len(err.Error()) > 400 {
				t.Errorf("%d bytes are told", len(err.Error()))
			}
		})
	}
	if err := mover.NewCommand([]string{"/does/not/exist"}, time.Second).Do(t.Context(), task(t)); err == nil {
		t.Error("a program that is not there has done it")
	}
}

// TestCommandGetsTheTask on its standard input.
func TestCommandGetsTheTask(t *testing.T) {
	file := filepath.Join(t.TempDir(), "task")
	if err := mover.NewCommand([]string{"/bin/sh", "-c", `cat > "$1"`, "sh", file}, time.Minute).Do(t.Context(), task(t)); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema             int
		Fleet, Phase, Do   string
		Operation, Version uint64
		Carries            []struct {
			Entry    string
			From, To []string
		}
		Document json.RawMessage
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != 1 || got.Fleet != `orders\xff` || got.Do != "copy" || got.Phase != "copy" || got.Operation != 7 || got.Version != 31 ||
		len(got.Carries) != 1 || got.Carries[0].Entry != "vshard/17" || got.Carries[0].From[0] != "shard-1" || got.Carries[0].To[0] != "shard-3" {
		t.Errorf("it got %s", b)
	}
	if d, err := routing.ParseDocument(got.Document); err != nil || d.Fleet != "orders\xff" {
		t.Errorf("the document: %v", err)
	}
}

// TestFoldNamesPieces by the keys under which the store has them.
func TestFoldNamesPieces(t *testing.T) {
	one := task(t)
	one.Ask, one.Carries = operation.AskFold, nil
	one.Salt = routing.Salt{Key: "likes:7", Suffixes: []uint32{0}, Read: 1, Write: 1, Tombstones: []uint32{3, 5}}
	b, err := mover.Encode(one)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"salt":{"key":"likes:7","fold":[{"suffix":3,"key":"likes:7#3"},{"suffix":5,"key":"likes:7#5"}]}`; !strings.Contains(string(b), want) {
		t.Errorf("%s, want %s in it", b, want)
	}
}

// TestCommandIsKilledWithItsChildren: by its time-out, and where it is not wanted any more; and what it leaves behind when it ends.
func TestCommandIsKilledWithItsChildren(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		cancel bool // once the child runs
		limit  time.Duration
		want   string
	}{
		"time-out":    {`sleep 100 & echo $! > "$1"; wait`, false, 3 * time.Second, "killed after 3s"},
		"cancelled":   {`sleep 100 & echo $! > "$1"; wait`, true, time.Minute, "canceled"},
		"left behind": {`sleep 100 & echo $! > "$1"; exit 0`, false, time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "child")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancel {
				go func() {
					defer cancel()
					for ctx.Err() == nil {
						if b, err := os.ReadFile(file); err == nil && strings.HasSuffix(string(b), "\n") {
							return
						}
						time.Sleep(10 * time.Millisecond)
					}
				}()
			}
			began := time.Now()
			err := mover.NewCommand([]string{"/bin/sh", "-c", c.script, "sh", file}, c.limit).Do(ctx, task(t))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || time.Since(began) > 30*time.Second {
				t.Errorf("%v after %s, want %q", err, time.Since(began), c.want)
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			child, err := strconv.Atoi(strings.TrimSpace(string(b)))
			if err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(5 * time.Second); alive(child); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("its child lives on")
				}
			}
		})
	}
}

// alive says whether a process runs; one that has ended and that nobody has waited for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
