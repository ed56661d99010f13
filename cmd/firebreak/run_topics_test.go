package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"

	"firebreak/pipeline/kafka"
)

// TestPassing: brokers that are away are waited for; what is wrong for good is said at once, also beside what is not.
func TestPassing(t *testing.T) {
	away := fmt.Errorf("metadata: unable to dial: %w", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})
	wrong := &kafka.TopicError{Topic: "fb.panes", Problem: "retention.ms is 1: want 2"}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"refused":           {away, true},
		"hung up":           {fmt.Errorf("metadata: %w", io.EOF), true},
		"no answer in time": {context.DeadlineExceeded, true},
		"no leader yet":     {&kafka.TopicError{Err: kerr.LeaderNotAvailable}, true},
		"all away":          {errors.Join(away, away), true},
		"not allowed":       {&kafka.TopicError{Err: kerr.TopicAuthorizationFailed}, false},
		"wrong password":    {fmt.Errorf("metadata: %w", kerr.SaslAuthenticationFailed), false},
		"a wrong setting":   {wrong, false},
		"one is wrong":      {fmt.Errorf("topics: %w", errors.Join(away, wrong)), false},
	} {
		if got := passing(tt.err); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
