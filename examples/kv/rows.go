package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"firebreak/routing"
)

// headerRow is the version of a row in a PUT.
const headerRow = "Kv-Row"

// row is a value with its version: of two writes the higher one stands, in whatever order they come. Deletes would be rows too.
type row struct {
	Value   string
	Version uint64
}

// versions draws those of a process: they rise, and those of several processes do by their clocks.
type versions struct{ last atomic.Uint64 }

func (v *versions) next() uint64 {
	for {
		last := v.last.Load()
		if n := max(uint64(time.Now().UnixNano()), last+1); v.last.CompareAndSwap(last, n) {
			return n
		}
	}
}

// rowVersion is what a PUT says; who does not say is the next after what is there.
func rowVersion(r *http.Request, have row) uint64 {
	if n, err := strconv.ParseUint(r.Header.Get(headerRow), 10, 64); err == nil {
		return n
	}
	return have.Version + 1
}

// keep takes a row that is newer than what is there. The caller holds mu.
func (s *shard) keep(key string, r row) bool {
	if have, ok := s.data[key]; ok && have.Version > r.Version {
		return false
	}
	s.data[key] = r
	return true
}

// rows gives what is here of a virtual shard.
func (s *shard) rows(_ http.ResponseWriter, _ *http.Request, m move, _ *carrying) (any, bool) {
	return copied{Data: s.of(m.vshard)}, true
}

// merge takes the rows that are newer than those that are here. From then on writes are taken too.
func (s *shard) merge(w http.ResponseWriter, r *http.Request, m move, c *carrying) (any, bool) {
	var in copied
	if !read(w, r, &in) {
		return nil, false
	}
	for key, value := range in.Data {
		s.keep(key, value)
	}
	s.arrived[m.vshard] = true
	c.did = m.version
	return nil, true
}

// bring is a step of a move by which clients write twice: nothing is caught, rows are compared by their versions.
func (c *carrier) bring(ctx context.Context, what string) error {
	switch what {
	case "copy":
		if err := c.ask(ctx, c.to, "merge", "", &copied{}, nil); err != nil { // second writes are taken from here on
			return err
		}
		return c.level(ctx, c.from, c.to)
	case "verify":
		return c.level(ctx, c.from, c.to)
	case "return":
		return c.level(ctx, c.to, c.from)
	case "drop":
		return c.end(ctx, c.to, c.from)
	case "clean":
		return c.end(ctx, c.from, c.to)
	}
	return errors.New("want copy, verify, return, drop or clean")
}

// level brings all rows that are newer at one shard to the other, and then looks whether they are there.
func (c *carrier) level(ctx context.Context, from, to string) error {
	var have, got copied
	if err := c.ask(ctx, from, "rows", "", nil, &have); err != nil {
		return err
	}
	if err := c.ask(ctx, to, "merge", "", &have, nil); err != nil {
		return err
	}
	if err := c.ask(ctx, to, "rows", "", nil, &got); err != nil {
		return err
	}
	for key, want := range have.Data {
		if is, ok := got.Data[key]; !ok || is.Version < want.Version {
			return fmt.Errorf("%q is at version %d, want %d", key, is.Version, want.Version)
		}
	}
	return nil
}

// of is what the shard has of a virtual shard. The caller holds mu.
func (s *shard) of(v routing.VShard) map[string]row {
	out := map[string]row{}
	table := s.guard.Table()
	for key, value := range s.data {
		if table != nil && table.VShard(nil, []byte(key)) == v {
			out[key] = value
		}
	}
	return out
}
