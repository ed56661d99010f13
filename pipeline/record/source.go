package record

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
)

// kind is what stands at a path of a line.
type kind uint8

const (
	kindAbsent    kind = iota // nothing, null or empty
	kindText                  // a string, or any value of a format without types
	kindNumber                // a JSON number
	kindBool                  // a JSON boolean, a logfmt name without a value
	kindNested                // a JSON object or array, or a scalar where the path goes deeper
	kindDuplicate             // the path occurs twice
)

// value is what stands at a path: its kind and, for text, numbers and booleans, its bytes with escapes resolved.
//
// A text may have capacity beyond its end, where the rest of the line is; bytes does not give that away.
type value struct {
	kind  kind
	exact bool // the text is digits only and whole is their value; false says nothing
	whole uint64
	text  []byte
}

// setWhole makes v a number of digits only. (Field by field: a composite literal is built on the stack and read back
// before the processor has it.)
func (v *value) setWhole(whole uint64, b []byte) {
	v.kind, v.exact, v.whole, v.text = kindNumber, true, whole, b
}

// set makes v a text; an empty one is absent.
func (v *value) set(b []byte) {
	k := kindText
	if len(b) == 0 {
		k = kindAbsent
	}
	v.kind, v.exact, v.text = k, false, b
}

// splitter finds the values of one line. It is given as many values as paths were asked for, every time the same, which
// hold what it found in the line before, and sets or clears each of them. It keeps the bytes that it had to unescape
// until the next call.
type splitter interface {
	split(line []byte, vals []value) Reason
}

// The fields of a record, in the order of Fields.all.
const (
	fieldTime = iota
	fieldTenant
	fieldKey
	fieldOp
	fieldCount
	fieldRate
	fieldShard
	fieldCaller
	fieldBytes
	fieldLatency
	fieldStatus
	fields // their number
)

// fieldName returns a field's name in YAML.
func fieldName(i int) string {
	return [fields]string{
		"time", "tenant", "key", "op", "count", "rate", "shard", "caller", "bytes", "latency", "status",
	}[i]
}

// source is a compiled Field: where in the values it stands. A source without slots is a field that is not mapped.
type source struct {
	slots []int
	re    *regexp.Regexp
	host  bool   // re is addressPattern, which hostOf does without it
	at    *value // where a field with one path and nothing to be done about its value stands; else nil
}

// paths collects the distinct paths that a decoder asks its splitter for; a path's index is its slot.
type paths []string

// slot returns the slot of a path, a new one if it is new.
func (p *paths) slot(path string) int {
	if i := slices.Index(*p, path); i >= 0 {
		return i
	}
	*p = append(*p, path)
	return len(*p) - 1
}

// newSource compiles a field; at is its place in the configuration.
func newSource(f Field, at, format string, noHeader bool, p *places) (source, error) {
	var s source
	if f.isZero() {
		return s, nil
	}
	for _, path := range append([]string{f.Path}, f.Or...) {
		if err := checkPath(path, format, noHeader); err != nil {
			return s, configError(at, "%v", err)
		}
		s.slots = append(s.slots, p.slot(path))
	}
	if f.Regex == "" {
		return s, nil
	}
	re, err := regexp.Compile(f.Regex)
	if err != nil {
		return s, configError(at+".regex", "%v", err)
	}
	if re.NumSubexp() == 0 {
		return s, configError(at+".regex", "%q has no group: the first group is the value", f.Regex)
	}
	s.re, s.host = re, f.Regex == addressPattern
	return s, nil
}

// isZero tells whether the field is not mapped.
func (f *Field) isZero() bool { return f.Path == "" && len(f.Or) == 0 && f.Regex == "" }

// needsClock tells whether any value of the field is written in a line, or a part of another: all but the time of a
// message, which needs no unit and no layout.
func (f *Field) needsClock() bool {
	if f.isZero() {
		return false
	}
	other := func(path string) bool { return path != pathTime }
	return f.Regex != "" || other(f.Path) || slices.ContainsFunc(f.Or, other)
}

// value returns what stands at a source. It is valid until the next call.
func (d *Decoder) value(s *source) *value {
	if s.at != nil {
		return s.at
	}
	return d.lookup(s)
}

// lookup returns what the first present path of the source has. With a regex the result is the text of its first
// group, and absent if it does not match.
func (d *Decoder) lookup(s *source) *value {
	for _, slot := range s.slots {
		v := &d.vals[slot]
		if v.kind == kindAbsent || v.kind == kindText && d.isAbsent(v.text) {
			continue
		}
		if s.re == nil || v.kind == kindNested || v.kind == kindDuplicate {
			return v
		}
		d.group = value{}
		if s.host {
			d.group.set(hostOf(v.text))
		} else if at := s.re.FindSubmatchIndex(v.text); at != nil && at[3] > at[2] {
			d.group.set(v.text[at[2]:at[3]:at[3]])
		}
		return &d.group
	}
	return &d.none
}

// isAbsent tells whether a text means "no value".
func (d *Decoder) isAbsent(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	for _, a := range d.absent {
		if bytes.Equal(text, a) {
			return true
		}
	}
	return false
}

// number returns the number at a source. A string that reads as a number is one; any other is ReasonType. ok is false
// where there is none.
func (d *Decoder) number(s *source) (f float64, ok bool, reason Reason) {
	v := s.at
	if v == nil {
		v = d.lookup(s)
	}
	if v.exact {
		return float64(v.whole), true, ReasonNone
	}
	if v.kind == kindText && len(v.text) < wordSize && cap(v.text) >= wordSize { // the commonest, as wholeOf does it
		if digits := lastDigits(word(v.text[:wordSize], 0), len(v.text)); noDigits(digits) == 0 {
			return float64(int64(decimalOf(digits))), true, ReasonNone
		}
	}
	return v.number()
}

// number returns the number that v is, exact or not.
func (v *value) number() (f float64, ok bool, reason Reason) {
	switch {
	case v.kind == kindAbsent:
		return 0, false, ReasonNone
	case v.kind != kindText && v.kind != kindNumber:
		return 0, false, v.kind.refused()
	}
	if f, ok = parseNumber(v.text); !ok {
		return 0, false, ReasonType
	}
	return f, true, ReasonNone
}

// bytes returns the bytes of a string, or a number's as it is written; nil where there are none.
func (v *value) bytes() (b []byte, reason Reason) {
	if v.kind == kindText || v.kind == kindNumber {
		return slices.Clip(v.text), ReasonNone
	}
	return nil, v.kind.refused()
}

// refused is the reason for which a value of a kind without bytes is refused.
func (k kind) refused() Reason {
	switch k {
	case kindAbsent, kindText, kindNumber:
		return ReasonNone
	case kindDuplicate:
		return ReasonDuplicate
	case kindBool, kindNested:
		return ReasonType
	default:
		return ReasonType
	}
}

// columnNumber reads the path of a column in a log without a header.
func columnNumber(path string) (n int, ok bool) {
	n, err := strconv.Atoi(path)
	return n, err == nil && n >= 1 && n <= maxColumns
}
