package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAcceptLive: a person accepts what a running instance told; the receiver hears no more of it, until its load is a quarter above,
// and of its end.
func TestAcceptLive(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute of real time")
	}
	t.Parallel()
	config, receiver, hot := liveLog(t)
	r := startRun(t, config)
	eventually(t, 30*time.Second, "ready", func() bool { return strings.HasPrefix(r.page("/-/ready"), "200") })
	time.Sleep(8 * time.Second)
	hot.set(0.45)
	kind := func(k string) func(string) bool {
		return func(text string) bool { return strings.Contains(text, `"kind":"`+k+`"`) }
	}
	told := func(k string) int { return len(receiver.of(kind(k))) }
	eventually(t, 40*time.Second, "told that a key is hot", func() bool { return told("verdict") > 0 })
	path := filepath.Join(t.TempDir(), "firebreak.yml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	receiver.mu.Lock()
	hotspot := fmt.Sprint(receiver.bodies[0]["hotspot"])
	receiver.mu.Unlock()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"accept", hotspot, "--until", "1h", "--by", "ann", "--reason", "known", "--config", path}, nil, &out, &out); err != nil {
		t.Fatal(err, out.String())
	}
	hot.set(0.8)
	eventually(t, 40*time.Second, "told again", func() bool { return told("reopened") > 0 })
	hot.set(0)
	eventually(t, 60*time.Second, "told that it resolved", func() bool {
		return len(receiver.of(func(text string) bool { return strings.Contains(text, `"resolved"`) })) > 0
	})
	r.end(t)
	if n := told("reopened"); n != 1 {
		t.Errorf("told again %d times", n)
	}
	for _, text := range receiver.of(kind("reopened")) {
		if !strings.Contains(text, hotspot) || !strings.Contains(text, "told again, because its load is") {
			t.Error(text)
		}
	}
}
