package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// task is what firebreak's command mover gets on its standard input, as far as it is of use here.
type task struct {
	Operation, Version uint64
	Do                 string
	Carries            []struct {
		Entry    string
		From, To []string
	}
}

// carrier carries one virtual shard's data from one shard to another, for one step.
type carrier struct {
	from, to string // addresses
	query    url.Values
}

// carry does a task of firebreak.
func carry(ctx context.Context, in io.Reader, addresses map[string]string, versioned bool) error {
	var t task
	if err := json.NewDecoder(in).Decode(&t); err != nil {
		return err
	}
	for _, one := range t.Carries {
		v, ok := strings.CutPrefix(one.Entry, "vshard/")
		if !ok || len(one.From) != 1 || len(one.To) != 1 || addresses[one.From[0]] == "" || addresses[one.To[0]] == "" {
			return fmt.Errorf("%s from %v to %v: want a virtual shard, and shards that are known", one.Entry, one.From, one.To)
		}
		c := &carrier{addresses[one.From[0]], addresses[one.To[0]], url.Values{
			"vshard": {v}, "operation": {strconv.FormatUint(t.Operation, 10)}, "version": {strconv.FormatUint(t.Version, 10)},
		}}
		do := c.do
		if versioned {
			do = c.bring
		}
		if err := do(ctx, t.Do); err != nil {
			return fmt.Errorf("%s of %s: %w", t.Do, one.Entry, err)
		}
	}
	return nil
}

func (c *carrier) do(ctx context.Context, what string) error {
	switch what {
	case "copy":
		return c.copy(ctx)
	case "verify":
		return c.verify(ctx)
	case "drain": // nobody serves: what is caught is all there is
		if err := c.drain(ctx, c.from, c.to); err != nil {
			return err
		}
		return c.ask(ctx, c.to, "catch", "", nil, nil) // what it takes from the flip on
	case "return":
		return c.drain(ctx, c.to, c.from)
	case "drop":
		return c.end(ctx, c.to, c.from)
	case "clean":
		return c.end(ctx, c.from, c.to)
	}
	return errors.New("want copy, verify, drain, return, drop or clean")
}

// copy catches changes before it copies, so that none is missed.
func (c *carrier) copy(ctx context.Context) error {
	var all copied
	if err := c.ask(ctx, c.from, "catch", "", nil, nil); err != nil {
		return err
	}
	if err := c.ask(ctx, c.from, "data", "", nil, &all); err != nil {
		return err
	}
	if err := c.ask(ctx, c.to, "load", "", &all, nil); err != nil {
		return err
	}
	return c.follow(ctx, c.from, c.to)
}

// drain brings all that was caught at a shard that serves it no longer to the other.
func (c *carrier) drain(ctx context.Context, from, to string) error {
	if err := c.ask(ctx, from, "catch", "settled", nil, nil); err != nil {
		return err
	}
	return c.follow(ctx, from, to)
}

// end deletes what one shard has, and keeps what the other one has.
func (c *carrier) end(ctx context.Context, without, with string) error {
	if err := c.ask(ctx, without, "end", "settled&delete", nil, nil); err != nil {
		return err
	}
	return c.ask(ctx, with, "end", "", nil, nil)
}

// follow brings the changes that were caught at one shard to the other.
func (c *carrier) follow(ctx context.Context, from, to string) error {
	var have stretch
	if err := c.ask(ctx, to, "apply", "", &have, &have); err != nil { // none: it says how many it has
		return err
	}
	for {
		next := stretch{After: have.After}
		if err := c.ask(ctx, from, "changes", "", &next, &next); err != nil {
			return err
		}
		if len(next.Changes) == 0 {
			return nil
		}
		if err := c.ask(ctx, to, "apply", "", &next, &have); err != nil {
			return err
		}
	}
}

// verify compares both sides after the same changes.
func (c *carrier) verify(ctx context.Context) error {
	for range 100 {
		var from, to copied
		if err := c.ask(ctx, c.from, "data", "", nil, &from); err != nil {
			return err
		}
		if err := c.follow(ctx, c.from, c.to); err != nil {
			return err
		}
		if err := c.ask(ctx, c.to, "data", "", nil, &to); err != nil {
			return err
		}
		switch {
		case to.After != from.After: // a write came between
		case !maps.Equal(from.Data, to.Data):
			return fmt.Errorf("the copy has %d keys that differ from %d", len(to.Data), len(from.Data))
		default:
			return nil
		}
	}
	return errors.New("it changes too fast to be compared")
}

// ask asks a shard for a step.
func (c *carrier) ask(ctx context.Context, address, step, flags string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, err := call(ctx, http.MethodPost, address+"/carry/"+step+"?"+c.query.Encode()+"&"+flags, body)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer, out)
}
