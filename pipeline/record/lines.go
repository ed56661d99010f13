package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

const (
	// readSize is the buffer in front of the input and of the lines, in bytes.
	readSize = 64 << 10
	// zstdWindow is the largest window that a zstd frame may ask for, that of zstd --long: 128 MiB.
	zstdWindow = 128 << 20
)

// Lines yields the lines of one file. OpenLines makes it; it belongs to one goroutine. Memory is maxLine, two buffers of
// 64 KiB and the decompressor's window: 32 KiB for gzip, at most 128 MiB for zstd (a file that asks for more is
// refused), and for xz the dictionary that the file asks for: 64 MiB at xz -9, 4 GiB at most.
type Lines struct {
	r       *bufio.Reader
	format  string // gzip, zstd, xz, or empty
	closer  func()
	buf     []byte
	maxLine int
	count   uint64
	err     error // what the last Next gave
	// ahead is what r has in its buffer behind the last line, and passed how much of that buffer was given out since
	// r last knew.
	ahead  []byte
	passed int
}

// OpenLines starts to read lines from r, whose compression (gzip, also of several members, zstd, xz, none) it finds by
// the first bytes. maxLine is in bytes without the line end; 0 = 1 MiB. It reads from r, and its errors are r's and
// the decompressor's. The caller closes both the Lines and r.
func OpenLines(r io.Reader, maxLine int) (*Lines, error) {
	if maxLine <= 0 {
		maxLine = defaultMaxLine
	}
	l := &Lines{maxLine: maxLine, closer: func() {}}
	raw := bufio.NewReaderSize(r, readSize)
	magic, err := raw.Peek(6)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read: %w", err)
	}
	var plain io.Reader = raw
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		l.format = "gzip"
		plain, err = gzip.NewReader(raw)
	case bytes.HasPrefix(magic, []byte("\x28\xb5\x2f\xfd")):
		l.format = "zstd"
		plain, err = l.openZstd(raw)
	case bytes.HasPrefix(magic, []byte("\xfd7zXZ\x00")):
		l.format = "xz"
		plain, err = xz.NewReader(raw)
	default:
		err = nil
	}
	if err != nil {
		return nil, l.fail(err)
	}
	l.r = raw
	if l.format != "" {
		l.r = bufio.NewReaderSize(plain, readSize)
	}
	return l, nil
}

// openZstd reads a zstd stream on this goroutine with bounded memory.
func (l *Lines) openZstd(raw io.Reader) (io.Reader, error) {
	z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, err
	}
	l.closer = z.Close
	return z, nil
}

// Close frees the decompressor. It does not close the reader that OpenLines was given.
func (l *Lines) Close() error {
	l.closer()
	l.closer = func() {}
	return nil
}

// Next returns the next line without its line feed (a carriage return before it is left to Decode) and without a byte
// order mark at the start of the file; it is valid until the next call. reason is ReasonNone, or
//   - ReasonTooLong: the line was longer than maxLine and was skipped whole; line is nil;
//   - ReasonTruncated: the input broke off in the middle of this line; line is nil and the next call gives the error.
//
// err is io.EOF at the end. Any other err says that the input could not be read to its end; the lines before it were
// good. After an err every call gives it again.
func (l *Lines) Next() (line []byte, reason Reason, err error) {
	if i := bytes.IndexByte(l.ahead, '\n'); i >= 0 && i <= l.maxLine {
		line, l.ahead = l.ahead[:i:i], l.ahead[i+1:]
		l.passed += i + 1
		l.count++
		return line, ReasonNone, nil
	}
	return l.fill()
}

// fill is Next where the buffer does not hold the next line.
func (l *Lines) fill() (line []byte, reason Reason, err error) {
	if l.err != nil {
		return nil, ReasonNone, l.err
	}
	_, _ = l.r.Discard(l.passed) // no error: these bytes are in the buffer
	l.passed, l.ahead = 0, nil
	first := l.count == 0
	line, reason, err = l.next()
	if first {
		line = bytes.TrimPrefix(line, []byte(bom))
	}
	l.ahead, _ = l.r.Peek(l.r.Buffered()) // as above; the line stays where it is
	return line, reason, err
}

// next is Next but for the byte order mark and for what was given before.
func (l *Lines) next() (line []byte, reason Reason, err error) {
	l.buf = l.buf[:0]
	size := 0
	for {
		part, err := l.r.ReadSlice('\n')
		size += len(part)
		switch {
		case err == nil:
			size--
			part = part[:len(part)-1]
		case !errors.Is(err, bufio.ErrBufferFull):
			return l.end(part, size, err)
		}
		done := err == nil
		if done && size <= l.maxLine && len(l.buf) == 0 {
			l.count++
			return part, ReasonNone, nil
		}
		if size <= l.maxLine {
			l.buf = append(l.buf, part...)
		}
		if done {
			return l.finish(size)
		}
	}
}

// finish gives the line that buf holds, unless it was too long for it.
func (l *Lines) finish(size int) (line []byte, reason Reason, err error) {
	l.count++
	if size > l.maxLine {
		return nil, ReasonTooLong, nil
	}
	return l.buf, ReasonNone, nil
}

// end handles what stands behind the last line feed when the input is over, well or not.
func (l *Lines) end(part []byte, size int, err error) (line []byte, reason Reason, _ error) {
	l.err = io.EOF
	whole := errors.Is(err, io.EOF)
	if !whole {
		l.err = l.fail(err)
	}
	switch {
	case size == 0:
		return nil, ReasonNone, l.err
	case !whole:
		return nil, ReasonTruncated, nil
	case size <= l.maxLine:
		l.buf = append(l.buf, part...)
	}
	return l.finish(size)
}

// fail describes an input that cannot be read on.
func (l *Lines) fail(err error) error {
	format := l.format
	if format == "" {
		format = "plain"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("%s input ends too early, after %d lines: %w", format, l.count, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s input cannot be read on after %d lines: %w", format, l.count, err)
}
