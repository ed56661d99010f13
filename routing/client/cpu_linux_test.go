package client

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// loop runs what is measured and reports the thread's own time beside the wall clock's, which other work on the machine stretches.
func loop(b *testing.B, what func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.ReportAllocs()
	began := threadTime(b)
	for b.Loop() {
		what()
	}
	b.ReportMetric(float64(threadTime(b)-began)/float64(b.N), "cpu-ns/op")
}

func threadTime(b *testing.B) time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var used syscall.Rusage
	if err := syscall.Getrusage(thread, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
