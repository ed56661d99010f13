package sketch

// readNumber reads the number of a name and where the rest of its record begins and ends.
func readNumber(b []byte, i int) (id, from, to int) {
	v, i := varint(b, i)
	return int(v), i + 1, i + 1 + int(b[i])
}

// seek finds the next record from at on whose name is marked: its mark less one, and where the rest of the record begins
// and ends. It gives -1 at the end.
func seek(b []byte, at int, mark []int32) (marked, from, to int) {
	for at < len(b) {
		id, n := int(b[at]), at+1
		if id >= 0x80 {
			if high := b[n]; high < 0x80 {
				id, n = id&0x7f|int(high)<<7, n+1
			} else {
				var v uint64
				v, n = varint(b, at)
				id = int(v)
			}
		}
		at = n + 1 + int(b[n])
		if m := mark[id]; m > 0 {
			return int(m) - 1, n + 1, at
		}
	}
	return -1, at, at
}

// readCell reads the rest of a record and gives where it ends. Every run of bytes that ends with one under 0x80 is one.
func readCell(b []byte, i int, c *cell) (end int) {
	f := uint(b[i]) | uint(b[i+1])<<8
	i += 2
	unit := uint(0)
	if f&flagWhole != 0 {
		unit = 8
	}
	s := &c.sums
	var v uint64
	next := func() uint64 {
		v, i = varint(b, i)
		return v
	}
	s.Cost = next() << unit
	s.Requests = s.Cost
	if f&flagRequests == 0 {
		s.Requests = next() << unit
	}
	s.Variance = s.Cost
	if f&flagVariance == 0 {
		s.Variance = next() << unit
	}
	s.Records = s.Requests
	if f&flagRecords == 0 {
		s.Records = next() << unit
	}
	readOps(f, s, unit, next)
	c.over, c.guess, c.seen, c.seenCells = 0, 0, 0, 0
	if f&flagOver != 0 {
		c.over = next() << unit
		c.guess = c.over - next()<<unit
	}
	if f&flagSeen != 0 {
		c.seen = next() << unit
		c.seenCells = next() << unit
	}
	c.tenants[0] = readSender(f&flagTenants, s.Cost, next)
	c.callers[0] = readSender(f&flagCallers, s.Cost, next)
	c.tenants[1] = readSender(f&flagTwoTenants, s.Cost, next)
	c.callers[1] = readSender(f&flagTwoCallers, s.Cost, next)
	return i
}

// readEstimate reads the estimate of a cell, and whether senders follow.
func readEstimate(b []byte, i int) (estimate uint64, senders bool) {
	f := uint(b[i]) | uint(b[i+1])<<8
	senders = f&(flagTenants|flagCallers|flagTwoTenants|flagTwoCallers) != 0
	if f&flagOver != 0 {
		var c cell
		readCell(b, i, &c)
		return c.estimate(), senders
	}
	estimate, _ = varint(b, i+2)
	if f&flagWhole != 0 {
		estimate <<= 8
	}
	return estimate, senders
}

func readOps(f uint, s *Sums, unit uint, next func() uint64) {
	switch {
	case f&flagNoReads != 0:
		s.Reads = 0
	case f&flagAllReads != 0:
		s.Reads = s.Cost
	default:
		s.Reads = next() << unit
	}
	switch {
	case f&flagNoWrites != 0:
		s.Writes = 0
	case f&flagAllWrites != 0:
		s.Writes = s.Cost
	case f&flagRest != 0:
		s.Writes = s.Cost - s.Reads
	default:
		s.Writes = next() << unit
	}
	s.Throttled = 0
	if f&flagThrottled != 0 {
		s.Throttled = next() << unit
	}
}

func readSender(there uint, all uint64, next func() uint64) sender {
	if there == 0 {
		return sender{}
	}
	v := next()
	if v&1 == 0 {
		return sender{uint32(v >> 1), all}
	}
	return sender{uint32(v >> 1), next()}
}
