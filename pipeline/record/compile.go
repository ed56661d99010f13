package record

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	formatJSON     = "json"
	formatCSV      = "csv"
	formatTSV      = "tsv"
	formatCombined = "combined"
	formatLogfmt   = "logfmt"

	minMaxLine = 1 << 10
	maxMaxLine = 64 << 20
	// maxColumns bounds the column numbers of a log without a header, and with them the memory of a row.
	maxColumns = 4096
)

// Validate says everything that is wrong with the configuration, as joined *ConfigError values. It fills nothing.
func (c Config) Validate() error {
	_, err := NewDecoder(c)
	return err
}

// NewDecoder compiles the configuration. Its error is the one of Validate.
func NewDecoder(cfg Config) (*Decoder, error) {
	cfg, err := cfg.resolve()
	if err != nil {
		return nil, err
	}
	d := &Decoder{
		rate:      cfg.Rate,
		maxLine:   cfg.MaxLine,
		strip:     cfg.StripQuery != nil && *cfg.StripQuery,
		throttled: byteSlices(cfg.Throttled),
		absent:    byteSlices(cfg.Absent),
		oneLine:   cfg.Format == formatCombined || cfg.Format == formatLogfmt,
	}
	problems := []error{checkNumbers(cfg)}
	problems = append(problems, d.compileFields(cfg)...)
	problems = append(problems, d.compileRules(cfg)...)
	if d.clock, err = newClock(cfg.Time, len(d.fields[fieldTime].slots) > 0); err != nil {
		problems = append(problems, configError("time", "%v", err))
	}
	nanos, err := unitNanos(cfg.LatencyUnit)
	if err != nil {
		problems = append(problems, configError("latency_unit", "%v", err))
	}
	d.micros = float64(nanos) / float64(time.Microsecond)
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	d.vals = make([]value, len(d.paths))
	return d, d.newSplitter(cfg)
}

// newSplitter chooses the format's splitter.
func (d *Decoder) newSplitter(cfg Config) error {
	switch cfg.Format {
	case formatJSON:
		d.split = newJSONSplitter(d.paths)
	case formatCSV:
		d.csv = newCSVSplitter(',', !cfg.NoHeader, d.paths)
		d.split = d.csv
	case formatTSV:
		d.csv = newCSVSplitter('\t', !cfg.NoHeader, d.paths)
		d.split = d.csv
	case formatCombined:
		d.split = newCombinedSplitter(d.paths)
	case formatLogfmt:
		d.split = newLogfmtSplitter(d.paths)
	default:
		return configError("format", "%q is not known: want json, csv, tsv, combined, logfmt", cfg.Format)
	}
	return nil
}

// checkNumbers checks what is neither a field nor a rule.
func checkNumbers(cfg Config) error {
	var problems []error
	if !(cfg.Rate > 0 && cfg.Rate <= 1) {
		problems = append(problems, configError("rate", "%v is not a probability in (0, 1]", cfg.Rate))
	}
	if cfg.MaxLine < minMaxLine || cfg.MaxLine > maxMaxLine {
		problems = append(problems, configError("max_line", "%d is not between %d and %d bytes", cfg.MaxLine, minMaxLine, maxMaxLine))
	}
	if cfg.NoHeader && cfg.Format != formatCSV && cfg.Format != formatTSV {
		problems = append(problems, configError("no_header", "only csv and tsv have headers, not %s", cfg.Format))
	}
	for i, s := range cfg.Throttled {
		if s == "" {
			problems = append(problems, configError(fmt.Sprintf("throttled[%d]", i), "empty"))
		}
	}
	return errors.Join(problems...)
}

// compileFields compiles every field and checks that one of them can identify a record.
func (d *Decoder) compileFields(cfg Config) (problems []error) {
	for i, f := range cfg.Fields.all() {
		s, err := newSource(*f, "fields."+fieldName(i), cfg.Format, cfg.NoHeader, &d.paths)
		if err != nil {
			problems = append(problems, err)
		}
		d.fields[i] = s
	}
	if cfg.Fields.Key.isZero() && cfg.Fields.Tenant.isZero() && cfg.Fields.Shard.isZero() {
		problems = append(problems, configError("fields", "map at least one of key, tenant and shard, or name a preset"))
	}
	return problems
}

// compileRules compiles the match and the op rules.
func (d *Decoder) compileRules(cfg Config) (problems []error) {
	for i, m := range cfg.Match {
		compiled, err := newMatch(m, cfg.Format, cfg.NoHeader, &d.paths)
		if err != nil {
			problems = append(problems, configError(fmt.Sprintf("match[%d]", i), "%v", err))
			continue
		}
		d.match = append(d.match, compiled)
	}
	for i, r := range cfg.Ops {
		rule, err := newOpRule(r)
		if err != nil {
			problems = append(problems, configError(fmt.Sprintf("ops[%d]", i), "%v", err))
			continue
		}
		d.ops = append(d.ops, rule)
	}
	return problems
}

// checkPath checks a path against what the format can name.
func checkPath(path, format string, noHeader bool) error {
	switch {
	case path == "":
		return errors.New("empty path")
	case format == formatJSON:
		_, err := splitPath(path)
		return err
	case noHeader:
		if _, ok := columnNumber(path); !ok {
			return fmt.Errorf("%q is not a column number from 1 to %d, which a log without a header needs", path, maxColumns)
		}
	case format == formatCombined:
		if combinedIndex(path) < 0 {
			return fmt.Errorf("%q is not a part of the combined log: want %s", path, strings.Join(combinedNames(), ", "))
		}
	}
	return nil
}

// byteSlices converts texts.
func byteSlices(texts []string) [][]byte {
	out := make([][]byte, len(texts))
	for i, s := range texts {
		out[i] = []byte(s)
	}
	return out
}
