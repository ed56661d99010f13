package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// TestAsking: who looks at the status waits half a second at most, and then sees the last answer, its age and that there is none that is
// newer; brokers are asked once at a time, and not again while their answer is fresh.
func TestAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked, under atomic.Int64
		var away atomic.Bool
		a := asking{}
		a.ask = func(ctx context.Context) answered {
			out := answered{at: time.Now(), behind: asked.Add(1)}
			if under.Add(1) > 1 {
				t.Error("asked twice at once")
			}
			defer under.Add(-1)
			if away.Load() {
				ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
				defer cancel()
				<-ctx.Done()
				out.why, out.behind = "no end", -1
			}
			return out
		}
		look := func() (answered, string) {
			begin := time.Now()
			defer func() {
				if d := time.Since(begin); d > answerWait {
					t.Errorf("waited %v", d)
				}
			}()
			return a.latest(t.Context())
		}
		if got, why := look(); got.behind != 1 || why != "" {
			t.Errorf("%+v %q", got, why)
		}
		if got, why := look(); got.behind != 1 || why != "" || asked.Load() != 1 {
			t.Errorf("within its time: %+v %q, asked %d times", got, why, asked.Load())
		}
		first := time.Now()
		away.Store(true)
		for range 60 {
			time.Sleep(time.Second)
			if got, why := look(); got.behind != 1 || !got.at.Equal(first) || time.Since(first) > 10*time.Second && why == "" {
				t.Errorf("%v after the brokers went: %+v %q", time.Since(first), got, why)
			}
		}
		away.Store(false)
		time.Sleep(10 * time.Second)
		if got, why := look(); got.behind != asked.Load() || why != "" {
			t.Errorf("back again: %+v %q", got, why)
		}
		synctest.Wait()
	})
}

// TestAskingNobody: before the first answer there is none, and it says so.
func TestAskingNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := asking{ask: func(context.Context) answered {
			time.Sleep(5 * time.Second)
			return answered{at: time.Now(), why: "no end"}
		}}
		if got, why := a.latest(t.Context()); !got.at.IsZero() || why != "no answer yet" {
			t.Errorf("%+v %q", got, why)
		}
		time.Sleep(6 * time.Second)
		if got, why := a.latest(t.Context()); !got.at.IsZero() || why != "no end" {
			t.Errorf("%+v %q", got, why)
		}
		time.Sleep(6 * time.Second)
	})
}

// TestStatusWithoutBrokers: when the brokers are gone the status comes at once, is not ready, and has what they said last.
func TestStatusWithoutBrokers(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "requests"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := startRun(t, fmt.Sprintf(runConfig, strings.Join(c.ListenAddrs(), ","), "http://127.0.0.1:1/"), "--standalone")
	status := func(want string) func() bool {
		return func() bool { return strings.Contains(r.ask("console", "/api/v1/status"), want) }
	}
	eventually(t, 20*time.Second, "the brokers answer", status(`{"name":"brokers answer","holds":true`))
	eventually(t, 20*time.Second, "the page says when", func() bool { return strings.Contains(r.ask("console", "/status"), "Answered at ") })
	c.Close()
	eventually(t, 30*time.Second, "the status says that they do not", status(`{"name":"brokers answer","holds":false`))
	begin := time.Now()
	text := r.ask("console", "/status")
	if took := time.Since(begin); took > 8*time.Second {
		t.Errorf("the status took %v", took)
	}
	for _, want := range []string{"This instance is not ready.", "Answered at ", "requests"} {
		if !strings.Contains(text, want) {
			t.Errorf("not said: %s", want)
		}
	}
	r.stop()
	<-r.done
}
