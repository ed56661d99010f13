package ingest

import (
	"bytes"
	"os"
	"strconv"
)

// resident is how many bytes of this process were in memory at most; 0 where the system does not tell. It is read from the
// process's own memory (proc_pid_status(5), VmHWM): getrusage would give the size of the process that started it as well.
func resident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(status, []byte("VmHWM:"))
	if !found {
		return 0
	}
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}
