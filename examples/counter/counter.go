package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"firebreak/routing"
	"firebreak/routing/client"
)

// ErrUnknown is an increment whose reply was lost: it may be counted or not. It is not sent again, as it might count twice.
var ErrUnknown = errors.New("whether it was counted is not known")

// counters is a DynamoDB table of counters, each of them one item, or one item a piece where its key is salted:
//
//	pk = counter/KEY or counter/KEY#SUFFIX    sk = counter
//	value    what was counted
//	frozen   of a piece: it is folded, and nothing is added to it any more
//	folded   of the bare key: the suffixes of the pieces whose values it has
//
// The partition key is the piece's, so each piece has the 1,000 write units a second that DynamoDB gives to one. It is safe for any number
// of goroutines.
type counters struct {
	api    *dynamodb.Client
	table  string
	router *client.Router
}

const (
	attributePK, attributeSK                         = "pk", "sk"
	attributeValue, attributeFrozen, attributeFolded = "value", "frozen", "folded"
	sortKey                                          = "counter"
	// mostTurns is how often an increment asks where to go, and a read begins anew.
	mostTurns = 5
)

// space declares that these keys merge, as policy.key_spaces does in firebreak's configuration.
func space() []client.Space { return []client.Space{{Kind: client.KindCounter}} }

// increment adds n to a counter. Nil means that it is counted; ErrUnknown that it may be; any other error that it is not.
func (c *counters) increment(ctx context.Context, key string, n int64) error {
	if err := c.check(key); err != nil {
		return err
	}
	for turn := range mostTurns {
		d := c.router.Decide(client.Write, nil, []byte(key))
		if d.Err != nil {
			return d.Err
		}
		piece := d.Piece
		if turn > 0 { // the piece that was drawn before is folded: the bare key is never, and is part of every read
			piece = routing.Piece{}
		}
		err := call(ctx, false, func() error {
			_, err := c.api.UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName: &c.table, Key: itemKey(d.AppendKey(nil, piece)),
				UpdateExpression:    aws.String("ADD #value :n"),
				ConditionExpression: aws.String("attribute_not_exists(#frozen)"), // the condition that everything rests on
				ExpressionAttributeNames: map[string]string{
					"#value": attributeValue, "#frozen": attributeFrozen,
				},
				ExpressionAttributeValues: item{":n": number(n)},
			}, once)
			return err
		})
		if !denied(err) {
			return err
		}
	}
	return fmt.Errorf("%q: refused %d times", key, mostTurns)
}

// read gives a counter: all that was counted before it began is in it. With a *client.Partial it is the sum of the pieces that answered;
// any other error gives nothing.
func (c *counters) read(ctx context.Context, key string) (int64, error) {
	if err := c.check(key); err != nil {
		return 0, err
	}
	for range mostTurns {
		d := c.router.Decide(client.Read, nil, []byte(key))
		if d.Err != nil {
			return 0, d.Err
		}
		pieces := d.AppendPieces(nil)
		keys := make([]string, len(pieces))
		for i, p := range pieces {
			keys[i] = partition(d.AppendKey(nil, p))
		}
		items, failed := c.batch(ctx, keys)
		_, err := c.router.Check(&d) // may it be used, now that it is here?
		switch {
		case errors.Is(err, client.ErrChanged):
			continue
		case err != nil:
			return 0, err
		}
		return sum(pieces, keys, items, failed)
	}
	return 0, client.ErrChanged
}

// sum adds the pieces up, without those that the bare one names as folded: it has their values.
func sum(pieces []routing.Piece, keys []string, items map[string]item, failed error) (total int64, err error) {
	folded, err := suffixes(items[keys[0]])
	if err != nil {
		return 0, err
	}
	var missing []int
	for i, p := range pieces {
		it, answered := items[keys[i]]
		switch {
		case i > 0 && folded[p.Suffix]:
		case !answered:
			missing = append(missing, p.Index)
		default:
			n, err := value(it)
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	if missing != nil {
		return total, &client.Partial{Missing: missing, Err: failed}
	}
	return total, nil
}

// check refuses keys that could be taken for a piece of another one, and what DynamoDB does not take.
func (c *counters) check(key string) error {
	if separator := c.router.Table().Document().Placement.Separator; strings.Contains(key, separator) {
		return fmt.Errorf("key: %q has a %q, which sets pieces apart", key, separator)
	}
	if key == "" || len(key) > 1000 || !utf8.ValidString(key) {
		return fmt.Errorf("key: %q, want 1 to 1000 bytes of UTF-8", key)
	}
	return nil
}

// item is an item as DynamoDB gives it.
type item = map[string]types.AttributeValue

func partition(physical []byte) string { return "counter/" + string(physical) }

func itemKey(physical []byte) item { return keyOf(partition(physical)) }

func keyOf(partition string) item {
	return item{
		attributePK: &types.AttributeValueMemberS{Value: partition}, attributeSK: &types.AttributeValueMemberS{Value: sortKey},
	}
}
