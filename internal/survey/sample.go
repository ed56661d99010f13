package survey

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"firebreak/pipeline/record"
)

// Limit bounds what is kept of a sample. The zero value of a field is its default.
type Limit struct {
	Lines int // 0 = 10,000
	Bytes int // 0 = 8 MiB, without line ends
}

const (
	// DefaultLines and 8 MiB are kept of a sample.
	DefaultLines = 10_000
	defaultBytes = 8 << 20
)

// Sample is the head of one log, of one file or of several partitions. Its zero value is empty; Add fills it.
type Sample struct {
	asked Limit // of all parts
	limit Limit // of each
	parts []part
}

// part is the head of one file.
type part struct {
	name    string
	lines   []line
	refused []line // that could not even be read as a line; no bytes
	blank   int
	cut     bool  // the file goes on behind the limit
	heavy   bool  // it was cut for its bytes, before the lines that were asked for
	broken  error // what ended the file before its end
}

// line is one line that is not blank.
type line struct {
	number int // in its file, from 1
	part   int // of the sample
	bytes  []byte
	reason record.Reason
}

// NewSample makes an empty sample. Each of parts files gets an equal part of the limit.
func NewSample(limit Limit, parts int) *Sample {
	if limit.Lines <= 0 {
		limit.Lines = DefaultLines
	}
	if limit.Bytes <= 0 {
		limit.Bytes = defaultBytes
	}
	parts = max(1, parts)
	return &Sample{asked: limit, limit: Limit{Lines: max(1, limit.Lines/parts), Bytes: max(1, limit.Bytes/parts)}}
}

// Add reads the head of a file: plain, gzip, zstd or xz. A file that breaks off is used as far as it goes; one that gives
// no line at all is an error that names it.
func (s *Sample) Add(name string, r io.Reader) error {
	lines, err := record.OpenLines(r, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer func() { _ = lines.Close() }() // frees the decompressor; there is nothing to report
	p := part{name: name}
	for size, number := 0, 1; ; number++ {
		text, reason, err := lines.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.broken = err
			}
			break
		}
		if enough := len(p.lines)+len(p.refused) >= s.limit.Lines; enough || size >= s.limit.Bytes {
			p.cut, p.heavy = true, !enough
			break
		}
		switch {
		case reason != record.ReasonNone:
			p.refused = append(p.refused, line{number: number, part: len(s.parts), reason: reason})
		case len(bytes.TrimSpace(text)) == 0:
			p.blank++
		default:
			p.lines = append(p.lines, line{number: number, part: len(s.parts), bytes: bytes.Clone(text)})
			size += len(text)
		}
	}
	if len(p.lines) == 0 {
		return p.nothing()
	}
	s.parts = append(s.parts, p)
	return nil
}

// nothing says why a file gave no line.
func (p *part) nothing() error {
	switch {
	case p.broken != nil:
		return fmt.Errorf("%s: %w", p.name, p.broken)
	case len(p.refused) > 0:
		return fmt.Errorf("%s: no line can be read: line %d is longer than 1 MiB", p.name, p.refused[0].number)
	case p.blank > 0:
		return fmt.Errorf("%s: nothing but blank lines", p.name)
	}
	return fmt.Errorf("%s: the file is empty", p.name)
}

// size is the number of lines, headers included.
func (s *Sample) size() int {
	n := 0
	for i := range s.parts {
		n += len(s.parts[i].lines)
	}
	return n
}

// whole says that the sample is all of its log.
func (s *Sample) whole() bool {
	for i := range s.parts {
		if s.parts[i].cut || s.parts[i].broken != nil {
			return false
		}
	}
	return true
}

// goesOn says that some file of the log has more than the sample.
func (s *Sample) goesOn() bool {
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.cut })
}

// heavy says that some file was cut for its bytes.
func (s *Sample) heavy() bool {
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.heavy })
}

// Extent says for people how much of its log a sample is: all of it, its first lines, or fewer than were asked for,
// because they are long.
func (s *Sample) Extent() string {
	lines := 0
	for i := range s.parts {
		lines += len(s.parts[i].lines) + len(s.parts[i].refused)
	}
	switch {
	case s.heavy():
		return fmt.Sprintf("the first %s: %s, not the %s that were asked for; the log goes on", inBytes(s.asked.Bytes), counted(lines, "line", "lines"), grouped(s.asked.Lines))
	case s.goesOn():
		return fmt.Sprintf("the first %s; the log goes on", counted(lines, "line", "lines"))
	case !s.whole():
		return fmt.Sprintf("%s, as far as it can be read", counted(lines, "line", "lines"))
	}
	return fmt.Sprintf("the whole log, %s", counted(lines, "line", "lines"))
}

// inBytes writes a number of bytes.
func inBytes(bytes int) string {
	if bytes < 1<<20 {
		return counted(bytes, "byte", "bytes")
	}
	return grouped(bytes>>20) + " MiB"
}

// decode gives every line but headers to a decoder of cfg, in order, until see is false; i counts them from 0. A header
// that cfg cannot use is an error.
func (s *Sample) decode(cfg record.Config, see func(i int, l *line, rec *record.Record, reason record.Reason) bool) error {
	d, err := record.NewDecoder(cfg)
	if err != nil {
		return err
	}
	var rec record.Record
	i := 0
	for p := range s.parts {
		part := &s.parts[p]
		lines := part.lines
		if d.NeedsHeader() {
			if err := d.Header(lines[0].bytes); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
			lines = lines[1:]
		}
		for l := range lines {
			reason := d.Decode(lines[l].bytes, &rec)
			if !see(i, &lines[l], &rec, reason) {
				return nil
			}
			i++
		}
	}
	return nil
}

// Head are the first n lines that are not blank, headers included.
func (s *Sample) Head(n int) [][]byte {
	var out [][]byte
	for i := range s.parts {
		for _, l := range s.parts[i].lines {
			if len(out) == n {
				return out
			}
			out = append(out, l.bytes)
		}
	}
	return out
}
