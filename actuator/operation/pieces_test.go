package operation_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/actuator/operation"
	"firebreak/routing"
	"firebreak/routing/control"
)

// values judges what clients do by what they hold: whoever may write to a piece has written to it, and whoever would not call himself stale
// reads all that was written and is not folded.
func (w *walk) values() {
	for _, c := range w.clients {
		for _, s := range w.history[c.holds].Salts {
			for _, suffix := range s.Suffixes[1:s.Write] {
				w.written[fmt.Sprint(s.Key, " ", suffix)] = true
			}
		}
	}
	for piece := range w.written {
		if w.pieceFolded(piece) {
			continue
		}
		for _, c := range w.clients {
			if w.now.Sub(c.polled) < 30*time.Second && !reads(w.history[c.holds], piece) {
				w.fail(missed, "%s holds %d and does not read %s", c.name, c.holds, piece)
			}
		}
	}
	for _, s := range w.state.Document.Salts {
		if !strings.HasPrefix(s.Key, "feed") {
			w.fail(declared, "%s is salted", s.Key)
		}
	}
	for _, c := range w.state.Document.Cached {
		if !strings.HasPrefix(c.Key, "feed") {
			w.fail(declared, "%s is cached", c.Key)
		}
	}
}

func (w *walk) pieceFolded(piece string) bool { return w.away[piece] }

func reads(d *routing.Document, piece string) bool {
	return slices.ContainsFunc(d.Salts, func(s routing.Salt) bool {
		return slices.ContainsFunc(s.Suffixes[1:s.Read], func(suffix uint32) bool { return fmt.Sprint(s.Key, " ", suffix) == piece })
	})
}

// folds does what a task asks for. A piece that has its tombstone is written to no more, whoever comes.
func (w *walk) folds(task operation.Task) {
	for _, suffix := range task.Salt.Suffixes {
		if slices.Contains(task.Salt.Tombstones, suffix) {
			w.away[fmt.Sprint(task.Salt.Key, " ", suffix)] = true
		}
	}
	w.folded[fmt.Sprint(task.Operation, task.Phase)] = true
}

// buriedFor judges that no tombstone goes, and that no buried piece is written to.
func (w *walk) buriedFor(was, n *control.State) {
	for _, s := range was.Document.Salts {
		now, ok := n.Document.SaltOf(routing.SaltEntry(s.Tenant, s.Key))
		for _, suffix := range s.Tombstones {
			if !ok || !slices.Contains(now.Tombstones, suffix) || slices.Contains(now.Suffixes[:now.Write], suffix) {
				w.fail(buried, "%d of %s: %+v", suffix, s.Key, now)
			}
		}
	}
}
