package scenario

import (
	"fmt"
	"math"
	"slices"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// cell is what all requests of a stream that look alike have in common.
type cell struct {
	tenant, key, shard, caller []byte
	op                         record.Op
	weight                     float64 // of the stream's rate
	carry                      float64 // of the next line, of rounded expectations
}

// weights of n keys: the first one's share, or Zipf's law, or alike.
func (s *streamSpec) weights(n int) []float64 {
	out := make([]float64, n)
	var sum float64
	for i := range out {
		out[i] = math.Pow(float64(i+1), -s.zipf)
		if s.top > 0 && n > 1 {
			out[i] = (1 - s.top) / float64(n-1)
			if i == 0 {
				out[i] = s.top
			}
		}
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// cells lists what the stream sends. Where the log shows what shards served, a salted key comes in pieces: writes go to
// one each, reads to all.
func (s *streamSpec) cells(f *setup, table *routing.Table) ([]cell, error) {
	names, err := s.names(table)
	if err != nil {
		return nil, err
	}
	var out []cell
	for i, w := range s.weights(len(names)) {
		c := cell{tenant: []byte(names[i].tenant), key: []byte(names[i].key), weight: w}
		if f.named && names[i].shard >= 0 {
			c.shard = []byte(f.doc.Shards[names[i].shard].Name)
		}
		if s.logged != "" {
			c.shard = []byte(s.logged)
		}
		out = append(out, s.ops(f, table, &c)...)
	}
	if s.caller != "" {
		out = s.calls(out)
	}
	for i := range out {
		// Keys that are alike must not all come in the same pane: each starts elsewhere (the golden ratio's multiples).
		_, out[i].carry = math.Modf(float64(i) * math.Phi)
	}
	return out, nil
}

// ops parts a key's requests into reads and writes, and into the pieces of its salt.
func (s *streamSpec) ops(f *setup, table *routing.Table, c *cell) []cell {
	part := func(op record.Op, share float64) cell {
		p := *c
		p.op, p.weight = op, c.weight*share
		return p
	}
	both := []cell{part(record.OpRead, s.reads), part(record.OpWrite, 1-s.reads)}
	if f.pipeline.LogPoint == policy.LogPointShard && table != nil {
		if salt, ok := table.Salt(c.tenant, c.key); ok {
			both = s.pieces(table, salt, both)
		}
	}
	return slices.DeleteFunc(both, func(c cell) bool { return c.weight == 0 })
}

func (s *streamSpec) pieces(table *routing.Table, salt *routing.Salt, both []cell) []cell {
	var out []cell
	for _, p := range table.Pieces(both[0].tenant, both[0].key, nil) {
		read, write := both[0], both[1]
		write.weight /= float64(salt.Write)
		if s.skew > 0 && p.Index == 0 {
			write.weight = both[1].weight * s.skew
		} else if s.skew > 0 {
			write.weight = both[1].weight * (1 - s.skew) / float64(salt.Write-1)
		}
		if p.Index > 0 {
			read.key = table.AppendPieceKey(nil, read.key, p.Suffix)
			write.key = read.key
		}
		if p.Index >= salt.Write {
			write.weight = 0
		}
		out = append(out, read, write)
	}
	return out
}

// otherCallers is how many callers share what the one that a story names does not send.
const otherCallers = 10

// calls parts every cell into what the caller sends and what others send.
func (s *streamSpec) calls(cells []cell) []cell {
	var out []cell
	for _, c := range cells {
		mine := c
		mine.caller, mine.weight = []byte(s.caller), c.weight*s.callers
		out = append(out, mine)
		for i := range otherCallers {
			other := c
			other.caller, other.weight = fmt.Appendf(nil, "other-%d", i+1), c.weight*(1-s.callers)/otherCallers
			if other.weight > 0 {
				out = append(out, other)
			}
		}
	}
	return out
}
