package decode

import (
	"fmt"

	"firebreak/pipeline/record"
)

// Ours is the name of the decoders of pipeline/record in the table.
const Ours = "firebreak"

// ours returns the decoders of pipeline/record.
func ours() []Contender {
	var all []Contender
	for _, format := range Formats() {
		open := openLines
		if format == "csv" {
			open = openFile
		}
		all = append(all, Contender{Format: format, Name: Ours, Open: open})
	}
	return all
}

// openLines reads line by line.
func openLines(c *Corpus) (pass func() (Sum, error), err error) {
	d, err := record.NewDecoder(config(c.Format))
	if err != nil {
		return nil, err
	}
	if err := d.Header(c.Header); err != nil {
		return nil, err
	}
	var rec record.Record
	return func() (Sum, error) {
		var sum Sum
		for _, line := range c.Lines {
			if reason := d.Decode(line, &rec); reason != record.ReasonNone {
				return Sum{}, refused(line, reason)
			}
			sum.add(&rec)
		}
		return sum, nil
	}, nil
}

// openFile reads a file that has no end, as a reader of CSV does that finds the lines itself.
func openFile(c *Corpus) (pass func() (Sum, error), err error) {
	d, err := record.NewDecoder(config(c.Format))
	if err != nil {
		return nil, err
	}
	lines, err := record.OpenLines(&endless{text: c.Text, again: len(c.Header) + 1}, 0)
	if err != nil {
		return nil, err
	}
	header, _, err := lines.Next()
	if err != nil {
		return nil, err
	}
	if err := d.Header(header); err != nil {
		return nil, err
	}
	var rec record.Record
	return func() (Sum, error) {
		var sum Sum
		for range c.Lines {
			line, reason, err := lines.Next()
			if err != nil {
				return Sum{}, err
			}
			if reason == record.ReasonNone {
				reason = d.Decode(line, &rec)
			}
			if reason != record.ReasonNone {
				return Sum{}, refused(line, reason)
			}
			sum.add(&rec)
		}
		return sum, nil
	}, nil
}

// endless reads a text and then, for ever, what of it begins at again.
type endless struct {
	text      []byte
	again, at int
}

// Read implements io.Reader.
func (e *endless) Read(p []byte) (n int, err error) {
	if e.at == len(e.text) {
		e.at = e.again
	}
	n = copy(p, e.text[e.at:])
	e.at += n
	return n, nil
}

// refused describes a line that gave no record.
func refused(line []byte, reason record.Reason) error {
	return fmt.Errorf("refused as %s: %.80q", reason, line)
}

// add adds a record.
func (s *Sum) add(r *record.Record) {
	s.Records++
	s.Time += r.Time / 1e6
	s.Text += len(r.Tenant) + len(r.Key) + len(r.Shard)
	if r.Op != record.OpRead {
		s.Writes++
	}
	s.Weight += r.Count
	s.Bytes += r.Bytes
	s.Latency += r.Latency
	s.Status += r.Status
}

// config maps the nine fields.
func config(format string) record.Config {
	switch format {
	case "csv", "csv-values":
		return record.Config{Preset: "canonical", Format: "csv"}
	case "logfmt":
		return record.Config{Preset: "canonical", Format: "logfmt"}
	case "combined":
		return record.Config{Preset: "combined"}
	default:
		return record.Config{Preset: "canonical", Format: "json"}
	}
}
