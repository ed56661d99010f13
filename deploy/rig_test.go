//go:build watch && linux

package deploy

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// rig runs the services of the compose file as processes, each at an address of its own on this machine.
type rig struct {
	t      *testing.T
	dir    string
	binary string
	at     map[string]string // where an address of the compose file is here
	client *http.Client
	began  time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), at: map[string]string{}, client: &http.Client{Timeout: 5 * time.Second}, began: time.Now()}
	for _, name := range []string{"log-generator:9464", "firebreak-1:9464", "firebreak-2:9464", "firebreak-1:9465", "firebreak-2:9465", "prometheus:9090", "classic:9090", "alertmanager:9093"} {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		r.at[name] = l.Addr().String()
	}
	r.at["localhost:9465"] = r.at["firebreak-1:9465"]
	return r
}

// config copies a file with the addresses of this machine, and returns the copy's path. Each address must be known.
func (r *rig) config(file, of string) string {
	r.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	var unknown []string
	here := address.ReplaceAllStringFunc(string(text), func(name string) string {
		if name == "localhost:9090" { // Prometheus itself
			name = of
		}
		at, ok := r.at[name]
		if !ok {
			unknown = append(unknown, name)
		}
		return at
	})
	if len(unknown) > 0 {
		r.t.Fatalf("%s: nothing here is at %v", file, unknown)
	}
	path := filepath.Join(r.dir, strings.ReplaceAll(of, ":", "-"), filepath.Base(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(here), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return path
}

func (r *rig) firebreak(name string, args ...string) { r.process(name, r.binary, args...) }

// healthy asks a process of ours by the program that compose asks by.
func (r *rig) healthy(name string) error {
	said, err := exec.CommandContext(r.t.Context(), r.binary, "healthcheck", "http://"+r.at[name+":9464"]+"/-/ready").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, said)
	}
	return nil
}

func (r *rig) alertmanager() (end func()) {
	return r.process("alertmanager", "prometheus-alertmanager", "--config.file="+r.config("alertmanager/alertmanager.yml", "alertmanager:9093"),
		"--storage.path="+filepath.Join(r.dir, "alerts"), "--cluster.listen-address=", "--web.listen-address="+r.at["alertmanager:9093"])
}

// prometheus runs with the deployed configuration and a copy of the deployed rules beside it.
func (r *rig) prometheus(kind, at string, flags ...string) {
	r.t.Helper()
	of := map[string]string{"native": "prometheus:9090", "classic": "classic:9090"}[kind]
	config := r.config("prometheus/prometheus.yml", of)
	if err := os.CopyFS(filepath.Join(filepath.Dir(config), "rules"), os.DirFS("prometheus/rules")); err != nil {
		r.t.Fatal(err)
	}
	r.process("prometheus-"+kind, "prometheus", append([]string{
		"--config.file=" + config, "--storage.tsdb.path=" + filepath.Join(r.dir, kind), "--web.listen-address=" + at,
	}, flags...)...)
}

// process runs a program until the test ends, this process does, or end is called. One that ends before that fails the test.
func (r *rig) process(name, program string, args ...string) (end func()) {
	r.t.Helper()
	path := filepath.Join(r.dir, name+".log")
	log, err := os.Create(path)
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(program, args...) //nolint:noctx // it ends by signal
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the child dies with the thread that started it
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
	end = sync.OnceFunc(func() {
		select {
		case <-ended:
			r.t.Errorf("%s ended by itself: %v", name, cmd.ProcessState)
		default:
			_ = cmd.Process.Signal(syscall.SIGTERM)
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				r.t.Errorf("%s does not end on SIGTERM", name)
				_ = cmd.Process.Kill()
				<-ended
			}
		}
	})
	r.t.Cleanup(func() {
		end()
		log.Close()
		if r.t.Failed() {
			text, _ := os.ReadFile(path)
			r.t.Logf("the end of the log of %s:\n%s", name, text[max(0, len(text)-3000):])
		}
	})
	return end
}

// get is the body of an answer with status 200.
func (r *rig) get(address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.300s", resp.StatusCode, body)
	}
	return body, err
}

func (r *rig) json(path string, into any) error {
	body, err := r.get("http://" + path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// sample is one series of an answer, at one time.
type sample struct {
	Metric map[string]string
	Value  [2]any // Unix time, number as text
}

// query asks Prometheus at a time.
func (r *rig) query(server, expr string, at time.Time) ([]sample, error) {
	var got struct {
		Data struct{ Result []sample }
	}
	err := r.json(fmt.Sprintf("%s/api/v1/query?query=%s&time=%d", server, url.QueryEscape(expr), at.Unix()), &got)
	return got.Data.Result, err
}
