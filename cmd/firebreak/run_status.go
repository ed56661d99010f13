package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"firebreak/dashboards/console"
)

const (
	// answerFresh is how old what the brokers answered may be before who looks at the status has them asked again.
	answerFresh = 3 * time.Second
	// answerWait is how long who looks waits for a new answer, before the last one is shown with its age.
	answerWait = 500 * time.Millisecond
)

// answered is what the brokers say of how far this instance is.
type answered struct {
	at     time.Time // when it was asked for
	why    string    // nothing, or not all, was answered; empty = all
	behind int64     // entries of the log of deltas; -1 = not known
	topics []console.Topic
}

// asking asks the brokers in the background, one question at a time and only when somebody looks, because they may not answer. The zero
// value with ask set is ready.
type asking struct {
	ask func(context.Context) answered // ends soon after its context, and by itself

	mu   sync.Mutex    // all below
	last answered      // the last whole answer
	now  answered      // the newest, whole or not
	done chan struct{} // closed when the question under way is answered; nil = none is
}

// latest gives the last whole answer, zero where there was none yet, and why there is none that is newer; empty = it is fresh.
func (a *asking) latest(ctx context.Context) (answered, string) {
	if done := a.begin(ctx); done != nil {
		wait := time.NewTimer(answerWait)
		defer wait.Stop()
		select {
		case <-done:
		case <-wait.C:
		case <-ctx.Done():
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	why := a.now.why
	switch {
	case a.now.at.IsZero():
		why = "no answer yet"
	case why == "" && a.done != nil && time.Since(a.now.at) > 2*answerFresh:
		why = "no answer since " + a.now.at.UTC().Format("15:04:05Z")
	}
	return a.last, why
}

// begin asks if the last answer is not fresh; nil = it is.
func (a *asking) begin(ctx context.Context) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done != nil || !a.now.at.IsZero() && time.Since(a.now.at) < answerFresh {
		return a.done
	}
	done := make(chan struct{})
	a.done = done
	go func() {
		defer close(done)
		got := a.ask(context.WithoutCancel(ctx)) // who looks may leave before the answer comes
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.now, a.done = got, nil; got.why == "" {
			a.last = got
		}
	}()
	return done
}

// askBrokers asks how much of each log is not read yet; both questions at once.
func (d *daemon) askBrokers(ctx context.Context) answered {
	out := answered{at: time.Now()}
	var deltas sync.WaitGroup
	deltas.Go(func() { out.behind = d.member.State(ctx).Unapplied })
	ends := d.member.Ends(ctx)
	deltas.Wait()
	if out.behind < 0 {
		out.why = "the end of the log of deltas is not known"
	}
	v := d.member.View()
	if v == nil {
		return out
	}
	lags := topicLags(v, ends, d.member.Now())
	for i := range d.fleets {
		for _, t := range d.fleets[i].Topics {
			if len(ends[t]) == 0 {
				out.why = fmt.Sprintf("the end of %s is not known", printable(t))
			}
			out.topics = append(out.topics, console.Topic{Fleet: d.fleets[i].Fleet, Name: t, Unread: int64(lags[t].unread), Behind: lags[t].behind})
		}
	}
	return out
}

// status says how this process is. Nothing of it waits long for a broker.
func (d *daemon) status(ctx context.Context) console.Status {
	epoch := d.journal.epoch.Load()
	last, why := d.asking.latest(ctx)
	s := console.Status{
		Instance: d.journal.instance, Version: d.version, Decides: epoch != 0, Epoch: epoch, Alone: d.topics == nil, Behind: -1, Partitions: d.member.Owned(),
	}
	for _, c := range d.conditions() {
		if c.Aside {
			continue // told in full below
		}
		why := ""
		if err := c.Check(); err != nil {
			why = err.Error()
		}
		s.Conditions = append(s.Conditions, console.Condition{Name: c.Name, Why: why})
	}
	s.Conditions = append(s.Conditions, console.Condition{Name: "brokers answer", Why: why})
	for _, r := range d.routing.standings() {
		s.Routing = append(s.Routing, shownRouting(&r))
	}
	if !last.at.IsZero() {
		s.Behind, s.Topics, s.Answered, s.Age = last.behind, slices.Clone(last.topics), last.at, time.Since(last.at)
	}
	return s
}
