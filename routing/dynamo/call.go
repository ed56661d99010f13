package dynamo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// verdict is what became of one attempt.
type verdict uint8

const (
	refused   verdict = iota // DynamoDB said no, and says it again
	done                     // it took effect
	throttled                // it took no effect: too many
	unsent                   // it never got there
	lost                     // it may have taken effect
)

// judge reads an attempt's error. What it does not know it takes for lost.
func judge(err error) verdict {
	if err == nil {
		return done
	}
	var said smithy.APIError
	var answered *smithyhttp.ResponseError
	var sending *smithyhttp.RequestSendError
	var dialing *net.OpError
	var resolving *net.DNSError
	var canceled *smithy.CanceledError
	switch {
	case errors.As(err, &said):
		if _, is := retry.DefaultThrottleErrorCodes[said.ErrorCode()]; is {
			return throttled
		}
		if errors.As(err, &answered) && answered.HTTPStatusCode() >= 500 {
			return lost
		}
		return refused
	case errors.As(err, &resolving), errors.As(err, &dialing) && dialing.Op == "dial":
		return unsent
	case errors.As(err, &sending), errors.As(err, &answered), errors.As(err, &canceled):
		return lost
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return lost
	}
	if _, is := errors.AsType[*smithy.DeserializationError](err); is {
		return lost
	}
	return refused // by our own side: credentials, an input that cannot be written
}

// denied says that a condition did not hold.
func denied(err error) bool {
	var d *types.ConditionalCheckFailedException
	return errors.As(err, &d)
}

// tries is how a call went.
type tries struct {
	sent int
	lost bool // the outcome of an attempt is not known
}

// once turns the SDK's own retries off.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// caller sends calls of one store.
type caller struct {
	api     *dynamodb.Client
	pace    *pace
	timeout time.Duration // of one attempt
}

// way is what a call does. A table throttles each by itself.
type way uint8

const (
	reading way = iota
	writing
	ways
)

// do sends f until it is done, refused, or ctx ends. Its error has ctx's where that ended.
func (c *caller) do(ctx context.Context, way way, what string, f func(context.Context) error) (t tries, err error) {
	var last error
	ended := func(err error) error {
		if last != nil {
			return fmt.Errorf("%s: %w; before that: %w", what, err, last)
		}
		return fmt.Errorf("%s: %w", what, err)
	}
	for {
		sent, err := c.pace.enter(ctx)
		if err != nil {
			return t, ended(err)
		}
		t.sent++
		err = c.attempt(ctx, f)
		switch judge(err) {
		case done:
			c.pace.pass(way, sent)
			return t, nil
		case refused:
			c.pace.pass(way, sent)
			return t, fmt.Errorf("%s: %w", what, err)
		case throttled:
			c.pace.refuse(way, err)
		case lost:
			t.lost = true
		case unsent:
		}
		last = err
		if err := sleep(ctx, jitter(t.sent)); err != nil {
			return t, ended(err)
		}
	}
}

func (c *caller) attempt(ctx context.Context, f func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	return f(ctx)
}
