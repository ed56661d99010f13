package record

import (
	"bytes"
	"errors"
	"regexp"
)

// match is a compiled Match; exactly one of values and re is set.
type match struct {
	slot   int
	values [][]byte
	re     *regexp.Regexp
}

// newMatch compiles a condition.
func newMatch(m Match, format string, noHeader bool, p *paths) (match, error) {
	if err := checkPath(m.Field, format, noHeader); err != nil {
		return match{}, err
	}
	set := 0
	for _, is := range []bool{m.Equals != "", len(m.In) > 0, m.Regex != ""} {
		if is {
			set++
		}
	}
	if set != 1 {
		return match{}, errors.New("want exactly one of equals, in and regex")
	}
	out := match{slot: p.slot(m.Field), values: byteSlices(m.In)}
	if m.Equals != "" {
		out.values = byteSlices([]string{m.Equals})
	}
	var err error
	if m.Regex != "" {
		out.re, err = regexp.Compile(m.Regex)
	}
	return out, err
}

// matches tells whether every condition holds. Numbers and booleans compare as they are written.
func (d *Decoder) matches() Reason {
	for i := range d.match {
		m := &d.match[i]
		v := d.vals[m.slot]
		switch v.kind {
		case kindDuplicate:
			return ReasonDuplicate
		case kindAbsent, kindNested:
			return ReasonNotMatched
		case kindText, kindNumber, kindBool:
			if !m.holds(v.text) {
				return ReasonNotMatched
			}
		}
	}
	return ReasonNone
}

// holds tests one value.
func (m *match) holds(text []byte) bool {
	if m.re != nil {
		return m.re.Match(text)
	}
	for _, v := range m.values {
		if bytes.Equal(v, text) {
			return true
		}
	}
	return false
}
