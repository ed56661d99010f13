package decode

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/bench/measure"
	"firebreak/pipeline/record"
)

// TestOursReadsWhatWasWritten compares every field of every record, which the sums of a run cannot.
func TestOursReadsWhatWasWritten(t *testing.T) {
	for _, format := range Formats() {
		c, err := NewCorpus(format, 300, 7)
		if err != nil {
			t.Fatal(err)
		}
		d, err := record.NewDecoder(config(format))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Header(c.Header); err != nil {
			t.Fatal(err)
		}
		for i, line := range c.Lines {
			var rec record.Record
			if reason := d.Decode(line, &rec); reason != record.ReasonNone {
				t.Fatalf("%s: %s: %v", format, line, reason)
			}
			got := Row{
				TS: rec.Time / 1e6, Tenant: string(rec.Tenant), Key: string(rec.Key), Op: c.Rows[i].Op, Weight: rec.Count,
				Shard: string(rec.Shard), Bytes: rec.Bytes, Latency: rec.Latency, Status: rec.Status,
			}
			if !cmp.Equal(got, c.Rows[i]) || (rec.Op == record.OpRead) != (c.Rows[i].Op == "GET") {
				t.Fatalf("%s: %s", line, cmp.Diff(c.Rows[i], got))
			}
		}
	}
}

// TestCorpus: the logs are what the table says of them.
func TestCorpus(t *testing.T) {
	c, err := NewCorpus("json", 1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	if size := c.Size(); size < 262 || size > 278 {
		t.Errorf("a record has %.0f bytes, want about 270", size)
	}
	var members map[string]any
	if err := json.Unmarshal(c.Lines[0], &members); err != nil || len(members) != 14 {
		t.Errorf("%d members, %v, want 14", len(members), err)
	}
	again, err := NewCorpus("json", 1000, 1)
	if err != nil || !bytes.Equal(c.Text, again.Text) {
		t.Errorf("the same seed writes another log: %v", err)
	}
	if _, err := NewCorpus("xml", 1, 1); err == nil {
		t.Error("an unknown format is written")
	}
}

// TestRun runs everything briefly; a contender that reads something else is an error before anything is measured.
func TestRun(t *testing.T) {
	cfg := Config{Config: measure.Config{Round: time.Microsecond}, Records: 30}
	table, err := Run(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := table.Write(&out); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1+len(ours())+len(standard()) {
		t.Errorf("%d lines:\n%s", lines, out.String())
	}
	for i, e := range table {
		if first := i == 0 || table[i-1].Format != e.Format; first != (e.Name == Ours) {
			t.Errorf("line %d of %s is %s: ours comes first", i, e.Format, e.Name)
		}
		if e.Name == Ours && (e.Times != 1 || e.Nanos <= 0) {
			t.Errorf("%+v: ours takes 1 time as long as ours", e)
		}
	}
	for _, bad := range []Contender{
		{Format: "json", Name: "lazy", Open: ByLine(func([]byte, *Row) error { return nil })},
		{Format: "xml", Name: "lost", Open: ByLine(func([]byte, *Row) error { return nil })},
	} {
		cfg.Others = []Contender{bad}
		if _, err := Run(cfg); err == nil || !strings.Contains(err.Error(), bad.Name) {
			t.Errorf("%s: %v, want an error that names it", bad.Name, err)
		}
	}
}
