package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"firebreak/internal/config"
	"firebreak/pipeline/record"
)

// input is one file of a replay, as a stream of records for each fleet. It is a pipeline.Stream.
type input struct {
	path     string
	file     io.Closer // nil for standard input
	lines    *record.Lines
	ahead    [][]byte // first lines, read to find the format
	err      error    // what ended the first lines
	decoders []*record.Decoder
	records  []record.Record // by fleet
	fleet    int             // next fleet for the current line
	line     []byte
	header   bool // the header was read
	inside   func(int64) bool
	tallies  []tally
	total    *uint64  // lines read, of all inputs
	unread   []string // columns that the format found has no use for
	named    bool     // one of the first records names its shard
	http     []bool   // by fleet: its ops are methods of HTTP, see httpOps
}

// tally counts by fleet what never reached it.
type tally struct {
	reasons map[record.Reason]uint64
	outside uint64 // of --from and --to
}

// openInput opens a file, - for standard input, and finds its format. count is told how many bytes were read.
func openInput(path string, stdin io.Reader, fleets []config.Fleet, count io.Writer) (*input, error) {
	in := &input{path: path}
	r := stdin
	if path != "-" {
		f, err := os.Open(path) //nolint:gosec // G304: the file that the user names
		if err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, errors.Join(fmt.Errorf("%s: is a directory: want a file, or - for standard input", path), f.Close())
		}
		r, in.file = f, f
	}
	longest := 0
	for i := range fleets {
		longest = max(longest, fleets[i].Record.MaxLine)
	}
	var err error
	if in.lines, err = record.OpenLines(io.TeeReader(r, count), longest); err != nil {
		return nil, errors.Join(in.wrap(err), in.Close())
	}
	in.sample()
	for i := range fleets {
		d, err := in.decoder(&fleets[i])
		if err != nil {
			return nil, errors.Join(in.wrap(err), in.Close())
		}
		in.decoders = append(in.decoders, d)
		in.tallies = append(in.tallies, tally{reasons: map[record.Reason]uint64{}})
	}
	in.records = make([]record.Record, len(fleets))
	in.fleet = len(fleets)
	in.named = in.namesShards()
	return in, nil
}

func (in *input) wrap(err error) error { return fileError{in.path, err} }

// fileError is an error of a file.
type fileError struct {
	path string
	err  error
}

func (e fileError) Error() string { return e.path + ": " + e.err.Error() }
func (e fileError) Unwrap() error { return e.err }

// Close closes the file.
func (in *input) Close() error {
	var err error
	if in.lines != nil {
		err = in.lines.Close()
	}
	if in.file != nil {
		err = errors.Join(err, in.file.Close())
	}
	return err
}

// sample reads the first lines and keeps them.
func (in *input) sample() {
	size := 0
	for len(in.ahead) < sampleLines && size < sampleBytes {
		line, reason, err := in.lines.Next()
		if err != nil {
			in.err = err
			return
		}
		if reason != record.ReasonNone {
			in.err = refusedLine{reason}
			return
		}
		in.ahead = append(in.ahead, bytes.Clone(line))
		size += len(line)
	}
}

// refusedLine is a line that Lines refused among the first ones: sampling ends before it.
type refusedLine struct{ reason record.Reason }

func (r refusedLine) Error() string { return "line refused: " + r.reason.String() }

// Next gives the next record of the file and its fleet.
func (in *input) Next() (int, *record.Record, error) {
	for {
		for in.fleet < len(in.decoders) {
			i := in.fleet
			in.fleet++
			rec := &in.records[i]
			if reason := in.decoders[i].Decode(in.line, rec); reason != record.ReasonNone {
				in.tallies[i].reasons[reason]++
				continue
			}
			if rec.Time != record.NoTime && !in.inside(rec.Time) {
				in.tallies[i].outside++
				continue
			}
			return i, rec, nil
		}
		if err := in.advance(); err != nil {
			return 0, nil, err
		}
	}
}

// advance reads the next line, the header first.
func (in *input) advance() error {
	line, reason, err := in.nextLine()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return in.wrap(err)
	}
	*in.total++
	if reason != record.ReasonNone {
		for i := range in.tallies {
			in.tallies[i].reasons[reason]++
		}
		return nil
	}
	if !in.header {
		if used, err := in.readHeader(line); used || err != nil {
			return err
		}
	}
	in.line, in.fleet = line, 0
	return nil
}

// readHeader gives the first line that is not blank to the decoders that want it. used says that it is no record.
func (in *input) readHeader(line []byte) (used bool, err error) {
	blank := len(bytes.TrimSpace(line)) == 0
	in.header = !blank
	for _, d := range in.decoders {
		if !d.NeedsHeader() {
			continue
		}
		used = true
		if blank {
			continue
		}
		if err := d.Header(line); err != nil {
			return true, in.wrap(err)
		}
	}
	if used {
		*in.total--
	}
	return used, nil
}

// nextLine gives the first lines again and then the others.
func (in *input) nextLine() ([]byte, record.Reason, error) {
	if len(in.ahead) > 0 {
		line := in.ahead[0]
		in.ahead = in.ahead[1:]
		return line, record.ReasonNone, nil
	}
	if err := in.err; err != nil {
		var refused refusedLine
		if !errors.As(err, &refused) {
			return nil, record.ReasonNone, err
		}
		in.err = nil
		return nil, refused.reason, nil
	}
	return in.lines.Next()
}
