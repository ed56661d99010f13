package sketch

// A pane keeps what it lists as records of bytes, one behind the other:
//
//	number of the name (varint), length of the rest (1 byte), flags (2 bytes), Cost, and what the flags do not say
//
// Most records are 8 to 14 bytes long; the longest is maxRecord.

const (
	flagWhole      = 1 << iota // all sums and bounds are multiples of One and stand divided by it
	flagRequests               // Requests is Cost; else it follows
	flagVariance               // Variance is Cost; else it follows
	flagRecords                // Records is Requests; else it follows
	flagAllReads               // Reads is Cost
	flagAllWrites              // Writes is Cost
	flagRest                   // Writes is Cost - Reads
	flagNoReads                // Reads is 0
	flagNoWrites               // Writes is 0
	flagThrottled              // Throttled follows
	flagOver                   // over follows, and over - guess
	flagSeen                   // seen and seenCells follow
	flagTenants                // one tenant follows
	flagCallers                // one caller follows
	flagTwoTenants             // a second one follows
	flagTwoCallers
)

// maxRecord is the longest record: a number, a length, flags, and 11 values and 4 senders of full size.
const maxRecord = 5 + 1 + 2 + 11*10 + 4*15

// appendVarint appends v in the form of encoding/binary.
func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// varint reads a varint that this package wrote.
func varint(b []byte, i int) (uint64, int) {
	v := uint64(b[i])
	if v < 0x80 {
		return v, i + 1
	}
	v &= 0x7f
	for shift := uint(7); ; shift += 7 {
		i++
		c := b[i]
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, i + 1
		}
	}
}

// flags finds what of a cell need not be written.
func (c *cell) flags() uint {
	s := &c.sums
	f := uint(0)
	set := func(bit uint, on bool) {
		if on {
			f |= bit
		}
	}
	all := s.Requests | s.Cost | s.Variance | s.Records | s.Reads | s.Writes | s.Throttled | c.over | c.guess | c.seen | c.seenCells
	set(flagWhole, all%One == 0)
	set(flagRequests, s.Requests == s.Cost)
	set(flagVariance, s.Variance == s.Cost)
	set(flagRecords, s.Records == s.Requests)
	switch s.Reads {
	case 0:
		f |= flagNoReads
	case s.Cost:
		f |= flagAllReads
	}
	switch s.Writes {
	case 0:
		f |= flagNoWrites
	case s.Cost:
		f |= flagAllWrites
	case s.Cost - s.Reads:
		f |= flagRest
	}
	set(flagThrottled, s.Throttled > 0)
	set(flagOver, c.over > 0)
	set(flagSeen, c.seen > 0 || c.seenCells > 0)
	set(flagTenants, c.tenants[0].word > 0)
	set(flagTwoTenants, c.tenants[1].word > 0)
	set(flagCallers, c.callers[0].word > 0)
	set(flagTwoCallers, c.callers[1].word > 0)
	return f
}

// appendCell appends the record of a cell.
func appendCell(b []byte, id int, c *cell) []byte {
	b = appendVarint(b, uint64(id))
	at := len(b)
	f := c.flags()
	b = append(b, 0, byte(f), byte(f>>8))
	unit := uint(0)
	if f&flagWhole != 0 {
		unit = 8
	}
	s := &c.sums
	b = appendVarint(b, s.Cost>>unit)
	b = appendUnless(b, f&flagRequests, s.Requests>>unit)
	b = appendUnless(b, f&flagVariance, s.Variance>>unit)
	b = appendUnless(b, f&flagRecords, s.Records>>unit)
	b = appendUnless(b, f&(flagNoReads|flagAllReads), s.Reads>>unit)
	b = appendUnless(b, f&(flagNoWrites|flagAllWrites|flagRest), s.Writes>>unit)
	if f&flagThrottled != 0 {
		b = appendVarint(b, s.Throttled>>unit)
	}
	if f&flagOver != 0 {
		b = appendVarint(appendVarint(b, c.over>>unit), (c.over-c.guess)>>unit)
	}
	if f&flagSeen != 0 {
		b = appendVarint(appendVarint(b, c.seen>>unit), c.seenCells>>unit)
	}
	for i := range 2 {
		b = appendSender(b, c.tenants[i], s.Cost)
		b = appendSender(b, c.callers[i], s.Cost)
	}
	b[at] = byte(len(b) - at - 1)
	return b
}

func appendUnless(b []byte, known uint, v uint64) []byte {
	if known != 0 {
		return b
	}
	return appendVarint(b, v)
}

// appendSender appends a sender; one that sent everything needs no number.
func appendSender(b []byte, s sender, all uint64) []byte {
	switch {
	case s.word == 0:
		return b
	case s.cost == all:
		return appendVarint(b, uint64(s.word)<<1)
	}
	return appendVarint(appendVarint(b, uint64(s.word)<<1|1), s.cost)
}
