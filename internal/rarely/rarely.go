// Package rarely keeps trouble that may come at every turn from filling a log.
package rarely

import "time"

// sayEvery is how often one kind of trouble is said at most.
const sayEvery = time.Minute

// Trouble is one kind of it. The zero value is said at once. It belongs to one goroutine.
type Trouble struct{ next time.Time }

// Say says whether this time is one to say it, which then was used: at most once a minute.
func (t *Trouble) Say() bool {
	now := time.Now()
	if now.Before(t.next) {
		return false
	}
	t.next = now.Add(sayEvery)
	return true
}
