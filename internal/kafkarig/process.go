//go:build unix

package kafkarig

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a child that ends with us.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// launch starts a program that logs into a file, which it closes.
func launch(log *os.File, path string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), done: make(chan struct{})} //nolint:gosec,noctx // G204: a test's words; it ends by signal
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = attributes()
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the child dies with the thread that started it
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // how it ended is in its log
		}
		_ = log.Close()
		close(p.done)
		runtime.UnlockOSThread()
	}()
	return p, <-started
}

func (p *process) signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

func (p *process) ended() bool { return p.await(0) }

// await says whether the process ends within a time.
func (p *process) await(within time.Duration) bool {
	select {
	case <-p.done:
		return true
	default:
	}
	select {
	case <-p.done:
		return true
	case <-time.After(within):
		return false
	}
}
