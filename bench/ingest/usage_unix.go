//go:build unix

package ingest

import (
	"fmt"
	"syscall"
	"time"
)

// cpuTime is the CPU time that this process has taken so far, user and system, of all its threads.
func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("bench ingest: CPU time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
