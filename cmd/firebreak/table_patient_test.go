package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	fake "firebreak/internal/fakes/dynamo"
)

// TestTableWaits: who waits for an end point at which nobody listens is told so at once, and why.
func TestTableWaits(t *testing.T) {
	tableRig(t)
	address := free(t)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	said := &once{stop: stop}
	err := run(ctx, []string{"table", "create", "--table", "t", "--endpoint", "http://" + address}, nil, &bytes.Buffer{}, said)
	if err == nil || !strings.HasPrefix(said.String(), "waiting for DynamoDB at "+address+", which does not answer: ") || !strings.Contains(said.String(), "connection refused") {
		t.Errorf("%v; it said %q", err, said.String())
	}
}

// once ends what writes to it.
type once struct {
	bytes.Buffer

	stop func()
}

func (o *once) Write(b []byte) (int, error) {
	o.stop()
	return o.Buffer.Write(b)
}

// answers is an HTTP client that fails with an error, nil = it answers.
type answers struct{ err error }

func (a *answers) Do(*http.Request) (*http.Response, error) {
	return &http.Response{Body: http.NoBody}, a.err
}

// TestPatient: it is said again every 15 s, and at once when an end point that answered does not any more.
func TestPatient(t *testing.T) {
	var out bytes.Buffer
	end := &answers{}
	p, now := newPatient(end, &out), time.Unix(1000, 0)
	p.now = func() time.Time { return now }
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://db:8000/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		after time.Duration
		err   error
		lines int // in all
	}{
		{0, nil, 0},
		{time.Second, errors.New("away"), 1},
		{14 * time.Second, errors.New("away"), 1},
		{time.Second, errors.New("away"), 2},
		{time.Second, nil, 2},
		{time.Second, context.Canceled, 2},
		{0, errors.New("away"), 3},
	} {
		now, end.err = now.Add(c.after), c.err
		resp, err := p.Do(q)
		if !errors.Is(err, c.err) {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "waiting for DynamoDB at db:8000"); got != c.lines {
			t.Errorf("step %d: %d lines, want %d", i, got, c.lines)
		}
	}
}

// TestTableAgain: what is there and equal is well, and what is there and another is not, with what differs. Nothing is changed by either.
func TestTableAgain(t *testing.T) {
	server, endpoint := tableRig(t)
	args := func(more ...string) []string {
		return append([]string{"--table", "t", "--endpoint", endpoint, "--fleet", "f"}, more...)
	}
	if code, said := createdTable(t, args("--from", "md5:32")...); code != exitOK {
		t.Fatal(said)
	}
	for _, c := range []struct {
		more []string
		code int
		want string
	}{
		{[]string{"--from", "md5:32"}, exitOK, "fleet f: it is there with this base map, at epoch 0, version 1; nothing was changed\n"},
		{[]string{"--from", "md5:64"}, exitError, "md5 of key, mod-n, mod 32, and not md5 of key, mod-n, mod 64"},
		{[]string{"--from", "xxh64:32"}, exitError, "and not xxh64 of key"},
		{[]string{"--from", "md5:32", "--bytes", "tenant"}, exitError, "and not md5 of tenant"},
	} {
		if code, said := createdTable(t, args(c.more...)...); code != c.code || !strings.Contains(said, c.want) {
			t.Errorf("%s: code %d: %s", c.more, code, said)
		}
	}
	server.Break(fake.Fault{Op: "GetItem", Say: fake.AccessDenied})
	if code, said := createdTable(t, args("--from", "md5:32")...); code != exitError || !strings.Contains(said, fake.AccessDenied) {
		t.Errorf("unreadable: code %d: %s", code, said)
	}
}
