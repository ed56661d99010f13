package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"firebreak/internal/survey"
	"firebreak/pipeline/record"
	"firebreak/policy"
)

// httpOps says that reads and writes are told apart by the method of HTTP: the ops of most of the first lines are methods,
// their keys are paths, and no rule looks at keys. Then a GET that writes counts as a read.
func httpOps(cfg record.Config, lines [][]byte) bool {
	if slices.ContainsFunc(cfg.Ops, func(r record.OpRule) bool { return r.On == "key" }) {
		return false
	}
	cfg.Ops = []record.OpRule{{Pattern: `(?i)^(get|head|post|put|patch|delete|options)$`, Op: "read"}, {Pattern: `.`, Op: "unknown"}}
	d, err := record.NewDecoder(cfg)
	if err != nil {
		return false
	}
	read, both := 0, 0
	decoded(d, lines, func(rec *record.Record) bool {
		read++
		if rec.Op == record.OpRead && (bytes.HasPrefix(rec.Key, []byte("/")) || bytes.Contains(rec.Key, []byte("://"))) {
			both++
		}
		return true
	})
	return both*2 > read
}

// decoded gives the records of the first lines of a file, its header left out, until see is false.
func decoded(d *record.Decoder, lines [][]byte, see func(*record.Record) bool) {
	for len(lines) > 0 && len(bytes.TrimSpace(lines[0])) == 0 {
		lines = lines[1:]
	}
	if d.NeedsHeader() && len(lines) > 0 {
		if d.Header(lines[0]) != nil {
			return
		}
		lines = lines[1:]
	}
	var rec record.Record
	for _, l := range lines {
		if d.Decode(l, &rec) == record.ReasonNone && !see(&rec) {
			return
		}
	}
}

// httpOps says it of one fleet: of any of its files.
func (r *replay) httpOps(fleet int) bool {
	return slices.ContainsFunc(r.inputs, func(in *input) bool { return in.http[fleet] })
}

// advisedKeys is how many keys a finding names.
const advisedKeys = 3

// advise keeps the keys for which a cache or a salt was told, the first few.
func (s *said) advise(v *policy.Verdict) {
	by := v.Fix == policy.FixCache || v.Fix == policy.FixSalt
	if by && v.Key != "" && v.OpUnknown <= 0.5 && len(s.advisedKeys) < advisedKeys && !slices.Contains(s.advisedKeys, v.Key) {
		s.advisedKeys = append(s.advisedKeys, v.Key)
	}
}

// doubt is the finding that a cache or a salt rests on methods of HTTP; nil = none does.
func (s *said) doubt() *policy.Finding {
	if len(s.advisedKeys) == 0 {
		return nil
	}
	var names []string
	for _, key := range s.advisedKeys {
		text := fmt.Sprintf("%q", key)
		if survey.NameWrites(key) {
			text += " (whose name says that it writes)"
		}
		names = append(names, text)
	}
	return &policy.Finding{Reason: "reads and writes are told apart by the method of HTTP alone, and a cache or a salt was told for " + strings.Join(names, ", ") +
		": if a GET of it writes, or a POST only reads, a rule in record.ops has to say so, and the fix is the other one"}
}
