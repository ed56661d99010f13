package record

import (
	"bytes"
	"regexp"
)

// match is a compiled Match; exactly one of values and re is set.
type match struct {
	slot   int
	values [][]byte
	re     *regexp.Regexp
}

// newMatch compiles a condition; at is its place in the configuration.
func newMatch(m Match, at string, cfg Config, p *places) (out match, problems []error) {
	if err := pathProblem(at+".field", m.Field, cfg.Format, cfg.NoHeader); err != nil {
		problems = append(problems, err)
	}
	set := 0
	for _, is := range []bool{m.Equals != "", len(m.In) > 0, m.Regex != ""} {
		if is {
			set++
		}
	}
	if set != 1 {
		problems = append(problems, configError(at, "want exactly one of equals, in and regex"))
	}
	out = match{values: byteSlices(m.In)}
	if m.Equals != "" {
		out.values = byteSlices([]string{m.Equals})
	}
	var err error
	if out.re, err = regex(at+".regex", m.Regex); err != nil {
		problems = append(problems, err)
	}
	if len(problems) == 0 {
		out.slot = p.slot(m.Field)
	}
	return out, problems
}

// regex compiles an expression; none is nil.
func regex(at, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no expression is no error
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, configError(at, "%v", err)
	}
	return re, nil
}

// matches tells whether every one of these conditions holds. Numbers and booleans compare as they are written.
func (d *Decoder) matches(conditions []match) Reason {
	for i := range conditions {
		m := &conditions[i]
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
