//go:build kafka && unix

package kafkarig

import (
	"net"
	"testing"
	"time"
)

// TestLife: a broker serves, is killed, comes back from its disk, freezes and thaws.
func TestLife(t *testing.T) {
	b := Start(t, Options{})
	dial := func() error {
		conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(t.Context(), "tcp", b.Addr())
		if err == nil {
			conn.Close()
		}
		return err
	}
	if err := dial(); err != nil {
		t.Fatal(err)
	}
	b.Kill()
	if err := dial(); err == nil {
		t.Error("a killed broker takes connections")
	}
	b.Restart()
	b.Pause()
	b.Resume()
	if err := dial(); err != nil {
		t.Error(err)
	}
	b.Stop()
}
