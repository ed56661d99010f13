package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing/control"
)

// TestSaltCarriesMore: where a partition key takes ten writes a second, four take forty.
func TestSaltCarriesMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		_, a := process(t, s)
		d := newDecider(t, s)
		tenSeconds := func() (counted int64) {
			s.Limit(0, 10)
			defer s.Limit(0, 0)
			l := &ledger{}
			until := time.Now().Add(10 * time.Second)
			var all sync.WaitGroup
			for range 16 {
				all.Go(func() {
					for time.Now().Before(until) {
						_ = l.count(t.Context(), t, a, hot, 1)
					}
				})
			}
			all.Wait()
			return l.acknowledged
		}
		one := tenSeconds()
		if err := d.up(t.Context(), hot, 4); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if four := tenSeconds(); one > 130 || 2*four < 5*one {
			t.Errorf("%d writes, and %d by four pieces", one, four)
		}
	})
}

func TestDemo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, out := newServer(t), &bytes.Buffer{}
		if err := demo(t.Context(), api(slow{s}), &options{table: table, pieces: 4, readersFor: control.NoLongerLive}, out); err != nil {
			t.Fatal(err)
		}
		t.Log(out.String())
		m := regexp.MustCompile(`counted (\d+); acknowledged (\d+), lost replies 0`).FindStringSubmatch(out.String())
		if m == nil || m[1] != m[2] || len(m[1]) < 4 || strings.Count(out.String(), "increments/s") != 3 {
			t.Errorf("%q", out.String())
		}
	})
}

// TestRun runs commands over a socket, as of a shell.
func TestRun(t *testing.T) {
	server := httptest.NewServer(fake.New(time.Now))
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": "none", "AWS_SHARED_CREDENTIALS_FILE": "none",
	} {
		t.Setenv(name, value)
	}
	out := &bytes.Buffer{}
	for _, args := range [][]string{{"add", "k"}, {"add", "k", "5"}, {"read", "k"}} {
		if err := run(t.Context(), append([]string{"--endpoint", server.URL, "--region", "eu-west-1"}, args...), out); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	if out.String() != "6\n" {
		t.Errorf("%q", out)
	}
	for _, args := range [][]string{{"add"}, {"add", "k", "many"}, {"read", "k", "l"}, {"what", "k"}, {"--pieces", "1"}, {"--nothing"}} {
		if err := run(t.Context(), args, out); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}
