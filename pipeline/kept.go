package pipeline

import "firebreak/pipeline/record"

// kept is a record that outlives its line. Setting it again reuses its memory.
type kept struct {
	rec record.Record
	buf []byte

	partition int // that it is of; set leaves it as it is
}

// set copies rec.
func (k *kept) set(rec *record.Record) {
	n := len(rec.Tenant) + len(rec.Key) + len(rec.Shard) + len(rec.Caller) + len(rec.FullKey) + len(rec.FullTenant)
	if cap(k.buf) < n {
		k.buf = make([]byte, 0, n+n/2)
	}
	k.buf = k.buf[:0]
	k.rec = *rec
	for _, b := range []*[]byte{&k.rec.Tenant, &k.rec.Key, &k.rec.Shard, &k.rec.Caller, &k.rec.FullKey, &k.rec.FullTenant} {
		if *b == nil {
			continue
		}
		at := len(k.buf)
		k.buf = append(k.buf, *b...)
		*b = k.buf[at:len(k.buf):len(k.buf)]
	}
}
