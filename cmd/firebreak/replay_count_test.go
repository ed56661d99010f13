package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"
)

// askedLog has the key user\xff 30 times among 300 records of ten tenants and a tenant of one key.
func askedLog() []byte {
	log := []byte("ts_ms,tenant,key,op,weight\n")
	for i := range 300 {
		key := fmt.Sprint("k", i%50)
		if i%10 == 3 {
			key = "user\xff"
		}
		log = fmt.Appendf(log, "%d,t%d,%s,read,1\n", 1767571200000+i*1000, i%10, key)
	}
	return log
}

// TestAsk: any name is answered for, listed or not, as it is shown in text or JSON; --exact measures no error where all fits.
func TestAsk(t *testing.T) {
	path := save(t, "log.csv", askedLog())
	s := summaryOf(t, mustReplay(t, "--shards", "4", "--exact", "--ask", `key=user\xff`, "--ask", `key="user\xff"`, "--ask", `key=\u0075ser\xff`, "--ask", "tenant=t3", "--ask", "key=nobody", path))
	asked := s["asked"].([]any)
	for i, want := range []float64{30, 30, 30, 30, 0} {
		a := asked[i].(map[string]any)
		if a["estimate"] != want || a["low"] != want || a["high"] != want {
			t.Errorf("answer %d: %v, want %v exactly", i, a, want)
		}
	}
	counting := s["counting"].(map[string]any)
	exact := counting["exact"].(map[string]any)
	if exact["recall"] != 1.0 || exact["max_error"] != 0.0 || exact["bounds_broken"] != 0.0 || exact["windows"].(float64) < 1 {
		t.Errorf("exact: %v", exact)
	}
	if b := counting["bytes"].(float64); b < 1<<20 || b != math.Trunc(b) {
		t.Errorf("%v bytes", b)
	}
}

// TestAskByTenant: where the tenant is part of a key's identity it must be named.
func TestAskByTenant(t *testing.T) {
	path := save(t, "log.csv", askedLog())
	s := summaryOf(t, mustReplay(t, "--shards", "4", "--place", "tenant,key", "--ask", `tenant=t3,key=user\xff`, path))
	if a := s["asked"].([]any)[0].(map[string]any); a["estimate"] != 30.0 {
		t.Errorf("%v, want 30", a)
	}
	for _, ask := range []string{"key=k1", "", "shard=1", "key=", `key=\x`} {
		args := []string{"replay", "--shards", "4", "--place", "tenant,key", "--ask", ask, path}
		var out, errs bytes.Buffer
		if err := run(t.Context(), args, nil, &out, &errs); !errors.As(err, new(usageError)) {
			t.Errorf("--ask %q: %v, want a usage error", ask, err)
		}
	}
}
