package record

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// compressors writes bytes in every form that OpenLines finds out by itself.
func compressors(t testing.TB) map[string]func(parts ...string) []byte {
	t.Helper()
	write := func(open func(io.Writer) (io.WriteCloser, error)) func(...string) []byte {
		return func(parts ...string) []byte {
			var b bytes.Buffer
			for _, part := range parts { // each part is a member or a frame of its own
				w, err := open(&b)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(w, part); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
			return b.Bytes()
		}
	}
	return map[string]func(...string) []byte{
		"plain": func(parts ...string) []byte { return []byte(strings.Join(parts, "")) },
		"gzip":  write(func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }),
		"zstd":  write(func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }),
		"xz":    write(func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }),
	}
}

// readLines reads to the end: every line or the label of its reason, and the error.
func readLines(r io.Reader, maxLine int) (lines []string, err error) {
	l, err := OpenLines(r, maxLine)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for {
		line, reason, err := l.Next()
		switch {
		case errors.Is(err, io.EOF):
			return lines, nil
		case err != nil:
			return lines, err
		case reason != ReasonNone:
			lines = append(lines, "<"+reason.String()+">")
		default:
			lines = append(lines, string(line))
		}
	}
}

func TestLinesOfEveryCompression(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for name, compress := range compressors(t) {
		for _, c := range []struct {
			in   []string
			want []string
		}{
			{[]string{"\ufeffa\r\nb\n\n", "c\n", "d"}, []string{"a\r", "b", "", "c", "d"}},
			{[]string{"a", "b\nc"}, []string{"ab", "c"}},
			{[]string{"a\n" + long + "\nb\n"}, []string{"a", long, "b"}},
			{[]string{"a\n" + long + "y\nb\n" + long + "z"}, []string{"a", "<too_long>", "b", "<too_long>"}},
			{[]string{""}, nil},
			{[]string{"\x00\n\xff"}, []string{"\x00", "\xff"}},
		} {
			got, err := readLines(bytes.NewReader(compress(c.in...)), len(long))
			if err != nil || !cmp.Equal(got, c.want) {
				t.Errorf("%s %.20q: error %v, diff %.300s", name, c.in, err, cmp.Diff(c.want, got))
			}
		}
	}
}

// A file that breaks off gives its whole lines, one refusal for the line that broke, and an error that says so.
func TestLinesOfCutFiles(t *testing.T) {
	var text strings.Builder
	for range 20000 {
		text.WriteString("1431857100000,tenant,key,GET,1000\n")
	}
	for name, compress := range compressors(t) {
		if name == "plain" {
			continue
		}
		file := compress(text.String())
		for _, keep := range []int{len(file) - 1, len(file) - 9, len(file) / 2, len(file) / 4} {
			got, err := readLines(bytes.NewReader(file[:keep]), 0)
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), name+" input ends too early") {
				t.Errorf("%s cut to %d of %d: error %v", name, keep, len(file), err)
			}
			for i, line := range got {
				if line != "1431857100000,tenant,key,GET,1000" && (line != "<truncated>" || i != len(got)-1) {
					t.Errorf("%s cut to %d: line %d is %q", name, keep, i, line)
				}
			}
		}
		damaged := bytes.Clone(file)
		for i := len(file) / 2; i < len(file)/2+20; i++ {
			damaged[i] ^= 0x5a
		}
		if _, err := readLines(bytes.NewReader(damaged), 0); err == nil {
			t.Errorf("%s: damage is not noticed", name)
		}
		if _, err := readLines(bytes.NewReader(file[:7]), 0); err == nil {
			t.Errorf("%s: a file of 7 bytes is read", name)
		}
	}
}

func TestLinesOfBrokenReader(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("first line\nsecond, ha"), iotest.ErrReader(errors.New("disk on fire")))
	got, err := readLines(broken, 0)
	if want := []string{"first line", "<truncated>"}; !cmp.Equal(got, want) || err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := OpenLines(iotest.ErrReader(errors.New("no disk")), 0); err == nil || !strings.Contains(err.Error(), "no disk") {
		t.Errorf("OpenLines: %v", err)
	}
}

func TestLinesKeepsItsError(t *testing.T) {
	l, err := OpenLines(iotest.OneByteReader(strings.NewReader("a\nb")), 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 4 {
		line, _, err := l.Next()
		got = append(got, string(line))
		if err != nil {
			got = append(got, err.Error())
		}
	}
	if want := []string{"a", "b", "", "EOF", "", "EOF"}; !cmp.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
}

// TestLinesMemory: a line of 10 MB is skipped whole, and what is held does not grow with it.
func TestLinesMemory(t *testing.T) {
	const maxLine = 64 << 10
	input := io.MultiReader(strings.NewReader("a\n"), io.LimitReader(endless{}, 10<<20), strings.NewReader("\nb\n"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := readLines(input, maxLine)
	runtime.ReadMemStats(&after)
	if want := []string{"a", "<too_long>", "b"}; !cmp.Equal(got, want) || err != nil {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("%d bytes allocated for a line that is skipped", grown)
	}
}

// A zstd frame says in its header how large a window it needs (RFC 8878 section 3.1.1.1.2); one above the limit is
// refused before anything is allocated for it.
func TestZstdWindow(t *testing.T) {
	frame := func(exponent byte) []byte {
		return []byte{0x28, 0xb5, 0x2f, 0xfd, 0, exponent << 3, 2<<3 | 1, 0, 0, 'a', '\n'} // one raw block of two bytes
	}
	if got, err := readLines(bytes.NewReader(frame(17)), 0); err != nil || !cmp.Equal(got, []string{"a"}) {
		t.Errorf("128 MiB: %q, %v", got, err)
	}
	if _, err := readLines(bytes.NewReader(frame(18)), 0); !errors.Is(err, zstd.ErrWindowSizeExceeded) {
		t.Errorf("256 MiB: %v, want it refused", err)
	}
}

// endless reads as x without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzLines reads any bytes in bounded memory, and plain text exactly as bytes.Split does.
func FuzzLines(f *testing.F) {
	for name, compress := range compressors(f) {
		whole := compress("a\nb\r\n", strings.Repeat("c", 3000)+"\nd")
		f.Add(whole)
		f.Add(whole[:len(whole)/2])
		f.Add([]byte(name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const maxLine = 2000
		got, err := readLines(io.LimitReader(bytes.NewReader(data), 1<<20), maxLine)
		for _, magic := range []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "\xfd7zXZ\x00"} {
			if bytes.HasPrefix(data, []byte(magic)) {
				return
			}
		}
		var want []string
		for line := range bytes.SplitSeq(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
			if len(line) > maxLine {
				want = append(want, "<too_long>")
			} else {
				want = append(want, string(line))
			}
		}
		if len(data) == 0 {
			want = nil
		} else {
			want[0] = strings.TrimPrefix(want[0], bom)
		}
		if err != nil || !cmp.Equal(got, want) {
			t.Fatalf("%v: %s", err, cmp.Diff(want, got))
		}
	})
}
