package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"firebreak/routing/client"
)

// store is the key-value store as an application sees it.
type store struct {
	router    *client.Router
	addresses map[string]string // by shard
	closeAll  func()            // connections of the router's source
	versions  versions
}

func openStore(ctx context.Context, o *options) (*store, error) {
	body, err := call(ctx, http.MethodGet, o.control+"/shards", nil)
	if err != nil {
		return nil, err
	}
	s := &store{}
	if err := json.Unmarshal(body, &s.addresses); err != nil {
		return nil, err
	}
	source, closeAll, err := o.source()
	if err != nil {
		return nil, err
	}
	cfg := client.Default()
	cfg.Fleet, cfg.Poll = fleetName, cmp.Or(o.poll, cfg.Poll)
	if s.router, err = client.Open(ctx, source, cfg); err != nil {
		closeAll()
		return nil, err
	}
	s.closeAll = closeAll
	return s, nil
}

func (s *store) close() {
	s.router.Close()
	s.closeAll()
}

// put stores a value; nil means that it is stored.
func (s *store) put(ctx context.Context, key, value string) error {
	put := row{value, s.versions.next()} // the same at both shards, where it is written twice
	_, err := s.router.Do(ctx, client.Write, nil, []byte(key), func(ctx context.Context, t client.Target) error {
		_, _, err := s.ask(ctx, http.MethodPut, &t, put)
		return err
	})
	return err
}

// get reads a value; found says whether there is one.
func (s *store) get(ctx context.Context, key string) (value string, found bool, err error) {
	_, err = s.router.Do(ctx, client.Read, nil, []byte(key), func(ctx context.Context, t client.Target) (err error) {
		value, found, err = s.ask(ctx, http.MethodGet, &t, row{})
		return err
	})
	return value, found, err
}

// ask sends one request to one shard.
func (s *store) ask(ctx context.Context, method string, t *client.Target, put row) (answer string, found bool, err error) {
	address := s.addresses[t.Shard] + "/kv?key=" + url.QueryEscape(string(t.Key))
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader([]byte(put.Value))) //nolint:gosec // the address is control's
	if err != nil {
		return "", false, err
	}
	client.SetVersion(req.Header, t)
	if put.Version > 0 {
		req.Header.Set(headerRow, strconv.FormatUint(put.Version, 10))
	}
	resp, err := http.DefaultClient.Do(req) //nolint:gosec // the address is control's
	if err != nil {
		return "", false, err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := client.Refusal(resp.StatusCode, resp.Header); err != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxValue))
		return "", false, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxValue))
	switch {
	case err != nil:
		return "", false, err
	case resp.StatusCode == http.StatusNotFound && method == http.MethodGet:
		return "", false, nil
	case resp.StatusCode >= 300:
		return "", false, fmt.Errorf("%s answers %d", t.Shard, resp.StatusCode)
	}
	return string(body), true, nil
}

// call is one request outside of the store, with its whole answer.
func call(ctx context.Context, method, address string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body)) //nolint:gosec // the address is control's
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req) //nolint:gosec // the address is control's
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxHandover))
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %s", method, req.URL.Path, resp.StatusCode, bytes.TrimSpace(answer))
	}
	return answer, err
}

// once puts or gets one value.
func once(ctx context.Context, out io.Writer, o *options) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	s, err := openStore(ctx, o)
	if err != nil {
		return err
	}
	defer s.close()
	if len(o.args) == 2 {
		return s.put(ctx, o.args[0], o.args[1])
	}
	value, found, err := s.get(ctx, o.args[0])
	if err == nil && !found {
		err = fmt.Errorf("there is no %q", o.args[0])
	}
	if err == nil {
		_, _ = fmt.Fprintln(out, value)
	}
	return err
}

// moveKey moves the virtual shard of a key.
func moveKey(ctx context.Context, out io.Writer, o *options, key, to string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	s, err := openStore(ctx, o)
	if err != nil {
		return err
	}
	defer s.close()
	v := s.router.Table().VShard(nil, []byte(key))
	form := url.Values{"vshard": {strconv.Itoa(int(v))}, "to": {to}}
	body, err := call(ctx, http.MethodPost, o.control+"/move?"+form.Encode(), nil)
	if err != nil {
		return err
	}
	var p placed
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	began := time.Now()
	if err := transfer(ctx, p); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "virtual shard %d, with %s: %s has it by version %d, and its data after %v\n", v, key, to, p.Version, time.Since(began).Round(time.Millisecond))
	return nil
}
