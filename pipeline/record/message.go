package record

import (
	"bytes"
	"slices"
	"strconv"
	"time"
)

// Message is a record of a Kafka log: a value, which the format reads as it reads a line, and what stands beside it. The
// decoder changes and keeps no part of it.
type Message struct {
	Key, Value []byte
	Headers    []Header
	// Time is the one that the topic keeps, the producer's or the broker's, in Unix nanoseconds; NoTime = none.
	Time int64
}

// Header is one header of a message. A name may occur several times: the last one counts, as in lastHeader of Kafka's
// own Headers.
type Header struct {
	Name  string
	Value []byte
}

// DecodeMessage reads a message into rec: its value as Decode reads a line, and its key, headers and time where the
// configuration has paths to them. Any Reason but ReasonNone leaves rec empty. Conditions on what stands beside the
// value come first: what the values of another fleet look like does not matter. Then, a value without bytes is
// ReasonNoValue, unless the format is none. The slices of rec are the message's or the decoder's, valid until the next
// call.
//
// With format confluent a message whose schema is not known yet is ReasonSchema: see WantsSchema.
func (d *Decoder) DecodeMessage(m *Message, rec *Record) Reason {
	if d.framed != nil {
		d.framed.wants = false
	}
	if len(d.parts) == 0 {
		return d.decodeValue(m.Value, rec)
	}
	for i := range d.parts {
		d.read(m, &d.parts[i], &d.beside[i])
	}
	reason := d.matches(d.match[:d.early])
	if reason == ReasonNone {
		reason = d.decodeValue(m.Value, rec)
	} else {
		rec.reset()
	}
	clear(d.beside) // a line that Decode reads next has nothing beside it
	return reason
}

// decodeValue decodes the value of a message.
func (d *Decoder) decodeValue(b []byte, rec *Record) Reason {
	if len(b) > 0 && !d.opaque && d.framed == nil {
		return d.Decode(b, rec)
	}
	rec.reset()
	reason := ReasonNone
	switch {
	case d.opaque:
	case len(b) == 0:
		reason = ReasonNoValue
	case len(b) > d.maxLine:
		reason = ReasonTooLong
	default:
		reason = d.framed.split(b, d.inside)
	}
	if reason == ReasonNone {
		reason = d.record(rec)
	}
	if reason != ReasonNone {
		rec.reset()
	}
	return reason
}

// First cuts the first record off a message's value: its first line if Config.Lines is set, else all of it. rest is
// empty after the last one. Blank lines are records to it; DecodeMessage tells them.
func (d *Decoder) First(value []byte) (first, rest []byte) {
	if !d.lines {
		return value, nil
	}
	end := bytes.IndexByte(value, '\n') + 1
	if end == 0 {
		return value, nil
	}
	return value[:end:end], value[end:]
}

// ReadsHeaders tells whether any path leads to a header. If none does, Message.Headers need not be filled.
func (d *Decoder) ReadsHeaders() bool {
	return slices.ContainsFunc(d.parts, func(p part) bool { return p.what == partHeader })
}

// read finds a part of a message and makes v what it is; v was absent.
func (d *Decoder) read(m *Message, p *part, v *value) {
	switch p.what {
	case partKey:
		v.set(m.Key)
	case partHeader:
		for i := len(m.Headers) - 1; i >= 0; i-- {
			if h := &m.Headers[i]; h.Name == p.header {
				v.set(h.Value)
				return
			}
		}
	case partTime:
		if m.Time == NoTime {
			return
		}
		d.nanos = m.Time
		d.millis = strconv.AppendInt(d.millis[:0], m.Time/int64(time.Millisecond), 10)
		v.kind, v.text = kindNumber, d.millis
	}
}

// noSplitter is the splitter of format none: there is nothing in a line.
type noSplitter struct{}

// split implements splitter.
func (noSplitter) split([]byte, []value) Reason { return ReasonNone }
