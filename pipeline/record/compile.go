package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	formatJSON     = "json"
	formatCSV      = "csv"
	formatTSV      = "tsv"
	formatCombined = "combined"
	formatLogfmt   = "logfmt"
	// Formats of messages only: a value that is not read, and one in the frame of Confluent's serializers.
	formatNone      = "none"
	formatConfluent = "confluent"

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
	d := &Decoder{
		rate:      cfg.Rate,
		maxLine:   cfg.MaxLine,
		strip:     cfg.StripQuery != nil && *cfg.StripQuery,
		throttled: byteSlices(cfg.Throttled),
		absent:    byteSlices(cfg.Absent),
		oneLine:   cfg.Format == formatCombined || cfg.Format == formatLogfmt,
		opaque:    cfg.Format == formatNone,
		lines:     cfg.Lines,
	}
	problems := append([]error{err}, checkNumbers(cfg)...)
	cfg.NoHeader = cfg.NoHeader && hasHeaders(cfg.Format)
	if err == nil { // else nobody knows what the fields are, or how they are named
		problems = append(problems, d.compileFields(cfg)...)
	}
	problems = append(problems, d.compileRules(cfg)...)
	problems = append(problems, d.compileUnits(cfg)...)
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	d.wire()
	d.newSplitter(cfg)
	if cfg.Header != "" {
		if err := d.columns(cfg.Header); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Formats lists the formats of a line. Config.Format also takes confluent and none, which only messages have.
func Formats() []string {
	return []string{formatJSON, formatCSV, formatTSV, formatCombined, formatLogfmt}
}

// ofMessages tells the formats that no line can have.
func ofMessages(format string) bool { return format == formatNone || format == formatConfluent }

func hasHeaders(format string) bool { return format == formatCSV || format == formatTSV }

// checkNumbers checks what is neither a field nor a rule.
func checkNumbers(cfg Config) (problems []error) {
	if cfg.Format != "" && !ofMessages(cfg.Format) && !slices.Contains(Formats(), cfg.Format) {
		problems = append(problems, oneOf("format", cfg.Format, Formats()))
	}
	if !(cfg.Rate > 0 && cfg.Rate <= 1) {
		problems = append(problems, configError("rate", "%v is not a probability in (0, 1]", cfg.Rate))
	}
	if cfg.MaxLine < minMaxLine || cfg.MaxLine > maxMaxLine {
		problems = append(problems, configError("max_line", "%d is not between %d and %d bytes", cfg.MaxLine, minMaxLine, maxMaxLine))
	}
	if cfg.NoHeader && !hasHeaders(cfg.Format) {
		problems = append(problems, conflict("no_header", []string{"format", "preset"}, "only csv and tsv have headers, not %s", cfg.Format))
	}
	problems = append(problems, checkTopic(cfg)...)
	for i, s := range cfg.Throttled {
		if s == "" {
			problems = append(problems, configError(fmt.Sprintf("throttled[%d]", i), "empty"))
		}
	}
	return problems
}

// compileFields compiles every field and checks that one of them can identify a record.
func (d *Decoder) compileFields(cfg Config) (problems []error) {
	for i, f := range cfg.Fields.all() {
		at := "fields." + fieldName(i)
		if bad := checkField(*f, at, cfg); bad != nil {
			problems = append(problems, bad...)
			continue
		}
		s, err := newSource(*f, at, cfg.Format, cfg.NoHeader, &d.places)
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

// checkField checks every path of a field.
func checkField(f Field, at string, cfg Config) (problems []error) {
	if f.isZero() {
		return nil
	}
	check := func(at, path string) {
		if err := pathProblem(at, path, cfg.Format, cfg.NoHeader); err != nil {
			problems = append(problems, err)
		}
	}
	if f.Path != "" && len(f.Or) == 0 && f.Regex == "" { // a plain string
		check(at, f.Path)
		return problems
	}
	check(at+".path", f.Path)
	for i, path := range f.Or {
		check(fmt.Sprintf("%s.or[%d]", at, i), path)
	}
	return problems
}

// pathProblem is checkPath with the place in the configuration at which the path stands.
func pathProblem(at, path, format string, noHeader bool) error {
	err := checkPath(path, format, noHeader)
	switch {
	case err == nil:
		return nil
	case format == formatCombined && path != "":
		return &ConfigError{Path: at, Problem: err.Error(), Given: path, Known: combinedNames()}
	}
	return configError(at, "%v", err)
}

// compileRules compiles the match and the op rules.
func (d *Decoder) compileRules(cfg Config) (problems []error) {
	for i, m := range cfg.Match {
		compiled, bad := newMatch(m, fmt.Sprintf("match[%d]", i), cfg, &d.places)
		d.match, problems = append(d.match, compiled), append(problems, bad...)
	}
	for i, r := range cfg.Ops {
		rule, bad := newOpRule(r, fmt.Sprintf("ops[%d]", i))
		d.ops, problems = append(d.ops, rule), append(problems, bad...)
	}
	return problems
}

// compileUnits compiles the time and the unit of the latency.
func (d *Decoder) compileUnits(cfg Config) (problems []error) {
	var err error
	if d.clock, err = newClock(cfg.Time, cfg.Fields.Time.needsClock()); err != nil {
		problems = append(problems, timeProblem(cfg.Time, err))
	}
	nanos, err := unitNanos(cfg.LatencyUnit)
	if err != nil {
		problems = append(problems, oneOf("latency_unit", cfg.LatencyUnit, units()))
	}
	d.micros = float64(nanos) / float64(time.Microsecond)
	return problems
}

func units() []string { return []string{"s", "ms", "us", "ns"} }

// timeProblem is what newClock says of a configuration, with the entry that it is about.
func timeProblem(cfg TimeConfig, err error) error {
	_, zone := time.LoadLocation(cfg.Zone)
	switch {
	case cfg.Unit != "" && cfg.Layout != "":
		return configError("time", "%v", err)
	case cfg.Unit != "":
		return oneOf("time.unit", cfg.Unit, units())
	case cfg.Layout != "" && zone != nil:
		return configError("time.zone", "%v", zone)
	case cfg.Layout != "":
		return configError("time.layout", "%v", err)
	}
	return configError("time", "%v", err)
}

// checkPath checks a path against what a message has and what the format can name.
func checkPath(path, format string, noHeader bool) error {
	if _, ok, err := partOf(path); ok || err != nil {
		return err
	}
	path = literal(path)
	switch {
	case path == "":
		return errors.New("empty path")
	case format == formatNone:
		return fmt.Errorf("%q: format none reads no value: want %s, %s.NAME or %s", path, pathKey, pathHeader, pathTime)
	case format == formatJSON || format == formatConfluent:
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
