package pipeline

import "firebreak/sketch"

// Counter counts one fleet's sliding window: exactly, or in fixed memory.
type Counter interface {
	// Add counts one event in its pane, complete or not.
	Add(e *sketch.Event)
	// Slide makes the panes up to newest complete and drops what leaves the long window.
	Slide(newest int64)
	// Window lists the complete panes, and the n heaviest keys, tenants and pairs by the long window and by its newest
	// three panes. It is valid until the next call.
	Window(n int) sketch.Window
}

// Coarsener is a Counter whose panes can be made longer, for an input that is judged as one window.
type Coarsener interface {
	Counter
	// Coarsen merges each pair of panes 2n and 2n+1 into pane n.
	Coarsen()
}
