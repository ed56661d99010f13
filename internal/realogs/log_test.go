package realogs

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// request is one line of a canonical log.
type request struct {
	at          int64 // ms since 1970
	tenant, key string
	op          string // as logged
	count       float64
}

// readLog reads a canonical CSV, gzipped or plain, between two times (RFC 3339; empty = open). It is a second reader,
// apart from package record.
func readLog(t *testing.T, path, from, to string) []request {
	t.Helper()
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var r io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	lines := csv.NewReader(r)
	lines.LazyQuotes = true
	header, err := lines.Read()
	if err != nil || strings.Join(header, ",") != "ts_ms,tenant,key,op,weight" {
		t.Fatalf("%s: header %v, %v", path, header, err)
	}
	var out []request
	for {
		line, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		at, err1 := strconv.ParseInt(line[0], 10, 64)
		count, err2 := strconv.ParseFloat(line[4], 64)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if at >= instant(t, from, 0) && at < instant(t, to, 1<<62) {
			out = append(out, request{at, line[1], line[2], line[3], count})
		}
	}
}

// instant reads RFC 3339 as ms since 1970; empty is otherwise.
func instant(t *testing.T, text string, otherwise int64) int64 {
	t.Helper()
	if text == "" {
		return otherwise
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

// between cuts a log to [from, to), in ms since 1970.
func between(log []request, from, to int64) []request {
	var out []request
	for _, r := range log {
		if r.at >= from && r.at < to {
			out = append(out, r)
		}
	}
	return out
}

// bounds are the times of the first and the last request.
func bounds(log []request) (first, last int64) {
	first, last = log[0].at, log[0].at
	for _, r := range log {
		first, last = min(first, r.at), max(last, r.at)
	}
	return first, last
}
