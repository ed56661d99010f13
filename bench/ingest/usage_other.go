//go:build !unix

package ingest

import (
	"errors"
	"time"
)

// cpuTime is not known on this system.
func cpuTime() (time.Duration, error) {
	return 0, errors.New("bench ingest: this system does not tell the CPU time of a process")
}
