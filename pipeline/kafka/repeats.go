package kafka

import (
	"fmt"
	"sync"
	"time"
)

// sameEvery is how often a client's same trouble is logged at most. A broker that is away is dialled several times a second by each
// client, and every attempt is a line.
const sameEvery = 30 * time.Second

// mostTroubles is how many troubles are told apart: the messages of a client are constant, and brokers and groups are few.
const mostTroubles = 256

// trouble is what makes two warnings the same: the text, and of which broker, group and topic they are.
type trouble struct{ message, of string }

// repeats knows what was logged of late. newRepeats makes it.
type repeats struct {
	mu   sync.Mutex // all goroutines of all clients of a cluster log
	said map[trouble]*saidOf
}

// saidOf is a trouble that was logged.
type saidOf struct {
	at   time.Time // when it was
	more int       // how often it came since, and was left out
}

func newRepeats() *repeats { return &repeats{said: map[trouble]*saidOf{}} }

// say tells whether a warning is logged now, and how many like it were left out since the one before.
func (r *repeats) say(message string, pairs []any) (leftOut int, now bool) {
	what := trouble{message: message}
	for i := 0; i+1 < len(pairs); i += 2 {
		switch pairs[i] {
		case "broker", "group", "topic":
			what.of += fmt.Sprint(pairs[i+1]) + "\x00"
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.said[what]
	switch {
	case s == nil:
		if len(r.said) >= mostTroubles {
			clear(r.said)
		}
		r.said[what] = &saidOf{at: time.Now()}
		return 0, true
	case time.Since(s.at) < sameEvery:
		s.more++
		return 0, false
	}
	leftOut = s.more
	*s = saidOf{at: time.Now()}
	return leftOut, true
}
