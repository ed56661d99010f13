package main

import (
	"context"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"firebreak/dashboards/console"
	"firebreak/internal/history"
	"firebreak/internal/rarely"
	"firebreak/internal/telemetry"
	"firebreak/pipeline/kafka"
)

const (
	// historyBack is how far back the history is read at the start: as far as the log of deltas goes, from which this process
	// may judge again what is written already. What it misses is written twice, which readers drop.
	historyBack = 2 * time.Hour
	// pageBack is how far back it is read where a page shows it: as far as its heat map goes.
	pageBack = 24 * time.Hour
	// flushEvery is how often the decider looks for what waits.
	flushEvery = time.Second
	// lastFlush bounds the flush of a process that ends.
	lastFlush = 3 * time.Second
)

// historian follows the history of the group, and writes it while this process decides.
type historian struct {
	followed

	keeper  *history.Keeper
	decides func() bool    // this process, now
	failed  atomic.Uint64  // flushes
	saying  rarely.Trouble // belongs to write
	page    *console.Model // is shown every minute; nil = nobody looks
}

func newHistorian(log ownLog, k *history.Keeper, decides func() bool, zap *zap.Logger) *historian {
	return &historian{followed: followed{ownLog: log, name: "history", zap: zap}, keeper: k, decides: decides}
}

// read follows the history, so that nothing waits here that another has written.
func (h *historian) read(ctx context.Context) error {
	reader, err := history.NewReader()
	if err != nil {
		return err
	}
	defer reader.Close()
	back := historyBack
	if h.page != nil {
		back = pageBack
	}
	return h.follow(ctx, back, func(e *kafka.Entry) {
		if entry, ok := reader.Read(e.Value); ok {
			h.keeper.Saw(entry.ID)
			h.show(&entry)
		}
	})
}

// show hands a minute to the page.
func (h *historian) show(e *history.Entry) {
	if h.page == nil || e.Kind != history.KindMinute {
		return
	}
	m, err := e.Minute()
	if err != nil {
		h.zap.Warn("a minute of the history cannot be read", zap.Error(err))
		return
	}
	h.page.Minute(m)
}

// write appends what waits, as long as this process decides and knows what others wrote. Then it ends with what waits still.
func (h *historian) write(ctx context.Context) {
	known := false
	for ctx.Err() == nil {
		pause(ctx, flushEvery)
		if !h.decides() {
			known = false
			continue
		}
		if known = known || h.atEnd(ctx); known {
			h.flush(ctx)
		}
	}
	if known {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
		defer cancel()
		h.flush(ctx)
	}
}

// flush appends what waits; what the log does not take waits on.
func (h *historian) flush(ctx context.Context) {
	if h.keeper.Stats().Waiting == 0 {
		return
	}
	err := h.keeper.Flush(ctx, h)
	if err == nil || ctx.Err() != nil {
		return
	}
	h.failed.Add(1)
	if h.saying.Say() {
		s := h.keeper.Stats()
		h.zap.Warn("the history takes nothing; it is tried on", zap.Int("waiting", s.Waiting), zap.Uint64("dropped", s.Dropped), zap.Error(err))
	}
}

// measured is the state of the history for metrics.
func (h *historian) measured() telemetry.History {
	s := h.keeper.Stats()
	return telemetry.History{
		Written: s.Written, Dropped: s.Dropped, Refused: s.Refused, Failed: h.failed.Load(), Waiting: s.Waiting, Bytes: s.Bytes,
	}
}
