//go:build unix

package record

import (
	"bytes"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// fieldStartsByByte is fieldStarts as one would write it.
func fieldStartsByByte(line []byte, comma byte) (starts []uint32) {
	starts = []uint32{0}
	for i, c := range line {
		switch c {
		case comma:
			starts = append(starts, uint32(i)+1)
		case '"', '\n':
			return nil
		}
	}
	return append(starts, uint32(len(line))+1)
}

// checkStarts holds both finders against fieldStartsByByte. A row of more columns than there is room for may be left to
// fieldwise only by both.
func checkStarts(t *testing.T, line []byte, comma byte) {
	t.Helper()
	want := fieldStartsByByte(line, comma)
	for name, find := range map[string]func([]byte, byte, *[plainStarts]uint32) int{"fieldStarts": fieldStarts, "fieldStartsGo": fieldStartsGo} {
		var starts [plainStarts]uint32
		n := find(line, comma, &starts)
		if wide := len(want)-1 > plainColumns; (want == nil || wide) != (n < 0) {
			t.Fatalf("%s of %.80q: %d columns, want %d", name, line, n, len(want)-1)
		}
		if n >= 0 && !slices.Equal(starts[:n+1], want) {
			t.Fatalf("%s of %.80q: %v, want %v", name, line, starts[:n+1], want)
		}
	}
}

func FuzzFieldStarts(f *testing.F) {
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
			checkStarts(t, line[from:], comma)
		}
	})
}

// TestFieldStartsAtPageEnd reads lines of every length at every place around the end and the start of memory that may be
// read: a byte read in the page before or behind ends the test. A quote there is none of the line's.
func TestFieldStartsAtPageEnd(t *testing.T) {
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
				checkStarts(t, line, ',')
				copy(line, bytes.Repeat([]byte(`"`), length))
			}
		}
	}
}
