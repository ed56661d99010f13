package kafka

import (
	"context"
	"slices"
	"testing"
	"time"

	"firebreak/pipeline"
	"firebreak/routing"
)

// route makes a document what everybody judges by.
func (a *actor) route(t *testing.T, doc *routing.Document) bool {
	t.Helper()
	written, err := a.Tell(context.WithoutCancel(t.Context()), func(live *pipeline.Live, now time.Time) ([]byte, error) { return live.Route(doc, now) })
	if err != nil {
		t.Fatal(err)
	}
	return written
}

// TestStoryRouting: a document that one member names is what all judge by, and what one that joins minutes later judges by from its first
// decision on: it stands beside the checkpoint. So it is after that one is the only one that is left, and nobody names it again.
func TestStoryRouting(t *testing.T) {
	story(t, 2, func(t *testing.T, s *scene) {
		brief := func(c *MemberConfig) { c.Fleets[0].Window, c.Start = 2*time.Minute, nil }
		a := s.prepare(brief)
		doc := a.cfg.Fleets[0].Document.Clone()
		doc.Epoch, doc.Tenure, doc.Version = 1, "us", 2
		if a.route(t, doc) {
			t.Error("a member that has not read the log wrote to it")
		}
		a.start(t)
		other := s.join(brief)
		s.run(30 * time.Second)
		if !a.route(t, doc) {
			t.Error("the first document is not written")
		}
		doc = doc.Clone()
		doc.Version, doc.Moves = 3, []routing.Move{{VShard: 1, To: 0}}
		if time.Sleep(time.Second); !a.route(t, doc) {
			t.Error("the second document is not written")
		}
		if time.Sleep(time.Second); a.route(t, doc) {
			t.Error("a document that is in force is written again")
		}
		s.run(8 * time.Minute)
		if v := other.versions(); v[len(v)-1] != 3 || !slices.IsSorted(v) {
			t.Errorf("another member judged by versions %v", v)
		}
		b := s.join(brief)
		s.run(5 * time.Second)
		a.crash(t)
		other.crash(t)
		s.run(4 * time.Minute)
		if v := b.versions(); len(v) == 0 || slices.Min(v) != 3 {
			t.Errorf("one that joined later judged by versions %v, want 3 only", v)
		}
		b.leave(t)
	})
}

// versions are those of the documents that it judged by, in order.
func (a *actor) versions() []uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.sink.versions)
}
