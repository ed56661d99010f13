//go:build unix

package kafkarig

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// readyTimeout bounds a start; alone on two cores it takes 2 to 5 s.
const readyTimeout = 2 * time.Minute

// stopTimeout is how long a broker may take to end by itself.
const stopTimeout = 30 * time.Second

// Broker is a running node of Apache Kafka.
//
//	running --Kill, Stop--> down --Restart--> running
//	running --Pause--> frozen --Resume--> running
type Broker struct {
	Files Files // with Options.TLS

	t    testing.TB
	dir  string
	at   ports
	proc *process // nil = down
}

// Start starts a node with an empty disk and waits until it serves. It ends with the test.
func Start(t testing.TB, o Options) *Broker {
	t.Helper()
	b := &Broker{t: t, dir: t.TempDir(), at: freePorts(t)}
	if o.TLS {
		b.Files = certificates(t, b.dir)
	}
	config := filepath.Join(b.dir, "server.properties")
	write(t, config, o.properties(b.dir, b.at, b.Files))
	id := storageTool(t, "random-uuid")
	storageTool(t, append([]string{"format", "-t", id, "-c", config}, o.users()...)...)
	t.Cleanup(func() {
		if b.proc != nil {
			b.Kill()
		}
		if t.Failed() {
			t.Logf("kafkarig: the end of the broker's log:\n%s", b.logTail())
		}
	})
	b.Restart()
	return b
}

// Addr is the address of the clients' listener, which wants what the Options say.
func (b *Broker) Addr() string { return b.at.client }

// AdminAddr is the address of a listener in plain text without signing in, where everything is allowed.
func (b *Broker) AdminAddr() string { return b.at.admin }

// Restart starts the node from its disk and waits until it serves.
func (b *Broker) Restart() {
	b.t.Helper()
	if b.proc != nil {
		b.t.Fatal("kafkarig: restart of a broker that runs")
	}
	log, err := os.OpenFile(b.logFile(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		b.t.Fatalf("kafkarig: %v", err)
	}
	b.proc, err = launch(log, java(b.t),
		"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info", "-cp", Classpath(b.t), "kafka.Kafka", filepath.Join(b.dir, "server.properties"))
	if err != nil {
		b.t.Fatalf("kafkarig: %v", err)
	}
	b.awaitReady()
}

// awaitReady waits for the line with which the server says so.
func (b *Broker) awaitReady() {
	b.t.Helper()
	const again = 50 * time.Millisecond
	for deadline := time.Now().Add(readyTimeout); time.Now().Before(deadline); time.Sleep(again) {
		if bytes.Contains(b.log(), []byte("Kafka Server started")) {
			return
		}
		if b.proc.ended() {
			b.t.Fatalf("kafkarig: the broker ended at its start:\n%s", b.logTail())
		}
	}
	b.t.Fatalf("kafkarig: the broker was not ready within %v:\n%s", readyTimeout, b.logTail())
}

// Kill ends the node as kill -9 does; its disk stays.
func (b *Broker) Kill() { b.end(syscall.SIGKILL) }

// Stop ends the node in order; its disk stays.
func (b *Broker) Stop() { b.end(syscall.SIGTERM) }

// Pause freezes the node: connections stand, nothing answers.
func (b *Broker) Pause() { b.signal(syscall.SIGSTOP) }

// Resume lets a frozen node go on.
func (b *Broker) Resume() { b.signal(syscall.SIGCONT) }

func (b *Broker) signal(s syscall.Signal) {
	b.t.Helper()
	if b.proc == nil {
		b.t.Fatalf("kafkarig: %v for a broker that is down", s)
	}
	if err := b.proc.signal(s); err != nil {
		b.t.Fatalf("kafkarig: %v: %v", s, err)
	}
}

// end sends a signal and waits until the process has ended.
func (b *Broker) end(s syscall.Signal) {
	b.t.Helper()
	b.signal(s)
	if !b.proc.await(stopTimeout) {
		b.t.Fatalf("kafkarig: the broker did not end on %v within %v", s, stopTimeout)
	}
	b.proc = nil
}

func (b *Broker) logFile() string { return filepath.Join(b.dir, "broker.log") }

func (b *Broker) log() []byte {
	raw, err := os.ReadFile(b.logFile())
	if err != nil {
		return []byte(err.Error())
	}
	return raw
}

// logTail is the end of what the broker logged.
func (b *Broker) logTail() []byte {
	const most = 8 << 10
	raw := b.log()
	return raw[max(0, len(raw)-most):]
}
