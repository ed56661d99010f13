package dynamo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"firebreak/routing"
	"firebreak/routing/control"
)

// mostDenials is how often a write is sent whose condition is refused although it holds.
const mostDenials = 3

// Load reads the state, consistently; control.ErrNone where there is none.
func (s *Store) Load(ctx context.Context) (*control.State, error) {
	item, err := s.get(ctx, "load the state", documentSort, true, false)
	if err != nil {
		return nil, err
	}
	state, err := parse(item, control.ParseState)
	if err != nil {
		return nil, fmt.Errorf("load the state: %w", err)
	}
	s.settle(ctx)
	return state, nil
}

// get reads an item of the fleet; control.ErrNone where there is none.
func (p *place) get(ctx context.Context, what, sort string, consistent, documentOnly bool) (attributes, error) {
	in := &dynamodb.GetItemInput{TableName: p.table, Key: key(p.keys.fleet, sort), ConsistentRead: &consistent}
	if documentOnly {
		in.ProjectionExpression, in.ExpressionAttributeNames = aws.String("#document"), map[string]string{"#document": "document"}
	}
	var out *dynamodb.GetItemOutput
	_, err := p.do(ctx, reading, what, func(ctx context.Context) (err error) {
		out, err = p.api.GetItem(ctx, in, once)
		return err
	})
	if err != nil {
		return nil, err
	}
	if out.Item == nil {
		return nil, control.ErrNone
	}
	return out.Item, nil
}

// parse reads an item by what reads its JSON form.
func parse[T any](item attributes, read func([]byte) (T, error)) (T, error) {
	b, err := toJSON(item)
	if err != nil {
		var none T
		return none, err
	}
	return read(b)
}

// Write replaces the state that stands at was by next; the zero was makes the first one. A *control.Conflict, control.ErrNotHome and
// any error but control.ErrUnknown say that it took no effect. Then it writes the head; a head that cannot be written is an event, and
// no error, because the state stands.
//
// The first write in a region makes it the home of a fleet that has none: a table may be replicated later, and then two regions could win
// the same version. [Store.Rehome] moves it.
func (s *Store) Write(ctx context.Context, was control.At, next *control.State) (control.Written, error) {
	if next.Home == "" && s.config.Region != "" {
		next = next.Copy()
		next.Home = s.config.Region
	}
	return s.writeFrom(ctx, s.config.Region, was, next)
}

// Rehome makes this region the home of a fleet whose home is another one, under a tenure of its own. It goes by the copy that this region
// has. On a table that is eventually consistent nobody may write in the old home any more: its last writes may be missing, and a later one
// of it would stand again.
func (s *Store) Rehome(ctx context.Context, from, tenure string) (control.At, error) {
	state, err := s.Load(ctx)
	if err != nil {
		return control.At{}, err
	}
	if s.config.Region == "" || state.Home != from {
		return control.At{}, fmt.Errorf("%w: its home is %q, and not %q", control.ErrNotHome, routing.Escape(state.Home), routing.Escape(from))
	}
	next, err := state.Claim(0, tenure)
	if err != nil {
		return control.At{}, err
	}
	next.Home = s.config.Region
	if _, err := s.writeFrom(ctx, from, state.At(), next); err != nil {
		return control.At{}, err
	}
	return next.At(), nil
}

// writeFrom is a write that takes effect where the fleet's home is a region, or none.
func (s *Store) writeFrom(ctx context.Context, home string, was control.At, next *control.State) (control.Written, error) {
	in, err := s.write(home, was, next)
	if err != nil {
		return control.Written{}, err
	}
	written, err := s.settleWrite(ctx, in, was, next)
	if err != nil {
		return control.Written{}, err
	}
	s.mu.Lock()
	s.owed = &control.Head{Epoch: next.Document.Epoch, Version: next.Document.Version, Bytes: itemSize(in.Item)}
	s.mu.Unlock()
	s.settle(ctx)
	return written, nil
}

// write is the one conditional write, judged as far as it can be without the table.
func (s *Store) write(home string, was control.At, next *control.State) (*dynamodb.PutItemInput, error) {
	if err := next.Validate(); err != nil {
		return nil, err
	}
	if err := control.Follows(was, next); err != nil {
		return nil, err
	}
	if next.Document.Fleet != s.config.Fleet {
		return nil, fmt.Errorf("fleet: %q, this is the store of %q", routing.Escape(next.Document.Fleet), routing.Escape(s.config.Fleet))
	}
	if next.Home != "" && next.Home != s.config.Region {
		return nil, fmt.Errorf("%w: it is %q, and this is %q", control.ErrNotHome, routing.Escape(next.Home), routing.Escape(s.config.Region))
	}
	b, err := next.Encode()
	if err != nil {
		return nil, err
	}
	item, err := itemOf(b, key(s.keys.fleet, documentSort))
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	in := &dynamodb.PutItemInput{TableName: s.table, Item: item, ExpressionAttributeNames: map[string]string{"#pk": partitionKey}}
	in.ConditionExpression = aws.String("attribute_not_exists(#pk)")
	if was != (control.At{}) {
		condition(in, home, was)
	}
	return in, nil
}

// itemOf makes an item of a JSON object and its key.
func itemOf(b []byte, key attributes) (attributes, error) {
	item, err := fromJSON(b)
	if err != nil {
		return nil, err
	}
	maps.Copy(item, key)
	return item, checkSize("item", item)
}

// condition lets a write happen only while the state stands at was, and its home is that region, or none.
func condition(in *dynamodb.PutItemInput, region string, was control.At) {
	in.ExpressionAttributeNames = map[string]string{
		"#document": "document", "#epoch": "epoch", "#tenure": "tenure", "#version": "version", "#home": "home",
	}
	in.ExpressionAttributeValues = attributes{":epoch": number(was.Epoch), ":version": number(was.Version)}
	tenure := "attribute_not_exists(#document.#tenure)"
	if was.Tenure != "" {
		tenure = "#document.#tenure = :tenure"
		in.ExpressionAttributeValues[":tenure"] = text(routing.Escape(was.Tenure))
	}
	home := "attribute_not_exists(#home)"
	if region != "" {
		home = "(attribute_not_exists(#home) OR #home = :home)"
		in.ExpressionAttributeValues[":home"] = text(routing.Escape(region))
	}
	in.ConditionExpression = aws.String("#document.#epoch = :epoch AND #document.#version = :version AND " + tenure + " AND " + home)
}

// settleWrite sends a write until it is known what became of it, or ctx ends.
func (s *Store) settleWrite(ctx context.Context, in *dynamodb.PutItemInput, was control.At, next *control.State) (control.Written, error) {
	var all tries
	for denials := 1; ; denials++ {
		t, err := s.do(ctx, writing, "write the state", func(ctx context.Context) error {
			_, err := s.api.PutItem(ctx, in, once)
			return err
		})
		all.sent, all.lost = all.sent+t.sent, all.lost || t.lost
		switch {
		case err == nil:
			return control.Written{Attempts: all.sent}, nil
		case !denied(err) && all.lost:
			return control.Written{}, fmt.Errorf("%w: %w", control.ErrUnknown, err)
		case !denied(err):
			return control.Written{}, err
		}
		found, err := s.readBack(ctx, was, next, all)
		if found || err != nil {
			return control.Written{ReadBack: true, Attempts: all.sent}, err
		}
		if denials == mostDenials {
			return control.Written{}, fmt.Errorf("write the state: DynamoDB says that it does not stand at %s, and that is where it stands", was)
		}
	}
}

// same compares two states by what is written of them.
func same(a, b *control.State) bool {
	x, err := a.Encode()
	if err != nil {
		return false
	}
	y, err := b.Encode()
	return err == nil && bytes.Equal(x, y)
}

// readBack finds out whether a write that was denied had taken effect before, by a consistent read. Without an error, not found is a
// state that stands where the write wants it.
func (s *Store) readBack(ctx context.Context, was control.At, next *control.State, t tries) (found bool, err error) {
	state, err := s.Load(ctx)
	var now control.At
	switch {
	case errors.Is(err, control.ErrNone):
	case err != nil:
		return false, fmt.Errorf("%w: %w", control.ErrUnknown, err)
	default:
		now = state.At()
	}
	switch {
	case t.lost && now == next.At() && same(state, next):
		return true, nil
	case t.lost && now.Version > next.Document.Version:
		// Ours may have stood before this one, or never.
		return false, fmt.Errorf("%w: its reply was lost, and it stands at %s by now", control.ErrUnknown, now)
	case state != nil && state.Home != "" && state.Home != s.config.Region:
		return false, fmt.Errorf("%w: it is %q, and this is %q", control.ErrNotHome, routing.Escape(state.Home), routing.Escape(s.config.Region))
	case now == was:
		return false, nil
	}
	return false, &control.Conflict{Now: now}
}
