package record

import (
	"bytes"
	"math"
)

// Decoder turns lines into records. NewDecoder makes it; it belongs to one goroutine. Its memory is bounded by a few
// times Config.MaxLine.
type Decoder struct {
	split  splitter
	csv    *csvSplitter    // split itself where the format has columns, else nil
	framed *framedSplitter // likewise of format confluent
	places
	vals      []value // by slot: first those inside the line, then those beside it
	inside    []value // the splitter's
	beside    []value // by part of a message; absent but for the time of a DecodeMessage
	stamp     *value  // of beside, where the message's time is; nil = no path leads to it
	nanos     int64   // the message's time, if stamp is not absent
	millis    []byte  // its digits
	none      value   // absent
	group     value   // the last regex's
	fields    [fields]source
	match     []match // those on what stands beside a line first
	early     int     // how many those are
	ops       []opRule
	throttled [][]byte
	absent    [][]byte
	words     wordCache[Op]
	codes     wordCache[code]
	clock     clock
	micros    float64 // of one unit of the latency field
	rate      float64 // of records that carry none
	maxLine   int
	strip     bool
	oneLine   bool   // the format cannot hold a line feed
	opaque    bool   // the value of a message is not read
	lines     bool   // a message may hold several records
	cut       []byte // holds the cut forms of one record
}

// Decode reads one line, with or without its line end, into rec. Any Reason but ReasonNone leaves rec empty.
//
// A line that does not satisfy Config.Match is ReasonNotMatched even where its other fields would be refused: they are
// another fleet's. Only what the format itself cannot read comes first.
func (d *Decoder) Decode(line []byte, rec *Record) Reason {
	rec.reset()
	line = trimEnd(line)
	if len(line) > d.maxLine {
		return ReasonTooLong
	}
	if len(line) == 0 || line[0] <= ' ' && len(bytes.TrimLeft(line, " \t")) == 0 {
		return ReasonBlank
	}
	if d.oneLine && bytes.IndexByte(line, '\n') >= 0 {
		return ReasonSyntax
	}
	reason := d.split.split(line, d.inside)
	if reason == ReasonNone {
		reason = d.record(rec)
	}
	if reason != ReasonNone {
		rec.reset()
	}
	return reason
}

// record makes a record of the values that were found.
func (d *Decoder) record(rec *Record) Reason {
	if len(d.match) > 0 {
		if reason := d.matches(d.match); reason != ReasonNone {
			return reason
		}
	}
	return d.fill(rec)
}

// trimEnd cuts one line end, LF or CRLF.
func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// fill reads the values into the record.
func (d *Decoder) fill(rec *Record) Reason {
	if reason := d.identity(rec); reason != ReasonNone {
		return reason
	}
	if reason := d.time(rec); reason != ReasonNone {
		return reason
	}
	if reason := d.weight(rec); reason != ReasonNone {
		return reason
	}
	if reason := d.measures(rec); reason != ReasonNone {
		return reason
	}
	return d.op(rec)
}

// op reads the op.
func (d *Decoder) op(rec *Record) Reason {
	v := d.value(&d.fields[fieldOp])
	if v.kind != kindText && v.kind != kindNumber {
		if reason := v.kind.refused(); reason != ReasonNone {
			return reason
		}
	}
	if len(d.ops) > 0 {
		word, _ := v.bytes()
		rec.Op = d.opOf(rec, word)
		return ReasonNone
	}
	if v.kind == kindAbsent {
		return ReasonNone
	}
	op, known := d.words.at(v.text)
	if !known {
		*op = opOfWord(v.text)
	}
	rec.Op = *op
	return ReasonNone
}

// identity reads key, tenant, shard and caller.
func (d *Decoder) identity(rec *Record) (reason Reason) {
	if rec.FullKey, reason = d.value(&d.fields[fieldKey]).bytes(); reason != ReasonNone {
		return reason
	}
	if d.strip {
		if i := bytes.IndexByte(rec.FullKey, '?'); i >= 0 {
			rec.FullKey = orNil(rec.FullKey[:i])
		}
	}
	if rec.FullTenant, reason = d.value(&d.fields[fieldTenant]).bytes(); reason != ReasonNone {
		return reason
	}
	if rec.Shard, reason = d.value(&d.fields[fieldShard]).bytes(); reason != ReasonNone {
		return reason
	}
	if rec.Caller, reason = d.value(&d.fields[fieldCaller]).bytes(); reason != ReasonNone {
		return reason
	}
	rec.Key, rec.Tenant = rec.FullKey, rec.FullTenant
	if max(len(rec.Key), len(rec.Tenant), len(rec.Shard), len(rec.Caller)) > MaxKey {
		d.shorten(rec)
	}
	if rec.Key == nil && rec.Tenant == nil && rec.Shard == nil {
		return ReasonNoIdentity
	}
	return ReasonNone
}

// shorten cuts what is too long to be kept.
func (d *Decoder) shorten(rec *Record) {
	d.cut = d.cut[:0]
	for _, b := range []*[]byte{&rec.Key, &rec.Tenant, &rec.Shard, &rec.Caller} {
		*b, d.cut, _ = Cut(*b, d.cut)
	}
	rec.KeyHashed = IsCut(rec.Key)
}

// orNil returns b, nil if it is empty.
func orNil(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// time reads the time.
func (d *Decoder) time(rec *Record) Reason {
	v := d.value(&d.fields[fieldTime])
	if v == d.stamp && v.kind != kindAbsent {
		rec.Time = d.nanos
		return ReasonNone
	}
	if d.clock.unit != 0 && v.kind != kindAbsent {
		whole, ok := v.whole, v.exact
		if !ok {
			whole, ok = wholeOf(v.text)
		}
		if ok {
			if rec.Time, ok = wholeUnits(whole, d.clock.unit); !ok {
				return ReasonTime
			}
			return ReasonNone
		}
	}
	b, reason := v.bytes()
	if b == nil {
		return reason
	}
	nanos, ok := d.clock.parse(b)
	if !ok {
		return ReasonTime
	}
	rec.Time = nanos
	return ReasonNone
}

// weight reads count and rate.
func (d *Decoder) weight(rec *Record) Reason {
	count, ok, reason := d.number(&d.fields[fieldCount])
	if reason != ReasonNone {
		return reason
	}
	if ok {
		if !(count > 0) || math.IsInf(count, 0) {
			return ReasonCount
		}
		rec.Count = count
	}
	if v := d.fields[fieldRate].at; v != nil && v.kind == kindAbsent { // most logs say it in the configuration
		return d.huge(rec)
	}
	rate, ok, reason := d.number(&d.fields[fieldRate])
	if reason != ReasonNone {
		return reason
	}
	if ok {
		if !(rate > 0 && rate <= 1) {
			return ReasonRate
		}
		rec.Rate = rate
	}
	return d.huge(rec)
}

// huge refuses a record that stands for too many requests.
func (d *Decoder) huge(rec *Record) Reason {
	if rec.Requests(d.rate) > MaxRequests {
		return ReasonCountHuge
	}
	return ReasonNone
}
