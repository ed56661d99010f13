package record

import (
	"bytes"
	"math"
)

// measures reads bytes, latency and status.
func (d *Decoder) measures(rec *Record) Reason {
	size, ok, reason := d.number(&d.fields[fieldBytes])
	if reason != ReasonNone {
		return reason
	}
	if ok {
		if !amount(size) {
			return ReasonRange
		}
		rec.Bytes = size
	}
	latency, ok, reason := d.number(&d.fields[fieldLatency])
	if reason != ReasonNone {
		return reason
	}
	if ok {
		if latency *= d.micros; !amount(latency) {
			return ReasonRange
		}
		rec.Latency = latency
	}
	return d.status(rec)
}

// amount tells whether f is finite and not negative.
func amount(f float64) bool { return f >= 0 && !math.IsInf(f, 0) }

// code is what a status says.
type code struct {
	status    int
	throttled bool
	reason    Reason
}

// status reads the status: a whole number, or a word such as ThrottlingException, which leaves Status 0.
func (d *Decoder) status(rec *Record) Reason {
	v := d.value(&d.fields[fieldStatus])
	if v.kind != kindText && v.kind != kindNumber {
		return v.kind.refused()
	}
	c, known := d.codes.at(v.text)
	if !known {
		*c = d.codeOf(v.text)
	}
	rec.Status, rec.Throttled = c.status, c.throttled
	return c.reason
}

// codeOf reads one status.
func (d *Decoder) codeOf(b []byte) (c code) {
	if f, ok := parseNumber(b); ok {
		if !amount(f) || f > math.MaxInt32 || f != math.Trunc(f) {
			return code{reason: ReasonRange}
		}
		c.status = int(f)
	}
	for _, t := range d.throttled {
		c.throttled = c.throttled || bytes.Equal(b, t)
	}
	return c
}
