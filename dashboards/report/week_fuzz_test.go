package report

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/policy"
)

// FuzzWeekEntry: whatever a line of the journal holds, and whatever loads a minute has, the report is written in every form, and JSON is
// valid.
func FuzzWeekEntry(f *testing.F) {
	f.Add(`{"type":"verdict","schema":1,"hotspot":"h","shard":"s","cause":"hot_key","key":"k","load":9e99,"line":-1,"onset":"2026-03-02T08:00:00Z"}`, uint8(1), uint8(1), 1e300)
	f.Add(`{"type":"verdict","window":{"to":"0001-01-01T00:00:00Z"},"projections":[{"fix":"salt","shard":-5},{"fix":"x"}],"contributors":[{}]}`, uint8(1), uint8(2), -1.0)
	f.Add(`{"type":"plan","schema":1,"steps":[{"kind":"salt","operations":-9}],"expires":"9999-12-31T23:59:59Z"}`, uint8(2), uint8(4), 0.0)
	f.Add(`{"by":"a","reason":"b","until":"2026-03-02T08:00:00Z","load":-1}`, uint8(9), uint8(0), 5.0)
	f.Add(`{"reasons":null,"since":""}`, uint8(5), uint8(0), 5.0)
	f.Fuzz(func(t *testing.T, text string, kind, phase uint8, load float64) {
		cfg := policy.Default()
		at := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
		w, err := NewWeek("f", at, at.Add(4*time.Hour), &cfg)
		if err != nil {
			t.Fatal(err)
		}
		verdict := json.RawMessage(`{"type":"verdict","schema":1,"hotspot":"h","shard":"s","cause":"volume","onset":"2026-03-02T07:59:00Z","load":5,"line":4}`)
		for i, e := range []actuator.Entry{
			{Kind: actuator.KindVerdict, Phase: actuator.PhaseFired, Line: verdict},
			{Kind: actuator.Kind(kind % 14), Phase: actuator.Phase(phase % 8), Line: json.RawMessage(text)},
			{Kind: actuator.KindVerdict, Phase: actuator.PhaseResolved, Line: verdict},
		} {
			e.ID, e.Fleet, e.Hotspot, e.At = string(rune('a'+i)), "f", "h", at.Add(time.Duration(i+1)*time.Hour)
			w.Entry(&e)
			w.Minute(&history.Minute{Fleet: "f", Start: e.At, Covered: time.Minute, Load: load, Mean: load, Coverage: load, Shards: []history.Shard{{Name: "s", Role: 1, Load: load, Full: load, Capacity: 10}}})
		}
		run := &Run{Fleets: []Fleet{w.Fleet("")}}
		var data bytes.Buffer
		for _, err := range []error{Render(io.Discard, run), Markdown(io.Discard, run), JSON(&data, run)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !json.Valid(data.Bytes()) {
			t.Errorf("not JSON: %s", data.Bytes())
		}
	})
}
