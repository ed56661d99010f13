package client

import (
	"context"
	"errors"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// Source is what a client reads and where it confirms. routing/dynamo, routing/kafka and routing/httpsource have one each. An error that
// has a method RetryAfter() time.Duration is a source that asks for fewer calls; it is waited for at least so long.
type Source interface {
	// Head is cheap. It may lag behind the document and never leads.
	Head(ctx context.Context) (control.Head, error)
	// Document reads cheaply first, and consistently where that gave one older than atLeast.
	Document(ctx context.Context, atLeast control.Head) (*routing.Document, error)
	// Confirm puts what the client holds.
	Confirm(ctx context.Context, c control.Confirmation) error
}

// throttled is an error by which a source asks for fewer calls.
type throttled interface{ RetryAfter() time.Duration }

// retryAfter is how long a source asks to be left alone; 0 where it does not.
func retryAfter(err error) time.Duration {
	var t throttled
	if errors.As(err, &t) {
		return max(t.RetryAfter(), time.Millisecond)
	}
	return 0
}

// headOf is where a document stands, as a head says it.
func headOf(d *routing.Document) control.Head {
	return control.Head{Epoch: d.Epoch, Version: d.Version}
}

// same says whether a head is of the state (epoch, version) of o.
func same(h, o control.Head) bool { return h.Epoch == o.Epoch && h.Version == o.Version }
