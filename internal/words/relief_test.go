package words

import (
	"strings"
	"testing"
	"time"

	"firebreak/internal/line"
	"firebreak/policy"
)

// TestRelief: of every fix it is said what its relief waits for, when the loads show it and when it is over; where data has to be copied, that nobody knows how
// long; without a fix nothing.
func TestRelief(t *testing.T) {
	for _, f := range policy.Fixes() {
		told := whale()
		told.Fix, told.Cause, told.Plan, told.Fast, told.Calm = f.String(), "volume", nil, time.Minute, 2*time.Minute
		told.Projections = []line.Projection{{Fix: f.String(), Shard: 200, Feasible: true}}
		text := flat(told.Relief())
		if f == policy.FixNone {
			if text != "" {
				t.Errorf("none: %s", text)
			}
			continue
		}
		if !strings.HasPrefix(text, "Relief comes ") || !strings.HasSuffix(text, "; all of it shows here 1 min later, and 2 min after that the hotspot is over.") {
			t.Errorf("%s: %s", f, text)
		}
		copies := f == policy.FixSplit || f == policy.FixIsolate || f == policy.FixScaleOut
		if strings.Contains(text, "which the log does not tell") != copies || strings.Contains(text, "at once") == copies {
			t.Errorf("%s: %s", f, text)
		}
		if do := flat(told.Do()); strings.Count(do, text) != 1 || strings.Contains(do, "  ") {
			t.Errorf("%s: what to do is %s", f, do)
		}
		told.Timeless = true
		if text := flat(told.Relief()); strings.Contains(text, "later") || !strings.HasSuffix(text, ".") {
			t.Errorf("%s in a log without time: %s", f, text)
		}
	}
	told := whale()
	told.Fast = time.Minute
	if got, want := flat(told.Relief()), "Relief comes at once when the quota is in force, and for the tenant when its data is copied: the amount of data decides how long that takes, which the log does not tell; "+
		"all of it shows here 1 min later."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
