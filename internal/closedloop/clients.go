package closedloop

import (
	"fmt"
	"math/rand/v2"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// client sends a share of every stream by the table that it holds.
type client struct {
	name   string
	share  float64 // of all requests
	every  time.Duration
	next   time.Time // when it polls
	cut    [2]time.Duration
	deaf   bool // it confirms what it reads, and routes by what it held first
	holds  uint64
	epoch  uint64
	beat   uint64
	placed *placing
}

// placing is where a table sends the streams of a fleet.
type placing struct {
	version uint64
	table   *routing.Table
	to      [][]part
}

// part is what of a stream's reads and writes goes to a shard.
type part struct {
	shard         routing.ShardID
	reads, writes float64 // shares; reads of all parts may sum to more than 1
}

// cachedReads is the share of a cached key's reads that its shard still sees.
const cachedReads = 0.02

// place works out where a document sends every stream.
func (f *Fleet) place(d *routing.Document) (*placing, error) {
	table, err := f.Table.With(d)
	if err != nil {
		return nil, err
	}
	p := &placing{version: d.Version, table: table, to: make([][]part, len(f.Streams))}
	for i := range f.Streams {
		p.to[i] = f.parts(table, &f.Streams[i])
	}
	return p, nil
}

func (f *Fleet) parts(t *routing.Table, s *Stream) []part {
	name := []byte(s.Name)
	switch {
	case s.Name == "":
		return []part{{t.Owner(s.VShard), 1, 1}}
	case f.ByTenant():
		if shards, ok := t.PlacedTenant(name); ok {
			out := make([]part, 0, len(shards))
			for _, id := range shards {
				out = append(out, part{id, 1 / float64(len(shards)), 1 / float64(len(shards))})
			}
			return out
		}
		return []part{{t.Owner(s.VShard), 1, 1}}
	}
	reads := 1.0
	for _, c := range t.Document().Cached {
		if c.Key == s.Name {
			reads = cachedReads
		}
	}
	salt, ok := t.Salt(nil, name)
	if !ok {
		return []part{{t.Owner(s.VShard), reads, 1}}
	}
	var out []part
	for _, p := range t.Pieces(nil, name, nil) {
		one := part{shard: p.Shard}
		if p.Index < salt.Read {
			one.reads = reads
		}
		if p.Index < salt.Write {
			one.writes = 1 / float64(salt.Write)
		}
		out = append(out, one)
	}
	return out
}

// drawClients makes 2 to 5 of a fleet; lags says that one or two of them poll late, and that one is cut off for a while.
func (l *Loop) drawClients(r *rand.Rand, first *placing) {
	n := 2 + r.IntN(4)
	var sum float64
	for i := range n {
		c := &client{name: fmt.Sprintf("app-%d", i), share: 0.5 + r.Float64(), every: 5 * time.Second, placed: first, holds: first.version, epoch: 1}
		if l.o.Lags && i < 2 {
			c.every = time.Duration(5+r.IntN(45)) * time.Second
		}
		if l.o.Lags && i == 0 {
			c.cut[0] = l.o.Onset + time.Duration(r.IntN(1200))*time.Second
			c.cut[1] = c.cut[0] + time.Duration(r.IntN(180))*time.Second
		}
		c.deaf = l.o.Deaf
		sum += c.share
		l.clients = append(l.clients, c)
	}
	for _, c := range l.clients {
		c.share /= sum
	}
}

// poll lets clients read the document that is there, and confirm it.
func (l *Loop) poll() error {
	if l.store.away(l.now) {
		return nil
	}
	since := l.now.Sub(start())
	for _, c := range l.clients {
		if l.now.Before(c.next) || since >= c.cut[0] && since < c.cut[1] {
			continue
		}
		c.next = l.now.Add(c.every)
		c.beat++
		if c.holds == l.store.at.Version {
			continue
		}
		c.holds, c.epoch = l.store.at.Version, l.store.at.Epoch
		if c.deaf {
			continue
		}
		p, err := l.placingOf()
		if err != nil {
			return err
		}
		c.placed = p
	}
	return nil
}

// placingOf is where the document sends streams that stands in the store.
func (l *Loop) placingOf() (*placing, error) {
	if l.stored != nil && l.stored.version == l.store.at.Version {
		return l.stored, nil
	}
	s, err := control.ParseState(l.store.state)
	if err != nil {
		return nil, err
	}
	l.stored, err = l.fleet.place(s.Document)
	return l.stored, err
}

func (l *Loop) confirmations() []control.Confirmation {
	var out []control.Confirmation
	for _, c := range l.clients {
		out = append(out, control.Confirmation{Client: c.name, Epoch: c.epoch, Version: c.holds, Beat: c.beat})
	}
	return out
}
