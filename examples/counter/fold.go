package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"firebreak/routing"
)

// fold takes the pieces of a key back into the bare one: those whose suffixes the routing document lists as tombstones. What the document
// says of those it says for ever, so any version of it will do. Each step may be made again, by anybody, at any time: after a crash it is
// simply called anew.
func (c *counters) fold(ctx context.Context, key string) error {
	if err := c.check(key); err != nil {
		return err
	}
	return c.foldBy(ctx, c.router.Table(), key)
}

func (c *counters) foldBy(ctx context.Context, table *routing.Table, key string) error {
	salt, salted := table.Salt(nil, []byte(key))
	if !salted {
		return nil
	}
	for _, suffix := range salt.Tombstones {
		physical := table.AppendPieceKey(nil, []byte(key), suffix)
		frozen, err := c.freeze(ctx, physical)
		if err != nil {
			return fmt.Errorf("freeze %s: %w", physical, err)
		}
		if err := c.take(ctx, []byte(key), suffix, frozen); err != nil {
			return fmt.Errorf("fold %s: %w", physical, err)
		}
	}
	return nil
}

// freeze puts the tombstone on a piece, and gives the value that it keeps from then on.
func (c *counters) freeze(ctx context.Context, physical []byte) (int64, error) {
	var out *dynamodb.UpdateItemOutput
	err := call(ctx, true, func() (err error) {
		out, err = c.api.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &c.table, Key: itemKey(physical),
			UpdateExpression:          aws.String("SET #frozen = :true"),
			ExpressionAttributeNames:  map[string]string{"#frozen": attributeFrozen},
			ExpressionAttributeValues: item{":true": &types.AttributeValueMemberBOOL{Value: true}},
			ReturnValues:              types.ReturnValueAllNew,
		}, once)
		return err
	})
	if err != nil {
		return 0, err
	}
	return value(out.Attributes)
}

// take adds a frozen value to the bare key and the piece's suffix to the names there, in one write and once.
func (c *counters) take(ctx context.Context, key []byte, suffix uint32, frozen int64) error {
	name := strconv.FormatUint(uint64(suffix), 10)
	err := call(ctx, true, func() error {
		_, err := c.api.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &c.table, Key: itemKey(key),
			UpdateExpression:         aws.String("ADD #value :frozen, #folded :suffixes"),
			ConditionExpression:      aws.String("NOT contains(#folded, :suffix)"),
			ExpressionAttributeNames: map[string]string{"#value": attributeValue, "#folded": attributeFolded},
			ExpressionAttributeValues: item{
				":frozen": number(frozen), ":suffix": &types.AttributeValueMemberN{Value: name},
				":suffixes": &types.AttributeValueMemberNS{Value: []string{name}},
			},
		}, once)
		return err
	})
	if denied(err) { // it has it, by an earlier attempt or somebody else's
		return nil
	}
	return err
}

// fresh are n suffixes that a key never had: a tombstone stays for ever.
func fresh(salt *routing.Salt, n int) []uint32 {
	out := make([]uint32, 0, n)
	for s := uint32(1); len(out) < n; s++ {
		if !slices.Contains(salt.Tombstones, s) {
			out = append(out, s)
		}
	}
	return out
}
