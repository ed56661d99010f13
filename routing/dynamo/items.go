package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"firebreak/routing/control"
)

// Put puts a request, for the decider to answer. The same one may be put again.
func (s *Store) Put(ctx context.Context, r *control.Request) error {
	b, err := r.Encode()
	if err != nil {
		return err
	}
	return s.put(ctx, "put a request", b, key(s.keys.requests, r.ID))
}

// put writes an item whatever stood there.
func (p *place) put(ctx context.Context, what string, b []byte, key attributes) error {
	item, err := itemOf(b, key)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	_, err = p.do(ctx, writing, what, func(ctx context.Context) error {
		_, err := p.api.PutItem(ctx, &dynamodb.PutItemInput{TableName: p.table, Item: item}, once)
		return err
	})
	return err
}

// Requests lists the requests that stand, by id, consistently. One that cannot be read, as a newer firebreak may have put it, is an event
// and is left out, so that it does not keep the others from their answers.
func (s *Store) Requests(ctx context.Context) ([]*control.Request, error) {
	var out []*control.Request
	err := s.each(ctx, "list requests", s.keys.requests, func(item attributes) error {
		r, err := parse(item, control.ParseRequest)
		if err != nil {
			s.observe(Event{Kind: Unreadable, Err: fmt.Errorf("request %s: %w", nameOf(item), err)})
			return nil
		}
		out = append(out, r)
		return nil
	})
	return out, err
}

// Drop deletes a request that has its answer. One that is gone is no error.
func (s *Store) Drop(ctx context.Context, id string) error {
	if id == "" {
		return errors.New("drop a request: want its id")
	}
	return s.remove(ctx, "drop a request", key(s.keys.requests, id))
}

func (s *Store) remove(ctx context.Context, what string, key attributes) error {
	_, err := s.do(ctx, writing, what, func(ctx context.Context) error {
		_, err := s.api.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: s.table, Key: key}, once)
		return err
	})
	return err
}

// Confirmations lists what clients confirmed, consistently. One that cannot be read is an error: it may be of a client that has to be
// waited for.
func (s *Store) Confirmations(ctx context.Context) ([]control.Confirmation, error) {
	var out []control.Confirmation
	for i := range spread {
		err := s.each(ctx, "list confirmations", s.keys.clientsAt(i), func(item attributes) error {
			c, err := parse(item, control.ParseConfirmation)
			if err != nil {
				return fmt.Errorf("list confirmations: %s: %w", nameOf(item), err)
			}
			out = append(out, *c)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Forget deletes a client's item. One that is gone is no error.
func (s *Store) Forget(ctx context.Context, client string) error {
	if client == "" {
		return errors.New("forget a client: want its name")
	}
	return s.remove(ctx, "forget a client", key(s.keys.ofClient(client), client))
}

// nameOf is an item's sort key, escaped as it is written.
func nameOf(item attributes) string {
	v, err := fromAttribute(item[sortKey])
	if err != nil {
		return "an item"
	}
	return fmt.Sprintf("%q", v)
}

// each reads the items of a partition key, page by page, by their sort keys.
func (s *Store) each(ctx context.Context, what, partition string, f func(attributes) error) error {
	in := &dynamodb.QueryInput{
		TableName: s.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("#pk = :pk"),
		ExpressionAttributeNames: map[string]string{"#pk": partitionKey}, ExpressionAttributeValues: attributes{":pk": text(partition)},
	}
	for {
		var out *dynamodb.QueryOutput
		_, err := s.do(ctx, reading, what, func(ctx context.Context) (err error) {
			out, err = s.api.Query(ctx, in, once)
			return err
		})
		if err != nil {
			return err
		}
		for _, item := range out.Items {
			if err := f(item); err != nil {
				return err
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}
