package decode

import (
	"encoding/csv"
	"errors"
	"math"
	"strconv"
	"strings"

	"firebreak/pipeline/record"
)

// textbook makes of a row that encoding/csv read what Decode makes of it, with strconv and maps: the columns by their
// names, the table of ops, the throttling codes, and the same refusals. It leaves out what costs more:
// numbers with spaces around them, times and status codes with fractions.
type textbook struct {
	time, tenant, key, op, count, rate, shard, caller, bytes, latency, status int // columns; -1 = none
	ops                                                                       map[string]record.Op
	throttled                                                                 map[string]bool
}

// newTextbook finds the columns of the canonical log in a header.
func newTextbook(header []string) *textbook {
	columns := make(map[string]int, len(header))
	for i, name := range header {
		columns[name] = i
	}
	at := func(name string) int {
		if i, ok := columns[name]; ok {
			return i
		}
		return -1
	}
	t := &textbook{
		time: at("ts_ms"), tenant: at("tenant"), key: at("key"), op: at("op"), count: at("weight"), rate: at("rate"), shard: at("shard"),
		caller: at("caller"), bytes: at("bytes"), latency: at("latency_us"), status: at("status"),
		ops: map[string]record.Op{}, throttled: map[string]bool{"429": true, "503": true},
	}
	for word := range strings.FieldsSeq(readWords) {
		t.ops[word] = record.OpRead
	}
	for word := range strings.FieldsSeq(writeWords) {
		t.ops[word] = record.OpWrite
	}
	return t
}

// The words of the table of ops, of HTTP, SQL, memcached, CacheLib, DynamoDB and Redis.
const (
	readWords = `GET HEAD OPTIONS TRACE READ R QUERY SCAN SELECT LIST FETCH LOOKUP EXISTS GETS GETLEASE MGET MULTIGET BATCHGET
		GETITEM BATCHGETITEM TRANSACTGETITEMS HGET HMGET HGETALL LRANGE SMEMBERS SISMEMBER ZRANGE ZSCORE STRLEN TTL`
	writeWords = `PUT POST PATCH DELETE WRITE W SET INSERT UPDATE UPSERT REPLACE REMOVE ADD APPEND PREPEND CAS SETLEASE INCR
		INCREMENT DECR DECREMENT TOUCH PUTITEM UPDATEITEM DELETEITEM BATCHWRITE BATCHWRITEITEM TRANSACTWRITEITEMS DEL UNLINK SETEX
		SETNX MSET INCRBY DECRBY EXPIRE HSET HMSET HDEL HINCRBY LPUSH RPUSH LPOP RPOP SADD SREM ZADD ZREM ZINCRBY XADD GETSET`
)

// parsed is a row as the textbook reads it.
type parsed struct {
	Row

	op        record.Op
	rate      float64
	caller    string
	throttled bool
}

var errRefused = errors.New("refused")

// maxMillis is where milliseconds end that int64 holds in nanoseconds.
const maxMillis = math.MaxInt64/1_000_000 - 1

// parse reads a row.
func (t *textbook) parse(fields []string, p *parsed) (err error) {
	*p = parsed{}
	text := func(column int) string {
		if column < 0 {
			return ""
		}
		return fields[column]
	}
	p.Tenant, p.Key, p.Shard, p.caller = cut(text(t.tenant)), cut(text(t.key)), cut(text(t.shard)), cut(text(t.caller))
	if p.Tenant == "" && p.Key == "" && p.Shard == "" {
		return errRefused
	}
	if s := text(t.time); s != "" {
		if p.TS, err = strconv.ParseInt(s, 10, 64); err != nil || p.TS >= maxMillis || p.TS <= -maxMillis {
			return errRefused
		}
	}
	if err := t.weigh(text(t.count), text(t.rate), p); err != nil {
		return err
	}
	if err := t.measure(text(t.bytes), text(t.latency), text(t.status), p); err != nil {
		return err
	}
	p.op = t.opOf(text(t.op))
	return nil
}

// weigh reads count and rate.
func (t *textbook) weigh(count, rate string, p *parsed) (err error) {
	p.Weight = 1
	if count != "" {
		if p.Weight, err = strconv.ParseFloat(count, 64); err != nil || !(p.Weight > 0) || math.IsInf(p.Weight, 0) {
			return errRefused
		}
	}
	requests := p.Weight
	if rate != "" {
		if p.rate, err = strconv.ParseFloat(rate, 64); err != nil || !(p.rate > 0 && p.rate <= 1) {
			return errRefused
		}
		requests /= p.rate
	}
	if requests > record.MaxRequests {
		return errRefused
	}
	return nil
}

// measure reads bytes, latency and status.
func (t *textbook) measure(bytes, latency, status string, p *parsed) (err error) {
	for _, f := range [...]struct {
		text string
		to   *float64
	}{{bytes, &p.Bytes}, {latency, &p.Latency}} {
		if f.text == "" {
			continue
		}
		if *f.to, err = strconv.ParseFloat(f.text, 64); err != nil || !(*f.to >= 0) || math.IsInf(*f.to, 0) {
			return errRefused
		}
	}
	if n, err := strconv.Atoi(status); err == nil {
		if n < 0 || n > math.MaxInt32 {
			return errRefused
		}
		p.Status = n
	}
	p.throttled = t.throttled[status]
	return nil
}

// opOf looks a word up as it stands, then in capitals and without underscores and hyphens; it remembers what that gave.
func (t *textbook) opOf(word string) record.Op {
	op, ok := t.ops[word]
	if !ok {
		op = t.ops[strings.NewReplacer("_", "", "-", "").Replace(strings.ToUpper(word))]
		if len(t.ops) < 1000 {
			t.ops[strings.Clone(word)] = op
		}
	}
	return op
}

// cut is record.Cut for text.
func cut(s string) string {
	if len(s) <= record.MaxKey {
		return s
	}
	short, _, _ := record.Cut([]byte(s), nil)
	return string(short)
}

// openTextbook reads a file that has no end with encoding/csv and makes records of its rows.
func openTextbook(c *Corpus) (func() (Sum, error), error) {
	rows := csv.NewReader(&endless{text: c.Text, again: len(c.Header) + 1})
	rows.ReuseRecord = true
	header, err := rows.Read()
	if err != nil {
		return nil, err
	}
	t := newTextbook(header)
	var p parsed
	return func() (Sum, error) {
		var sum Sum
		for range c.Lines {
			fields, err := rows.Read()
			if err != nil {
				return Sum{}, err
			}
			if err := t.parse(fields, &p); err != nil {
				return Sum{}, err
			}
			sum.count(&p.Row, p.op != record.OpRead)
		}
		return sum, nil
	}, nil
}
