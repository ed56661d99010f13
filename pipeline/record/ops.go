package record

import (
	"bytes"
	"regexp"
	"slices"
)

// opRule is a compiled OpRule; exactly one of value and re is set.
type opRule struct {
	on    string
	value []byte
	re    *regexp.Regexp
	op    Op
}

// newOpRule compiles a rule; at is its place in the configuration.
func newOpRule(r OpRule, at string) (rule opRule, problems []error) {
	rule = opRule{on: r.On, value: []byte(r.Value)}
	if on := []string{"op", "key", "tenant", "shard", "caller"}; r.On != "" && !slices.Contains(on, r.On) {
		problems = append(problems, oneOf(at+".on", r.On, on))
	}
	if (r.Value == "") == (r.Pattern == "") {
		problems = append(problems, configError(at, "want exactly one of value and pattern"))
	}
	var err error
	if rule.re, err = regex(at+".pattern", r.Pattern); err != nil {
		problems = append(problems, err)
	}
	if rule.op, err = ParseOp(r.Op); err != nil {
		problems = append(problems, oneOf(at+".op", r.Op, []string{OpRead.String(), OpWrite.String(), OpUnknown.String()}))
	}
	return rule, problems
}

// holds tells whether the rule applies to a record whose op field reads word.
func (r *opRule) holds(rec *Record, word []byte) bool {
	var b []byte
	switch r.on {
	case "", "op":
		b = word
	case "key":
		b = rec.FullKey
	case "tenant":
		b = rec.FullTenant
	case "shard":
		b = rec.Shard
	case "caller":
		b = rec.Caller
	}
	if b == nil {
		return false
	}
	if r.re != nil {
		return r.re.Match(b)
	}
	return bytes.Equal(b, r.value)
}

// opOf applies the rules in order, then the table of words.
func (d *Decoder) opOf(rec *Record, word []byte) Op {
	for i := range d.ops {
		if d.ops[i].holds(rec, word) {
			return d.ops[i].op
		}
	}
	return opOfWord(word)
}

// opOfWord knows the methods of HTTP (RFC 9110: the safe ones read), the verbs of SQL, memcached, CacheLib and
// DynamoDB, and the commonest commands of Redis, in any case, with or without underscores and hyphens. A lease that is
// fetched reads, one that is set writes. Any other word is OpUnknown.
func opOfWord(word []byte) Op {
	var buf [24]byte
	n := 0
	for _, c := range word {
		if c == '_' || c == '-' {
			continue
		}
		if n == len(buf) {
			return OpUnknown
		}
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		buf[n] = c
		n++
	}
	switch string(buf[:n]) {
	case "GET", "HEAD", "OPTIONS", "TRACE", "READ", "R", "QUERY", "SCAN", "SELECT", "LIST", "FETCH", "LOOKUP", "EXISTS",
		"GETS", "GETLEASE", "MGET", "MULTIGET", "BATCHGET", "GETITEM", "BATCHGETITEM", "TRANSACTGETITEMS",
		"HGET", "HMGET", "HGETALL", "LRANGE", "SMEMBERS", "SISMEMBER", "ZRANGE", "ZSCORE", "STRLEN", "TTL":
		return OpRead
	case "PUT", "POST", "PATCH", "DELETE", "WRITE", "W", "SET", "INSERT", "UPDATE", "UPSERT", "REPLACE", "REMOVE",
		"ADD", "APPEND", "PREPEND", "CAS", "SETLEASE", "INCR", "INCREMENT", "DECR", "DECREMENT", "TOUCH",
		"PUTITEM", "UPDATEITEM", "DELETEITEM", "BATCHWRITE", "BATCHWRITEITEM", "TRANSACTWRITEITEMS",
		"DEL", "UNLINK", "SETEX", "SETNX", "MSET", "INCRBY", "DECRBY", "EXPIRE", "HSET", "HMSET", "HDEL", "HINCRBY",
		"LPUSH", "RPUSH", "LPOP", "RPOP", "SADD", "SREM", "ZADD", "ZREM", "ZINCRBY", "XADD", "GETSET":
		return OpWrite
	default:
		return OpUnknown
	}
}
