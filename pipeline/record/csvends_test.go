//go:build unix

package record

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
)

// fieldEndsByByte is fieldEnds as one would write it.
func fieldEndsByByte(line []byte, comma byte) (ends []int32) {
	for i, c := range line {
		if c == comma {
			ends = append(ends, int32(i))
		} else if c == '"' || c == '\n' {
			return nil
		}
	}
	return append(ends, int32(len(line)))
}

// checkEnds holds both finders against fieldEndsByByte. A row of more columns than there is room for may be left to
// fieldwise only by both.
func checkEnds(t *testing.T, line []byte, comma byte) {
	t.Helper()
	want := fieldEndsByByte(line, comma)
	for name, find := range map[string]func([]byte, byte, *[plainEnds]int32) int{"fieldEnds": fieldEnds, "fieldEndsGo": fieldEndsGo} {
		var ends [plainEnds]int32
		n := find(line, comma, &ends)
		if wide := len(want) > plainColumns; (want == nil || wide) != (n < 0) {
			t.Fatalf("%s of %.80q: %d columns, want %d", name, line, n, len(want))
		}
		for i := range max(n, 0) {
			if ends[i+1] != want[i] {
				t.Fatalf("%s of %.80q: column %d ends at %d, want %d", name, line, i, ends[i+1], want[i])
			}
		}
	}
}

func FuzzFieldEnds(f *testing.F) {
	for _, seed := range []string{
		"", ",", "a", "a,b", `a,"b`, "a\nb", strings.Repeat("abc,", 48), strings.Repeat(",", plainColumns-1), strings.Repeat(",", plainColumns),
		strings.Repeat("x", 64) + ",", strings.Repeat("x", 63) + ",", strings.Repeat(",", 64), strings.Repeat("x", 130) + `"`,
	} {
		f.Add([]byte(seed), byte(','))
		f.Add([]byte(seed), byte('\t'))
	}
	f.Fuzz(func(t *testing.T, line []byte, comma byte) {
		if comma == '"' || comma == '\n' {
			return
		}
		for from := range min(len(line)+1, 3) { // where a line starts in memory is no matter
			checkEnds(t, line[from:], comma)
		}
	})
}

// TestFieldEndsAtPageEnd reads lines of every length at every place around the end and the start of memory that may be
// read: a byte read in the page before or behind ends the test. A quote there is none of the line's.
func TestFieldEndsAtPageEnd(t *testing.T) {
	page := syscall.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Munmap(memory) }()
	for _, guard := range [][]byte{memory[:page], memory[2*page:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	readable := memory[page : 2*page]
	copy(readable, bytes.Repeat([]byte(`"`), page))
	for length := range 200 {
		for gap := range 70 {
			for _, start := range []int{gap, page - length - gap} {
				line := readable[start : start+length]
				for i := range line {
					line[i] = "ab,cde,,"[(i+gap)%8]
				}
				checkEnds(t, line, ',')
				copy(line, bytes.Repeat([]byte(`"`), length))
			}
		}
	}
}
