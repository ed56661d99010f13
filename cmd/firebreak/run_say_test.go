package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	zapobserver "go.uber.org/zap/zaptest/observer"

	"firebreak/actuator"
	"firebreak/actuator/notify"
)

// standing is an election as a test wants it.
type standing struct{ decides, owns bool }

func (s standing) Decider() (epoch int32, ok bool) { return 3, s.decides }
func (s standing) Owner() bool                     { return s.owns }

// saying is a journal on a log whose own log a test looks at. It decides, or only reads, until it is ended.
func saying(t *testing.T, log ownLog, owes *owing, who standing) (j *journal, seen *zapobserver.ObservedLogs, end func()) {
	t.Helper()
	core, seen := zapobserver.New(zapcore.InfoLevel)
	j = newJournal(log, owes, fmt.Sprintf("%+v", who), zap.New(core))
	j.runner = notify.NewRunner(notify.NewQueue(nil, rand.Float64), nil, j, zap.NewNop())
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 2)
	go func() { done <- j.read(ctx) }()
	go func() { done <- j.decide(ctx, who) }()
	return j, seen, func() {
		stop()
		if err := errors.Join(<-done, <-done); err != nil {
			t.Error(err)
		}
	}
}

// TestNewsIsLogged: who decides logs what the journal takes of it, once, with names as the journal has them; who only reads the
// journal logs none of it.
func TestNewsIsLogged(t *testing.T) {
	for _, redact := range []string{"off", "hash"} {
		r := newHistoryRig(t, redact)
		r.goOn(6*10, 12)
		r.goOn(12, 600)                              // a whale
		owes := newOwing(100 * 365 * 24 * time.Hour) // the rig's time is of long ago
		owes.add(r.all[0].owes.begin(r.at, 1, "the rig"), time.Now())
		log := &taped{memoryJournal: newMemoryJournal()}
		_, seen, end := saying(t, log, owes, standing{decides: true, owns: true})
		eventually(t, 10*time.Second, "a whale is logged, and that it is critical", func() bool { return len(verdicts(seen)) > 1 })
		end()
		var got []map[string]any
		for _, fields := range verdicts(seen) {
			name, text := rigWhale, fmt.Sprint(fields["text"])
			if r.redact != nil {
				name = r.redact([]byte(rigWhale))
			}
			if !strings.Contains(text, "one tenant") || !strings.Contains(text, name) || r.redact != nil && strings.Contains(text, rigWhale) {
				t.Errorf("redact %s: %s", redact, text)
			}
			delete(fields, "text")
			delete(fields, "hotspot")
			got = append(got, fields)
		}
		want := []map[string]any{
			{"kind": "verdict", "phase": "fired", "fleet": "orders", "severity": "warning", "level": "warn"},
			{"kind": "verdict", "phase": "revised", "fleet": "orders", "severity": "critical", "level": "warn"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("redact %s (-want +got):\n%s", redact, diff)
		}
		another := newMemoryJournal()
		j, seen, end := saying(t, another, newOwing(time.Hour), standing{})
		if _, err := another.Append(t.Context(), log.values...); err != nil {
			t.Fatal(err)
		}
		eventually(t, 10*time.Second, "the journal is read", func() bool { return j.atEnd(t.Context()) && j.latest() > 0 })
		end()
		if n := seen.FilterMessage("news").Len(); n > 0 || len(log.values) < 2 {
			t.Errorf("%d news of %d entries are logged by who does not decide", n, len(log.values))
		}
	}
}

// TestBlindIsLogged: that nothing is seen is logged once, also where the journal takes it later or never does; what is remembered
// for that does not grow.
func TestBlindIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		owes := newOwing(time.Hour)
		log := newMemoryJournal()
		j, seen, end := saying(t, log, owes, standing{owns: true})
		blind := func(id string) actuator.Entry {
			return actuator.Entry{
				ID: id, Fleet: "orders", Kind: actuator.KindBlind, At: time.Now(), Epoch: 1, Instance: j.instance,
				Line: []byte(`{"type":"blind","schema":1,"fleet":"orders","time":"2026-03-02T09:00:00.000Z","since":"2026-03-02T09:00:00.000Z","reasons":[]}`),
			}
		}
		remembered := func() int {
			j.mu.Lock()
			defer j.mu.Unlock()
			return len(j.direct)
		}
		for n := range 50 {
			e := blind(fmt.Sprint(n))
			owes.add([]actuator.Entry{e}, time.Now())
			time.Sleep(time.Hour)
			if n%2 == 0 { // the journal has it after all
				b, err := actuator.Encode(&e)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := log.Append(t.Context(), b); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
			}
			if got := remembered(); got > 13 {
				t.Errorf("%d entries are remembered", got)
				break
			}
		}
		if got := remembered(); got == 0 {
			t.Error("what the journal does not have is forgotten at once")
		}
		end()
		if n := seen.FilterMessage("news").Len(); n != 50 {
			t.Errorf("%d logged, want each of 50 once", n)
		}
	})
}

// taped is a journal in memory of which a test has every value.
type taped struct {
	*memoryJournal

	values [][]byte // for who looks when nobody appends any more
}

// Append implements ownLog, for one goroutine.
func (l *taped) Append(ctx context.Context, values ...[]byte) (int64, error) {
	l.values = append(l.values, values...)
	return l.memoryJournal.Append(ctx, values...)
}

// TestStandaloneLogs: a process that is alone, with nobody to tell, logs the hot key that it finds.
func TestStandaloneLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of real time")
	}
	t.Parallel()
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "requests"))
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	ctx, stop := context.WithCancel(t.Context())
	var producing sync.WaitGroup
	producing.Go(func() { requestLog(t, ctx, broker.ListenAddrs(), &share{v: 0.5}) })
	defer func() { stop(); producing.Wait() }()
	config := fmt.Sprintf(runConfig, strings.Join(broker.ListenAddrs(), ","), "http://127.0.0.1:1/")
	nobody := regexp.MustCompile(`(?m)^notify:.*\n`).ReplaceAllString(config, "")
	alone := startRun(t, nobody, "--standalone")
	found := regexp.MustCompile(`WARN\s+news\s+\{"kind": "verdict", "phase": "fired", "fleet": "orders", .*one key, \\"the-hot-one\\"`)
	if !eventually(t, time.Minute, "the hot key is logged", func() bool { return found.MatchString(alone.log.String()) }) {
		t.Log(alone.log.String())
	}
	alone.end(t)
}

// verdicts are the fields of the news of verdicts, and their levels.
func verdicts(logs *zapobserver.ObservedLogs) (found []map[string]any) {
	for _, e := range logs.FilterMessage("news").All() {
		if fields := e.ContextMap(); fields["kind"] == "verdict" {
			fields["level"] = e.Level.String()
			found = append(found, fields)
		}
	}
	return found
}
