package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"
	zaplog "go.uber.org/zap/zaptest/observer"

	"firebreak/internal/history"
	"firebreak/pipeline/kafka"
	"firebreak/policy"
)

// TestHistoryOverFailovers: whoever decides and however often that changes, the history has every minute once, and evidence of
// every verdict, which judged again says the same. A joiner knows from a checkpoint how high tenants were, and so proposes the
// same quota.
func TestHistoryOverFailovers(t *testing.T) {
	r := newHistoryRig(t, "off")
	a, b := r.all[0], r.join(nil)
	a.deciding.Store(true)
	r.goOn(60, 16)
	r.written()
	a.kill(r)
	r.goOn(60, 12) // nobody decides
	if got := b.keeper.Stats(); got.Waiting < 9 || got.Written > 0 {
		t.Errorf("%+v waits on who does not decide, want 10 minutes and nothing written", got)
	}
	b.deciding.Store(true)
	r.goOn(30, 12)
	c := r.join(r.checkpoint(b))
	r.goOn(70, 12)
	r.checkpoint(b)
	c.deciding.Store(true) // both believe that they decide
	from := r.at
	r.goOn(30, 600)
	if len(c.judged) == 0 {
		t.Fatal("a joiner judges nothing although its window is full")
	}
	r.written()
	b.deciding.Store(false)
	r.goOn(30, 600)
	r.written()
	checkMinutes(t, r)
	checkSame(t, b, c, from)
	checkEvidence(t, r, b)
}

// checkMinutes: each stands in the history once, in a row.
func checkMinutes(t *testing.T, r *historyRig) {
	t.Helper()
	minutes, _, _ := r.entries()
	slices.SortFunc(minutes, func(a, b *history.Minute) int { return a.Start.Compare(b.Start) })
	if n := len(minutes); n < 44 {
		t.Fatalf("%d minutes", n)
	}
	for i, m := range minutes {
		if want := minutes[0].Start.Add(time.Duration(i) * time.Minute); !m.Start.Equal(want) {
			t.Fatalf("minute %d begins at %v, want %v", i, m.Start, want)
		}
	}
}

// checkSame: two instances that were sure from some moment on decided the same since then.
func checkSame(t *testing.T, b, c *instance, from time.Time) {
	t.Helper()
	since := func(i *instance) (all []policy.Decision, histories [][]policy.TenantHistory) {
		for _, j := range i.judged {
			if j.Now.After(from) {
				all, histories = append(all, *j.Decision), append(histories, j.Snapshot.Inputs.Histories)
			}
		}
		return all, histories
	}
	wantD, wantH := since(b)
	gotD, gotH := since(c)
	if diff := cmp.Diff(wantH, gotH); diff != "" || len(wantH) == 0 || len(wantH[0]) != 20 {
		t.Errorf("histories of %d ticks (-decider +joiner):\n%s", len(wantH), diff)
	}
	if diff := cmp.Diff(wantD, gotD); diff != "" {
		t.Errorf("decisions (-decider +joiner):\n%s", diff)
	}
}

// checkEvidence: of every verdict of who saw all there is evidence that is judged alike, and the whale's quota comes of its history.
func checkEvidence(t *testing.T, r *historyRig, saw *instance) {
	t.Helper()
	_, evidence, _ := r.entries()
	told := 0
	for _, j := range saw.judged {
		if len(j.Decision.Verdicts) == 0 {
			continue
		}
		told++
		at := slices.IndexFunc(evidence, func(e *history.Evidence) bool { return e.Now.Equal(j.Now) })
		if at < 0 {
			t.Errorf("no evidence of %v", j.Now)
			continue
		}
		d, err := history.Replay(evidence[at])
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(*j.Decision, d); diff != "" {
			t.Errorf("judged again (-then +now):\n%s", diff)
		}
	}
	if told == 0 || len(evidence) != told {
		t.Fatalf("%d evidences of %d ticks with verdicts", len(evidence), told)
	}
	d, err := history.Replay(evidence[0])
	if err != nil {
		t.Fatal(err)
	}
	rate := 0.0
	for i := range d.Plans {
		for _, s := range d.Plans[i].Steps {
			if s.Kind == policy.StepQuota && s.Tenant == rigWhale {
				rate = s.Rate
			}
		}
	}
	if v := &d.Verdicts[0]; v.Cause != policy.CauseWhaleTenant || v.Tenant != rigWhale || rate != 1.2*16 {
		t.Errorf("%s of %s, quota %v/s: want 1.2 times the 16/s of half an hour ago", v.Cause, v.Tenant, rate)
	}
}

// TestHistoryHidesNames: with names hidden none is in the history, and no evidence.
func TestHistoryHidesNames(t *testing.T) {
	r := newHistoryRig(t, "hash")
	r.all[0].deciding.Store(true)
	r.goOn(60, 12)
	r.goOn(30, 600)
	r.written()
	told := 0
	for _, j := range r.all[0].judged {
		told += len(j.Decision.Verdicts)
	}
	minutes, evidence, values := r.entries()
	if len(minutes) < 14 || len(evidence) > 0 || told == 0 {
		t.Errorf("%d minutes, %d evidences of %d verdicts", len(minutes), len(evidence), told)
	}
	for _, v := range values {
		if bytes.Contains(v, []byte("tenant-")) {
			t.Error("a name stands in a value")
		}
	}
	for _, m := range minutes {
		if text := fmt.Sprintf("%+v", *m); strings.Contains(text, "tenant-") || len(m.Top) != 20 || m.Top[0].Tenant != r.redact([]byte(rigWhale)) && m.Load > 300 {
			t.Errorf("%s", text)
		}
	}
}

// brokenLog is a topic that takes nothing while it is broken.
type brokenLog struct {
	topicLog

	broken atomic.Bool
}

func (l *brokenLog) Append(ctx context.Context, values ...[]byte) (int64, error) {
	if l.broken.Load() {
		return 0, errors.New("the brokers are away")
	}
	return l.topicLog.Append(ctx, values...)
}

// TestHistoryOutlastsAnOutage: while the log takes nothing judging goes on, each failure is counted and few are logged; when it
// takes entries again all that waited is written. A process that ends writes what waits still.
func TestHistoryOutlastsAnOutage(t *testing.T) {
	r := newHistoryRig(t, "off")
	i := r.all[0]
	core, said := zaplog.New(zap.WarnLevel)
	log := &brokenLog{topicLog: r.topic()}
	h := newHistorian(log, i.keeper, func() bool { return true }, zap.New(core))
	log.broken.Store(true)
	r.goOn(60, 12)
	for range 3 {
		h.flush(t.Context())
	}
	if m := h.measured(); m.Failed != 3 || m.Written != 0 || m.Waiting < 9 || m.Bytes == 0 || said.Len() != 1 {
		t.Errorf("%+v, logged %d times, want 3 failures, logged once", m, said.Len())
	}
	r.goOn(6, 12)
	log.broken.Store(false)
	h.flush(t.Context())
	if m := h.measured(); m.Waiting != 0 || m.Written < 10 || m.Dropped+m.Refused > 0 || m.Failed != 3 {
		t.Errorf("%+v after the outage", m)
	}
	i.deciding.Store(true)
	time.Sleep(2 * flushEvery) // it knows what others wrote
	r.goOn(6, 12)
	i.stop()
	i.running.Wait()
	minutes, _, _ := r.entries()
	if len(minutes) != 11 || i.keeper.Stats().Waiting != 0 {
		t.Errorf("%d minutes after the end, %+v", len(minutes), i.keeper.Stats())
	}
}

// TestFollowedIsAtItsEnd: a log whose newest entry is older than what is read is at its end, and may be written.
func TestFollowedIsAtItsEnd(t *testing.T) {
	r := newHistoryRig(t, "off")
	for name, log := range map[string]ownLog{"topic": r.topic(), "memory": newMemoryJournal()} {
		if _, err := log.Append(t.Context(), []byte("old")); err != nil {
			t.Fatal(err)
		}
		f := &followed{ownLog: log, name: name, zap: zap.NewNop()}
		if f.atEnd(t.Context()) {
			t.Errorf("%s: at its end before it is read", name)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- f.follow(ctx, -time.Hour, func(*kafka.Entry) {}) }()
		eventually(t, 10*time.Second, name+" at its end", func() bool { return f.atEnd(ctx) })
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestRunWritesHistory: a whole process writes what its verdict rests on, and judged again it says the same.
func TestRunWritesHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of real time")
	}
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "requests"),
		kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "1000", "group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, stop := context.WithCancel(t.Context())
	hot := &share{v: 0.5}
	var producing sync.WaitGroup
	producing.Go(func() { requestLog(t, ctx, c.ListenAddrs(), hot) })
	defer func() { stop(); producing.Wait() }()
	hook := httptest.NewServer(&toldReceiver{})
	defer hook.Close()
	a := startRun(t, fmt.Sprintf(runConfig, strings.Join(c.ListenAddrs(), ","), hook.URL))
	const written = "\nfirebreak_history_entries_written_total "
	eventually(t, 60*time.Second, "an entry is written", func() bool {
		text := a.page("/metrics")
		return strings.Contains(text, written) && !strings.Contains(text, written+"0\n")
	})
	r := &historyRig{t: t, opts: []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...)}, group: "watch"}
	var evidence []*history.Evidence
	if !eventually(t, 30*time.Second, "evidence is written", func() bool {
		_, evidence, _ = r.entries()
		return len(evidence) > 0
	}) {
		t.Fatal(a.log)
	}
	a.end(t)
	d, err := history.Replay(evidence[0])
	if err != nil || len(d.Verdicts) != 1 || d.Verdicts[0].Cause != policy.CauseHotKey || d.Verdicts[0].Key != "the-hot-one" {
		t.Errorf("judged again: %+v, %v", d.Verdicts, err)
	}
}
