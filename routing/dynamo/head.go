package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"firebreak/routing/control"
)

// settle writes the head that is owed, if one is. What is still owed afterwards is tried again at the next load, and replaced by the
// next write.
func (s *Store) settle(ctx context.Context) {
	s.mu.Lock()
	owed := s.owed
	if owed == nil {
		s.mu.Unlock()
		return
	}
	head := *owed
	head.Clients = s.clients
	s.mu.Unlock()
	err := s.putHead(ctx, head)
	if err != nil {
		s.observe(Event{Kind: HeadLags, Err: err})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owed == owed {
		s.owed = nil
	}
}

// Count says how many clients live; heads have it until it is said again.
func (s *Store) Count(ctx context.Context, clients int) error {
	s.mu.Lock()
	s.clients = clients
	s.mu.Unlock()
	item, err := s.get(ctx, "read the head", headSort, true, false)
	if errors.Is(err, control.ErrNone) {
		return nil // it is written with the first state, or at the next load
	}
	if err != nil {
		return err
	}
	head, err := parse(item, control.ParseHead)
	if err != nil || head.Clients == clients {
		return err
	}
	head.Clients = clients
	return s.putHead(ctx, head)
}

// putHead writes a head unless a later one stands.
func (s *Store) putHead(ctx context.Context, head control.Head) error {
	b, err := head.Encode()
	if err != nil {
		return err
	}
	item, err := itemOf(b, key(s.keys.fleet, headSort))
	if err != nil {
		return err
	}
	in := &dynamodb.PutItemInput{
		TableName: s.table, Item: item,
		ConditionExpression:       aws.String("attribute_not_exists(#version) OR #version <= :version"),
		ExpressionAttributeNames:  map[string]string{"#version": "version"},
		ExpressionAttributeValues: attributes{":version": number(head.Version)},
	}
	_, err = s.do(ctx, writing, "write the head", func(ctx context.Context) error {
		_, err := s.api.PutItem(ctx, in, once)
		return err
	})
	if denied(err) {
		return nil
	}
	return err
}
