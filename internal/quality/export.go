package quality

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"firebreak/policy"
	"firebreak/routing"
)

// sheet is one exported table. Cells are strings, numbers and booleans.
type sheet struct {
	name string
	head []string
	rows [][]any
}

// Export writes fleets, shards and answers into dir as csv (one header line) or json (one object a line). It makes dir
// where it does not exist, and overwrites the three files.
func Export(dir, format string, results []*Result) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	for _, s := range []sheet{fleetSheet(results), shardSheet(results), answerSheet(results)} {
		if err := s.write(filepath.Join(dir, s.name+"."+format), format); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	return nil
}

// ExportRecords writes a log of one fleet into dir as canonical CSV, see WriteRecords, and returns the file's name.
func ExportRecords(dir string, seed uint64) (name string, err error) {
	f, err := Draw(seed)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	name = filepath.Join(dir, fmt.Sprintf("records-%d.csv", seed))
	file, err := os.Create(name) //nolint:gosec // the folder is the user's own choice
	if err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	if err := WriteRecords(file, f); err != nil {
		return "", errors.Join(err, file.Close())
	}
	return name, file.Close()
}

func fleetSheet(results []*Result) sheet {
	s := sheet{name: "fleets", head: []string{
		"seed", "kind", "shards", "placement", "capacity", "samples", "zipf_keys", "zipf_tenants", "reads", "rate", "clump",
		"by_trace", "callers", "caller", "caller_share", "planted", "onset_s", "panes", "false_verdicts", "false_critical",
	}}
	for _, r := range results {
		s.rows = append(s.rows, []any{
			r.Seed, r.Kind.String(), r.Shards, r.Placement, r.Capacity, r.Samples, r.ZipfKeys, r.ZipfTenants, r.Reads, r.Rate, r.Clump,
			r.ByTrace, r.Callers, r.Caller, r.CallerShare, int(r.Planted), r.Onset.Seconds(), r.Panes, r.False, r.FalseCritical,
		})
	}
	return s
}

func shardSheet(results []*Result) sheet {
	s := sheet{name: "shards", head: []string{"seed", "shard", "before", "after", "counted"}}
	for _, r := range results {
		for i, l := range r.Loads {
			s.rows = append(s.rows, []any{r.Seed, i, l.Before, l.After, l.Counted})
		}
	}
	return s
}

func answerSheet(results []*Result) sheet {
	s := sheet{name: "answers", head: []string{
		"seed", "shard", "load", "ratio", "target", "effective", "onset_s", "promised", "windows", "found",
		"cause", "accepted", "margin", "admissible",
		"delay_s", "said_cause", "said_key", "said_tenant", "said_fix", "plans", "worst", "cause_outcome", "fix_outcome",
	}}
	for _, r := range results {
		for i := range r.Events {
			s.rows = append(s.rows, r.Events[i].answer(r.Seed))
		}
	}
	return s
}

// answer is one row of the answers.
func (e *Event) answer(seed uint64) []any {
	delay := -1.0
	if after, fired := e.Detected(); fired {
		delay = after.Seconds()
	}
	var last Line
	for _, l := range e.Lines {
		if l.Phase == policy.PhaseFiring {
			last = l
		}
	}
	worst := 0.0
	for _, p := range e.Proposals {
		worst = max(worst, p.Worst)
	}
	return []any{
		seed, int(e.Shard), e.Load, e.Ratio, e.Target, e.Effective, e.Onset.Seconds(), e.Promised, e.Windows, e.Found,
		e.Cause.String(), objects(e.Accepted), e.Margin, e.Admissible.String(),
		delay, last.Cause.String(), routing.Escape(last.Key), routing.Escape(last.Tenant), last.Fix.String(), len(e.Proposals), worst,
		e.CauseOutcome().String(), e.FixOutcome().String(),
	}
}

// objects joins "cause key@tenant" by semicolons.
func objects(list []Object) string {
	out := make([]string, 0, len(list))
	for _, o := range list {
		out = append(out, o.Cause.String()+" "+routing.Escape(o.Key)+"@"+routing.Escape(o.Tenant))
	}
	return strings.Join(out, ";")
}

// String joins the admissible fixes by spaces.
func (a *Admissible) String() string {
	var out []string
	for _, fix := range policy.Fixes() {
		if a[fix] {
			out = append(out, fix.String())
		}
	}
	return strings.Join(out, " ")
}

// write writes the sheet into a file.
func (s *sheet) write(path, format string) error {
	file, err := os.Create(path) //nolint:gosec // the folder is the user's own choice
	if err != nil {
		return err
	}
	if format == "json" {
		err = s.writeJSON(file)
	} else {
		err = s.writeCSV(file)
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

func (s *sheet) writeCSV(file *os.File) error {
	w := csv.NewWriter(file)
	if err := w.Write(s.head); err != nil {
		return err
	}
	cells := make([]string, len(s.head))
	for _, row := range s.rows {
		for i, cell := range row {
			cells[i] = fmt.Sprint(cell)
			if x, ok := cell.(float64); ok {
				cells[i] = strconv.FormatFloat(x, 'g', 6, 64)
			}
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// writeJSON writes one object a line, its members in alphabetical order. Numbers that JSON lacks are written as null.
func (s *sheet) writeJSON(file *os.File) error {
	w := json.NewEncoder(file)
	for _, row := range s.rows {
		object := make(map[string]any, len(s.head))
		for i, name := range s.head {
			object[name] = row[i]
			if x, ok := row[i].(float64); ok && (x-x != 0) {
				object[name] = nil
			}
		}
		if err := w.Encode(object); err != nil {
			return err
		}
	}
	return nil
}
