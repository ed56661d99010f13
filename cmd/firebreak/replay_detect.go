package main

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"firebreak/internal/config"
	"firebreak/pipeline/record"
)

// sampleLines and sampleBytes bound what is read to find a log's format.
const (
	sampleLines = 64
	sampleBytes = 256 << 10
)

// detect finds the configuration that reads most of a file's first lines, base with a preset filled in and, where it has
// none, a format. Of equals the first in this order wins; a header alone is enough for csv and tsv. If none reads any line the
// error is a *formatError.
func detect(base record.Config, lines [][]byte) (record.Config, error) {
	best, bestScore := base, 0
	for _, c := range []record.Config{
		{Preset: "canonical", Format: "csv"},
		{Preset: "canonical", Format: "tsv"},
		{Preset: "combined"},
		{Preset: "canonical", Format: "json"},
		{Preset: "envoy-json"},
		{Preset: "nginx-json"},
		{Preset: "canonical", Format: "logfmt"},
	} {
		try := base
		try.Preset = c.Preset
		if base.Format == "" {
			try.Format = c.Format
		}
		if score := readable(try, lines); score > bestScore {
			best, bestScore = try, score
		}
	}
	if bestScore == 0 {
		return base, newFormatError(base.Format, lines)
	}
	return best, nil
}

// readable scores how much of the lines a configuration reads: a record 4, its time and key 2 each, a header 1.
func readable(cfg record.Config, lines [][]byte) int {
	d, err := record.NewDecoder(cfg)
	if err != nil || len(lines) == 0 {
		return 0
	}
	score := 0
	if d.NeedsHeader() {
		if d.Header(lines[0]) != nil {
			return 0
		}
		lines, score = lines[1:], 1
	}
	var rec record.Record
	for _, line := range lines {
		if d.Decode(line, &rec) != record.ReasonNone {
			continue
		}
		score += 4
		if rec.Time != record.NoTime {
			score += 2
		}
		if rec.Key != nil {
			score += 2
		}
	}
	return score
}

// unread lists the columns of a header that the canonical format has no use for: the log may know more than is read of it.
func unread(cfg record.Config, header []byte) []string {
	d, err := record.NewDecoder(cfg)
	if err != nil || !d.NeedsHeader() {
		return nil
	}
	separator := ","
	if cfg.Format == "tsv" {
		separator = "\t"
	}
	canonical := []string{"ts_ms", "tenant", "key", "op", "weight", "rate", "shard", "caller", "bytes", "latency_us", "status"}
	var names []string
	for column := range bytes.SplitSeq(bytes.TrimRight(header, "\r\n"), []byte(separator)) {
		if name := string(bytes.Trim(column, `" `)); name != "" && !slices.Contains(canonical, name) {
			names = append(names, name)
		}
	}
	return names
}

// decoder makes a fleet's decoder for this file.
func (in *input) decoder(f *config.Fleet) (*record.Decoder, error) {
	cfg := f.Record
	if f.DetectsFormat() {
		lines := in.firstLines()
		if len(lines) == 0 && in.err != nil {
			var refused refusedLine
			if !errors.Is(in.err, io.EOF) && !errors.As(in.err, &refused) {
				return nil, in.err
			}
			if !errors.As(in.err, &refused) {
				return nil, errEmpty
			}
		}
		var err error
		if cfg, err = detect(cfg, lines); err != nil {
			return nil, err
		}
		in.unread = append(in.unread, unread(cfg, lines[0])...)
	}
	in.http = append(in.http, httpOps(cfg, in.ahead))
	return record.NewDecoder(cfg)
}

// errEmpty is a file without a line.
var errEmpty = errors.New("the file is empty")

// namesShards decodes the first lines once more, to see whether the log names the shard.
func (in *input) namesShards() bool {
	named := false
	for _, d := range in.decoders {
		decoded(d, in.ahead, func(rec *record.Record) bool {
			named = named || rec.Shard != nil
			return !named
		})
	}
	return named
}
