package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// stillEvery is how often a person who waits for an end point is told that it does not answer yet.
const stillEvery = 15 * time.Second

// patient is an HTTP client that tells who waits that an end point does not answer: at the first call that fails, and again every 15 s. It
// belongs to one goroutine.
type patient struct {
	next aws.HTTPClient
	out  io.Writer
	now  func() time.Time
	said time.Time // zero = it answered last
}

// newPatient makes one of a client, nil = the SDK's own.
func newPatient(next aws.HTTPClient, out io.Writer) *patient {
	if next == nil {
		next = awshttp.NewBuildableClient()
	}
	return &patient{next: next, out: out, now: time.Now}
}

// Do implements aws.HTTPClient.
func (p *patient) Do(r *http.Request) (*http.Response, error) {
	resp, err := p.next.Do(r)
	switch now := p.now(); {
	case err == nil:
		p.said = time.Time{}
	case errors.Is(err, context.Canceled): // nobody waits any more
	case p.said.IsZero() || now.Sub(p.said) >= stillEvery:
		p.said = now
		if _, failed := fmt.Fprintf(p.out, "waiting for DynamoDB at %s, which does not answer: %s\n", printable(r.URL.Host), printable(oneLine(err).Error())); failed != nil {
			return nil, failed
		}
	}
	return resp, err
}
