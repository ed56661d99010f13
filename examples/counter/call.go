package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

const (
	// mostKeys is how many keys one BatchGetItem takes:
	// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
	mostKeys = 100
	// readFor is how long a read waits for all pieces.
	readFor = 2 * time.Second
)

// once turns the SDK's own retries off: it would send an increment again whose reply was lost.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// call sends a request until it is done or refused, or ctx ends. A throttled one took no effect and is sent again; one whose reply was
// lost only where twice says that it may take effect twice.
func call(ctx context.Context, twice bool, send func() error) error {
	for attempt := 0; ; attempt++ {
		err := send()
		switch {
		case err == nil, refused(err):
			return err
		case !throttled(err) && !twice:
			return fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		if wait(ctx, attempt) != nil {
			return err
		}
	}
}

// throttled says that DynamoDB did nothing, as there was too much to do.
func throttled(err error) bool {
	var said smithy.APIError
	if !errors.As(err, &said) {
		return false
	}
	_, is := retry.DefaultThrottleErrorCodes[said.ErrorCode()]
	return is
}

// refused says that DynamoDB did nothing, and will not.
func refused(err error) bool {
	var answer *smithyhttp.ResponseError
	return errors.As(err, &answer) && answer.HTTPStatusCode() >= 400 && answer.HTTPStatusCode() < 500 && !throttled(err)
}

// denied says that the condition of a write did not hold.
func denied(err error) bool {
	var d *types.ConditionalCheckFailedException
	return errors.As(err, &d)
}

// wait backs off, up to 20 ms after the first attempt and up to a second after many; it ends early with ctx.
func wait(ctx context.Context, attempt int) error {
	t := time.NewTimer(rand.N(min(time.Second, 20*time.Millisecond<<min(attempt, 6))))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// batch reads items by their partition keys, consistently. An item that is not there is an empty one; where keys are missing in the
// answer, err says why.
func (c *counters) batch(ctx context.Context, keys []string) (found map[string]item, err error) {
	ctx, stop := context.WithTimeout(ctx, readFor)
	defer stop()
	found = make(map[string]item, len(keys))
	for len(keys) > 0 {
		now := keys[:min(mostKeys, len(keys))]
		if err := c.batchOnce(ctx, now, found); err != nil {
			return found, err
		}
		keys = keys[len(now):]
	}
	return found, nil
}

// batchOnce reads what one call takes, and asks again for what DynamoDB did not get to.
func (c *counters) batchOnce(ctx context.Context, keys []string, found map[string]item) error {
	left := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	for _, key := range keys {
		left.Keys = append(left.Keys, keyOf(key))
	}
	for attempt := 0; ; attempt++ {
		var out *dynamodb.BatchGetItemOutput
		err := call(ctx, true, func() (err error) {
			out, err = c.api.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
				RequestItems: map[string]types.KeysAndAttributes{c.table: left},
			}, once)
			return err
		})
		if err != nil {
			return err
		}
		unprocessed := out.UnprocessedKeys[c.table]
		for _, key := range left.Keys {
			found[text(key[attributePK])] = item{}
		}
		for _, it := range out.Responses[c.table] {
			found[text(it[attributePK])] = it
		}
		for _, key := range unprocessed.Keys {
			delete(found, text(key[attributePK]))
		}
		if len(unprocessed.Keys) == 0 {
			return nil
		}
		left = unprocessed
		if err := wait(ctx, attempt); err != nil {
			return fmt.Errorf("%d keys were not read: %w", len(left.Keys), err)
		}
	}
}

func text(v types.AttributeValue) string {
	if s, is := v.(*types.AttributeValueMemberS); is {
		return s.Value
	}
	return ""
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// value is what an item counted; 0 where there is none.
func value(it item) (int64, error) {
	v, ok := it[attributeValue].(*types.AttributeValueMemberN)
	if !ok {
		return 0, nil
	}
	return strconv.ParseInt(v.Value, 10, 64)
}

// suffixes are the pieces that a bare item names as folded.
func suffixes(bare item) (map[uint32]bool, error) {
	set, ok := bare[attributeFolded].(*types.AttributeValueMemberNS)
	if !ok {
		return nil, nil
	}
	out := make(map[uint32]bool, len(set.Value))
	for _, s := range set.Value {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", attributeFolded, err)
		}
		out[uint32(n)] = true
	}
	return out, nil
}
