package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestExplainLive: what a running instance told of a hotspot is judged again out of its logs, to the byte, while it runs and when it is gone.
func TestExplainLive(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of real time")
	}
	t.Parallel()
	config, receiver, hot := liveLog(t)
	r := startRun(t, config)
	eventually(t, 30*time.Second, "ready", func() bool { return strings.HasPrefix(r.page("/-/ready"), "200") })
	time.Sleep(8 * time.Second)
	hot.set(0.45)
	verdict := func(text string) bool { return strings.Contains(text, `"kind":"verdict"`) }
	eventually(t, 40*time.Second, "told that a key is hot", func() bool { return len(receiver.of(verdict)) > 0 })
	receiver.mu.Lock()
	hotspot := fmt.Sprint(receiver.bodies[0]["hotspot"])
	receiver.mu.Unlock()
	path := filepath.Join(t.TempDir(), "firebreak.yml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	explain := func() (x explanation, err error) {
		var out, errs bytes.Buffer
		err = run(t.Context(), []string{"explain", hotspot, "--config", path, "--output", "json", "--fail-on", "difference"}, nil, &out, &errs)
		if err == nil {
			err = json.Unmarshal(out.Bytes(), &x)
		}
		return x, err
	}
	var x explanation
	var err error
	eventually(t, 20*time.Second, "its evidence is written", func() bool {
		x, err = explain()
		return err == nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.end(t)
	after, err := explain()
	for _, x := range []explanation{x, after} {
		if err != nil || !x.Same || x.Told == 0 || len(x.Differences) > 0 || x.Verdict == nil || x.Verdict.Cause != "hot_key" || len(x.Sums) < 8 {
			t.Errorf("%v: %+v", err, x)
		}
	}
}
