//go:build kafka && linux

package crash

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// buildBinary builds firebreak as it is run.
func buildBinary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "firebreak")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, "firebreak/cmd/firebreak")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// instance is one of the processes under test, through all its lives.
//
//	up --kill--> down --start--> up --freeze--> frozen --thaw--> up
type instance struct {
	t      *testing.T
	binary string
	config string
	log    string // file of all lives
	admin  string // host:port

	mu   sync.Mutex // the faults' goroutines and the test's
	busy bool       // a fault holds it
	life *life
}

// life is one process.
type life struct {
	cmd      *exec.Cmd
	done     chan struct{}
	expected bool // that it ends
	err      error
}

// newInstance writes the configuration of an instance; nothing runs yet.
func newInstance(t *testing.T, binary, name, config string) *instance {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	kept := dir
	if *keepFlag != "" {
		if kept, err = os.MkdirTemp(*keepFlag, name+"-"); err != nil { //nolint:usetesting // it outlives the test
			t.Fatal(err)
		}
	}
	i := &instance{t: t, binary: binary, config: filepath.Join(dir, name+".yml"), log: filepath.Join(kept, name+".log"), admin: l.Addr().String()}
	l.Close()
	text := fmt.Sprintf("admin: {listen: %q}\nconsole: {listen: \"\"}\nlog: {level: info, format: json}\n%s", i.admin, config)
	if err := os.WriteFile(i.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.life != nil {
			i.life.expected = true
			i.life.cmd.Process.Signal(syscall.SIGKILL)
			<-i.life.done
		}
		if t.Failed() {
			t.Logf("the end of the log of %s:\n%s", name, i.tail())
		}
	})
	return i
}

// start begins a life. It dies with this process.
func (i *instance) start() error {
	log, err := os.OpenFile(i.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	l := &life{cmd: exec.Command(i.binary, "run", "--config", i.config), done: make(chan struct{})} //nolint:noctx // it ends by signal
	l.cmd.Stdout, l.cmd.Stderr = log, log
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the child dies with the thread that started it
		defer runtime.UnlockOSThread()
		err := l.cmd.Start()
		started <- err
		if err == nil {
			l.err = l.cmd.Wait()
			i.ended(l)
		}
		log.Close()
		close(l.done)
	}()
	if err := <-started; err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.life = l
	return nil
}

// ended looks at how a life ended.
func (i *instance) ended(l *life) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !l.expected {
		i.t.Errorf("a process ended by itself: %v\n%s", l.err, i.tail())
	}
}

// take reserves the instance for one fault.
func (i *instance) take() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	free := !i.busy
	i.busy = true
	return free
}

func (i *instance) release() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.busy = false
}

func (i *instance) signal(s syscall.Signal) *life {
	i.mu.Lock()
	defer i.mu.Unlock()
	if s == syscall.SIGKILL || s == syscall.SIGTERM {
		i.life.expected = true
	}
	if err := i.life.cmd.Process.Signal(s); err != nil {
		i.t.Errorf("%v: %v", s, err)
	}
	return i.life
}

// stop ends the process as its owner would, and says how long it took.
func (i *instance) stop() time.Duration {
	from := time.Now()
	l := i.signal(syscall.SIGTERM)
	select {
	case <-l.done:
	case <-time.After(30 * time.Second):
		i.t.Errorf("a process did not end on SIGTERM")
		i.signal(syscall.SIGKILL)
		<-l.done
	}
	if l.err != nil {
		i.t.Errorf("a process ended on SIGTERM with %v\n%s", l.err, i.tail())
	}
	return time.Since(from)
}
