package main

import "time"

// sayEvery is how often one kind of trouble is logged at most.
const sayEvery = time.Minute

// rarely says when to log what may happen at every turn: at most once in sayEvery. The zero value says it at once.
type rarely struct{ next time.Time }

// now says whether this time is one to log, which then was used.
func (r *rarely) now() bool {
	now := time.Now()
	if now.Before(r.next) {
		return false
	}
	r.next = now.Add(sayEvery)
	return true
}
