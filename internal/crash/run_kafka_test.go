//go:build kafka && linux

package crash

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"firebreak/pipeline/kafka"
)

// run is what happens to a group.
type run struct {
	*group

	writer *writer
	begun  time.Time

	mu      sync.Mutex // outages: every fault's goroutine
	outages []Outage
	process map[string]int // by instance
}

func (r *run) sleep(until time.Duration) { time.Sleep(time.Until(r.begun.Add(until))) }

// play does what the schedule says; it returns when everything runs again.
func (r *run) play(schedule []Fault) {
	var faults sync.WaitGroup
	defer faults.Wait()
	for _, f := range schedule {
		if f.What == Kill || f.What == Freeze {
			faults.Go(func() { r.hit(f) })
		}
	}
	for _, f := range schedule { // those that may end the test
		switch f.What {
		case Grow:
			r.sleep(f.At)
			if err := r.writer.grow(r.t.Context(), partsAfter); err != nil {
				r.t.Error(err)
			}
		case Restart:
			r.sleep(f.At)
			from := time.Now()
			r.broker.Kill()
			time.Sleep(f.For)
			r.broker.Restart()
			r.out(Outage{Broker, Restart, Span{from, time.Now()}})
			r.t.Logf("the broker was away for %v", time.Since(from).Round(time.Millisecond))
		case None, Kill, Freeze:
		}
	}
}

func (r *run) out(o Outage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outages = append(r.outages, o)
}

// hit does one fault to a process. One that another fault holds is left alone, and its neighbour is hit.
func (r *run) hit(f Fault) {
	r.sleep(f.At)
	n := f.Target
	if n == Decider {
		n = r.decider()
	}
	for !r.instances[n].take() {
		n = (n + 1) % len(r.instances)
		time.Sleep(10 * time.Millisecond)
	}
	in := r.instances[n]
	defer in.release()
	from := time.Now()
	if f.What == Freeze {
		in.signal(syscall.SIGSTOP)
		time.Sleep(f.For)
		in.signal(syscall.SIGCONT)
	} else {
		<-in.signal(syscall.SIGKILL).done
		time.Sleep(f.For)
		if err := in.start(); err != nil {
			r.t.Errorf("start anew: %v", err)
		}
	}
	r.out(Outage{n, f.What, Span{from, time.Now()}})
}

// decider is the process that says that it decides.
func (r *run) decider() int {
	at, highest := 0, int64(0)
	for n, in := range r.instances {
		if _, epoch := in.said(); epoch > highest {
			at, highest = n, epoch
		}
	}
	return at
}

// exact ends the processes and compares what was counted with what was written.
func exact(t *testing.T, name string, g *group, written *Tally) {
	t.Helper()
	c, err := NewCounted(g.fleet())
	if err != nil {
		t.Fatal(err)
	}
	ends, all := g.ends(), int64(0)
	for _, end := range ends {
		all += end
	}
	if all != int64(written.Records()) {
		t.Errorf("%s: the log has %d records, %d were written", name, all, written.Records())
	}
	from := g.open(kafka.PanesTopic(groupName))
	g.counted(c, from, written.Last(), ends, time.Minute)
	refusals := g.refusals()
	var ending time.Duration
	for _, in := range g.instances {
		ending = max(ending, in.stop())
	}
	g.counted(c, from, written.Last(), ends, 0) // what they published last
	for _, d := range c.Differences(written, ends) {
		t.Errorf("%s: %s", name, d)
	}
	s := written.Since(c.First())
	if t.Failed() {
		t.Logf("%s: what processes did not count: %s", name, strings.Join(refusals, "\n"))
	}
	t.Logf("%s: counted %d records with the sum %d in the panes since the first whole one; %+v; slowest end on SIGTERM %v",
		name, s.Records, s.Numbers, c.Entries(), ending.Round(time.Millisecond))
}

// oneDecides judges the journal, and how long nobody decided.
func (r *run) oneDecides(j *Journal) {
	for _, p := range j.Problems() {
		r.t.Errorf("journal: %s", p)
	}
	for n, in := range r.instances {
		instances, _ := in.said()
		for _, name := range instances {
			r.process[name] = n
		}
	}
	for _, t := range j.Tenures() {
		if _, known := r.process[t.Instance]; !known {
			r.t.Errorf("%s decided, and no process says that it is that", t.Instance)
		}
	}
	all := Failovers(j.Tenures(), r.process, r.outages)
	var took, whole []time.Duration
	for i := range all {
		f := &all[i]
		if f.Next.IsZero() || f.Took() > failoverBound {
			r.t.Errorf("process %d decided and died at %v; the next tenure began at %v, the last other fault at %v", f.Process, f.Death, f.Next, f.Disturbed)
		}
		took, whole = append(took, f.Took().Round(100*time.Millisecond)), append(whole, f.Next.Sub(f.Death).Round(100*time.Millisecond))
	}
	slices.Sort(took)
	slices.Sort(whole)
	if len(took) == 0 {
		r.t.Error("no process died that decided: the proof proves no failover")
	}
	r.t.Logf("deaths of the decider: %d; until the next tenure %v; without what other faults added %v (at most %v)", len(all), whole, took, failoverBound)
}

// sameVerdicts compares what was found with the story, and with the run without faults.
func (r *run) sameVerdicts(story *Story, got, want *Journal) {
	found := got.Hotspots()
	if len(found) != story.Rounds() {
		r.t.Errorf("%d hotspots, want %d: %+v", len(found), story.Rounds(), found)
	}
	handed := 0
	for i := range found {
		h := &found[i]
		for _, p := range h.Problems(hotKey(i)) {
			r.t.Error(p)
		}
		if shard := fmt.Sprintf("shard-%d", xxhash.Sum64String(hotKey(i))%shards); h.Shard != shard {
			r.t.Errorf("hotspot %s is on shard %s, its key is on %s", h.ID, h.Shard, shard)
		}
		handed += len(h.By) - 1
	}
	if handed == 0 && *faultsFlag > 0 {
		r.t.Error("no hotspot was handed over: the proof proves no failover")
	}
	for _, d := range Differ(want.Hotspots(), found, time.Second) {
		r.t.Error(d)
	}
	r.t.Logf("%d hotspots, handed over %d times; equal to those without faults", len(found), handed)
}

// allTold judges what the receivers got.
func (r *run) allTold(j *Journal) {
	const aftermath = session + 10*time.Second // until another decides, who does not know what the first had sent
	var spans []Span
	for _, o := range r.outages {
		spans = append(spans, Span{o.From.Add(-time.Second), o.To.Add(aftermath)})
	}
	for _, p := range r.notices.Problems(j.Wanted(), spans) {
		r.t.Errorf("webhook: %s", p)
	}
	r.t.Logf("webhook: %v", r.notices)
}
