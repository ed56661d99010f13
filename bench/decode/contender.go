package decode

// Sum adds up what a pass over a log got out of it, so that nothing of the work can be left out.
type Sum struct {
	Records                int
	Time                   int64 // of all records, milliseconds
	Text                   int   // bytes of tenant, key and shard
	Writes                 int   // records whose op is not GET
	Weight, Bytes, Latency float64
	Status                 int
}

// Add adds a row.
func (s *Sum) Add(r *Row) { s.count(r, r.Op != "GET") }

// count adds a row that writes or does not.
func (s *Sum) count(r *Row, writes bool) {
	s.Records++
	s.Time += r.TS
	s.Text += len(r.Tenant) + len(r.Key) + len(r.Shard)
	if writes {
		s.Writes++
	}
	s.Weight += r.Weight
	s.Bytes += r.Bytes
	s.Latency += r.Latency
	s.Status += r.Status
}

// Sum returns the sums that a pass over the log must have.
func (c *Corpus) Sum() Sum {
	var s Sum
	for i := range c.Rows {
		s.Add(&c.Rows[i])
	}
	return s
}

// Contender reads the nine fields out of a log in one way.
type Contender struct {
	// Format is the log that it reads, one of Formats.
	Format string
	// Name says what it is.
	Name string
	// Open makes what reads the whole log once, from the first record to the last, whenever it is called. It reuses
	// what a program of that kind would reuse.
	Open func(c *Corpus) (pass func() (Sum, error), err error)
}

// ByLine makes the Open of a contender that reads single lines into a Row, which it is given empty.
func ByLine(read func(line []byte, r *Row) error) func(c *Corpus) (func() (Sum, error), error) {
	return func(c *Corpus) (func() (Sum, error), error) {
		var r Row
		return func() (Sum, error) {
			var sum Sum
			for _, line := range c.Lines {
				r = Row{}
				if err := read(line, &r); err != nil {
					return Sum{}, err
				}
				sum.Add(&r)
			}
			return sum, nil
		}, nil
	}
}
