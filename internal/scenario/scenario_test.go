package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"firebreak/policy"
)

// stories is where the golden stories are.
const stories = "../../testdata/scenarios"

// TestStories plays every golden story through the core. -rewrite writes what came out, but what a story expects by an
// expect directive must be true even then. Together the stories meet every reason to hold.
func TestStories(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(stories, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("stories: %v, %v", files, err)
	}
	var mu sync.Mutex
	held, met := map[policy.HoldReason]int{}, 0
	t.Run("of", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				t.Parallel()
				holds := playFile(t, file)
				mu.Lock()
				defer mu.Unlock()
				met++
				for r, n := range holds {
					held[r] += n
				}
			})
		}
	})
	if met < len(files) {
		t.Logf("%d of %d stories were played to their end: reasons to hold are not counted", met, len(files))
		return
	}
	for _, r := range policy.HoldReasons() {
		if held[r] == 0 {
			t.Errorf("no story is held by %s", r)
		}
	}
}

// playFile plays one story, unless it is a long one and the test a short one, and returns why it was held.
func playFile(t *testing.T, file string) map[policy.HoldReason]int {
	t.Helper()
	if testing.Short() && isLong(t, file) {
		t.Log("a long story, not played in short")
		return nil
	}
	held := map[policy.HoldReason]int{}
	p := Player{Watch: tellsWhatHelps}
	datadriven.RunTest(t, file, func(t *testing.T, td *datadriven.TestData) string {
		d := asDirective(td)
		out, err := p.Do(&d)
		if err != nil {
			t.Errorf("%s: %v", td.Pos, err)
		}
		if d.Name == "run" {
			for r, n := range p.Holds() {
				held[r] += n
			}
		}
		return out
	})
	return held
}

// tellsWhatHelps is true of every story: a fix that is told is one that the projections told with it call feasible.
func tellsWhatHelps(t *Tick) error {
	for i := range t.Decision.Verdicts {
		v := &t.Decision.Verdicts[i]
		at := slices.IndexFunc(v.Projected, func(p policy.Projection) bool { return p.Fix == v.Fix })
		if v.Phase == policy.PhaseFiring && v.Cause != policy.CauseUnknown && at >= 0 && !v.Projected[at].Feasible {
			return fmt.Errorf("%s: %s is told for %s, and its projection says: %s", v.Time.UTC().Format(time.TimeOnly), v.Fix, v.Shard, v.Projected[at].Why)
		}
	}
	return nil
}

// isLong reads the first line of a story: "# long: ..." are played by the full suite only.
func isLong(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.HasPrefix(string(text), "# long:")
}
