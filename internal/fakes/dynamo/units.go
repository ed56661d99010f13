package dynamo

import (
	"math"
	"time"
)

// Units is what calls consumed: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
type Units struct {
	// Read is in read units: 1 for 4 KB that are read consistently, 0.5 for 4 KB that are not.
	Read float64
	// Write is in write units: 1 for 1 KB.
	Write float64
}

// What DynamoDB gives one partition at most, units a second:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
const (
	MostRead  = 3000
	MostWrite = 1000
)

// limits is what partition keys may use in a second; 0 = no limit.
type limits struct {
	most Units
	used map[string]*second // by partition key
}

type second struct {
	at   int64 // Unix time, s
	used Units
}

// Limit refuses calls on a partition key that used up its units of the second; a 0 refuses none.
func (s *Server) Limit(read, write float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits.most = Units{Read: read, Write: write}
}

// Units is what was consumed so far.
func (s *Server) Units() Units {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.units
}

func (l *limits) of(now time.Time, partition string) *second {
	u := l.used[partition]
	if u == nil {
		u = &second{}
		l.used[partition] = u
	}
	if u.at != now.Unix() {
		*u = second{at: now.Unix()}
	}
	return u
}

func (l *limits) exceeded(now time.Time, partition string) bool {
	if l.most == (Units{}) || partition == "" {
		return false
	}
	u := l.of(now, partition).used
	return l.most.Read > 0 && u.Read >= l.most.Read || l.most.Write > 0 && u.Write >= l.most.Write
}

func (s *Server) charge(partition string, read, write float64) {
	s.units.Read += read
	s.units.Write += write
	u := s.limits.of(s.now(), partition)
	u.used.Read += read
	u.used.Write += write
}

// readUnits is the price of bytes that were read.
func readUnits(size int, consistent bool) float64 {
	units := math.Max(1, math.Ceil(float64(size)/4096))
	if !consistent {
		units /= 2
	}
	return units
}

// writeUnits is the price of a write, by the larger of what was there and what is.
func writeUnits(was, is item) float64 {
	return math.Max(1, math.Ceil(float64(max(was.size(), is.size()))/1024))
}
