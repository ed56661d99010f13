package main

import (
	"sync"
	"time"

	"firebreak/actuator"
	"firebreak/internal/telemetry"
)

// reports is what the journal knows of reports. The zero value knows nothing.
type reports struct {
	mu    sync.Mutex // the follower of the journal tells, who writes reports asks
	first time.Time  // of any entry; zero = there is none
	last  time.Time  // end of the newest period that has one; zero = none has

	count telemetry.Reports // what metrics show
}

// saw takes an entry of the journal.
func (r *reports) saw(e *actuator.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first.IsZero() || e.At.Before(r.first) {
		r.first = e.At
	}
	if e.Kind != actuator.KindReport {
		return
	}
	l, err := actuator.Read[actuator.Reported](e)
	if err != nil {
		return
	}
	if time.Time(l.To).After(r.last) {
		r.last = time.Time(l.To)
	}
	if l.Why == "" && e.At.After(r.count.Success) {
		r.count.Success = e.At
	}
}

// failed counts an attempt that failed.
func (r *reports) failed(why telemetry.ReportFailure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count.Failed[why]++
}

// measured is what metrics show.
func (r *reports) measured() telemetry.Reports {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// known are the beginning of the journal as far as it was read, and the end of the newest period that has a report.
func (r *reports) known() (first, last time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first, r.last
}
