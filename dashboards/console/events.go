package console

import (
	"fmt"
	"net/http"
	"time"
)

const (
	// lookEvery is how often a stream looks whether something changed, and so the least time between two of its events.
	lookEvery = time.Second
	// beatEvery is how often a stream shows that it lives: a page that hears nothing for three of them says that it is not live.
	beatEvery = 10 * time.Second
	// streamFor bounds a stream; a browser opens the next by itself.
	streamFor = time.Hour
)

// events tells browsers that something changed, and nothing of what: they draw the page anew.
type events struct {
	model  *Model
	ending <-chan struct{}
	places chan struct{} // as many as there may be streams
}

func newEvents(m *Model, ending <-chan struct{}) *events {
	return &events{m, ending, make(chan struct{}, maxStreams)}
}

// ServeHTTP streams until the client leaves, the server ends or the time is over.
func (e *events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case e.places <- struct{}{}:
		defer func() { <-e.places }()
	default:
		w.Header().Set("Retry-After", "60")
		fail(w, http.StatusServiceUnavailable, fmt.Sprintf("%d streams are open already", maxStreams))
		return
	}
	out := http.NewResponseController(w)
	if err := out.SetReadDeadline(time.Time{}); err != nil {
		fail(w, http.StatusInternalServerError, "this connection cannot stream")
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	seen := e.model.Version()
	look, beat, over := time.NewTicker(lookEvery), time.NewTicker(beatEvery), time.NewTimer(streamFor)
	defer look.Stop()
	defer beat.Stop()
	defer over.Stop()
	for text := "retry: 5000\n\n"; ; {
		if err := out.SetWriteDeadline(time.Now().Add(headerTimeout)); err != nil {
			return
		}
		if _, err := fmt.Fprint(w, text); err != nil || out.Flush() != nil {
			return
		}
		for text = ""; text == ""; {
			select {
			case <-r.Context().Done():
				return
			case <-e.ending:
				return
			case <-over.C:
				return
			case <-beat.C:
				text = "event: beat\ndata:\n\n"
			case <-look.C:
				if v := e.model.Version(); v != seen {
					seen = v
					text = fmt.Sprintf("event: change\ndata: %d\n\n", v)
				}
			}
		}
	}
}
