package kafka

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// TestLogOfAnOutage: two brokers are away for 75 s and are dialled 12 times a second, each time from another port: three lines of
// each, and what is left out is counted. Other trouble of them, of another group, and what is no trouble, is logged meanwhile.
func TestLogOfAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, seen := observer.New(zapcore.InfoLevel)
		l := NewLogger(zap.New(core))
		const dial, beat, info = "unable to open connection to broker", "heartbeat errored", "metadata update triggered"
		for i := range 75 * 12 {
			for broker := range 2 {
				l.Log(kgo.LogLevelWarn, dial, "broker", broker, "err", fmt.Errorf("from port %d: refused", i))
			}
			time.Sleep(time.Second / 12)
		}
		for _, group := range []string{"firebreak", "firebreak.decider", "firebreak"} {
			l.Log(kgo.LogLevelError, beat, "group", group, "err", errors.New("not coordinator"))
			l.Log(kgo.LogLevelInfo, info)
		}
		got, leftOut := map[string]int{}, map[any]int64{}
		for _, e := range seen.All() {
			fields := e.ContextMap()
			got[fmt.Sprint(e.Message, fields["broker"], fields["group"])]++
			if n, ok := fields["left_out"].(int64); ok {
				leftOut[fields["broker"]] += n
			}
		}
		want := map[string]int{
			fmt.Sprint(dial, 0, nil): 3, fmt.Sprint(dial, 1, nil): 3,
			fmt.Sprint(beat, nil, "firebreak"): 1, fmt.Sprint(beat, nil, "firebreak.decider"): 1, fmt.Sprint(info, nil, nil): 3,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		for broker, n := range leftOut {
			if n < 2*28*12 || n > 2*30*12 {
				t.Errorf("broker %v: %d lines are said to be left out of those of the first minute", broker, n)
			}
		}
		if len(leftOut) != 2 {
			t.Errorf("left out %v, want a number for each broker", leftOut)
		}
	})
}

// TestRepeatsAreBounded: however many troubles there are, little is kept, and none is lost by it.
func TestRepeatsAreBounded(t *testing.T) {
	r := newRepeats()
	for i := range 10 * mostTroubles {
		if _, now := r.say("lost", []any{"topic", i}); !now {
			t.Fatalf("trouble %d, the first of its kind, is left out", i)
		}
	}
	if len(r.said) > mostTroubles {
		t.Errorf("%d troubles are kept", len(r.said))
	}
}
