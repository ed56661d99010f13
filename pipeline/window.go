package pipeline

import (
	"fmt"
	"time"

	"firebreak/routing"
)

// window is the sliding window of a fleet, whoever counted it: one process, or many. Snapshot says what is in it.
type window struct {
	cfg      Config
	counter  Counter
	pieces   Counter // of salted keys at log point shard; nil where there are none
	places   places
	says     Says
	panes    map[int64]*paneFacts
	cache    map[int64]cachedPane
	distinct Distinct
	paneLen  int64 // ns; grows in a whole window
	timeless bool
	first    int64 // the earliest pane that counts
	closed   int64 // the newest complete pane
	closing  bool  // at least one pane is complete
}

// paneFacts is what a pane says about the log itself.
type paneFacts struct {
	records, unrated   float64
	rated, stoodFor    float64 // lines that carry a rate, by their count, and the requests they stand for
	located, disagreed float64 // requests whose shard the log names, and those of them that the table places elsewhere
	cost               uint64  // 1/256 counted units
}

func (p *paneFacts) plus(o *paneFacts) {
	p.records += o.records
	p.unrated += o.unrated
	p.rated += o.rated
	p.stoodFor += o.stoodFor
	p.located += o.located
	p.disagreed += o.disagreed
	p.cost += o.cost
}

// newWindow makes an empty window; its config must be valid.
func newWindow(cfg Config, counter, pieces Counter) (window, error) {
	w := window{cfg: cfg, counter: counter, paneLen: int64(cfg.Pane), panes: map[int64]*paneFacts{}, cache: map[int64]cachedPane{}}
	if err := w.places.init(&cfg); err != nil {
		return w, fmt.Errorf("fleet %s: %w", routing.Escape(cfg.Fleet), err)
	}
	if w.places.folds {
		w.pieces = pieces
	}
	return w, nil
}

// slide makes the panes up to pane complete and drops what leaves the window.
func (w *window) slide(pane int64) {
	w.closed, w.closing = pane, true
	w.counter.Slide(pane)
	if w.pieces != nil {
		w.pieces.Slide(pane)
	}
	if w.cfg.Whole || w.timeless {
		return
	}
	past := pane - int64(w.cfg.LongPanes())
	for p := range w.panes {
		if p <= past {
			delete(w.panes, p)
			delete(w.cache, p)
		}
	}
	w.first = max(w.first, past+1)
}

// start is when a pane starts.
func (w *window) start(pane int64) time.Time {
	return time.Unix(0, pane*w.paneLen).UTC()
}

// Pane is the length of a pane; that of a whole window may have grown. A log
// without time is one pane of a second, so that its loads are its requests.
func (w *window) Pane() time.Duration {
	if w.timeless {
		return time.Second
	}
	return time.Duration(w.paneLen)
}

// Panes is the number of panes of the next snapshot.
func (w *window) Panes() int {
	if !w.closing {
		return 0
	}
	return int(w.closed - w.first + 1)
}

// Table is the table in force; nil without a placement, or before the log named a shard.
func (w *window) Table() *routing.Table { return w.places.table }

// Distinct is the size of the last snapshot's window.
func (w *window) Distinct() Distinct { return w.distinct }

// facts are those of a pane, made when they are first needed.
func (w *window) facts(pane int64) *paneFacts {
	p := w.panes[pane]
	if p == nil {
		p = &paneFacts{}
		w.panes[pane] = p
	}
	return p
}
