package client

import (
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// follower keeps the document of a fleet: one loop reads, one confirms. What is read, decisions take by one atomic load.
type follower struct {
	src  Source
	cfg  Config
	name string
	pace pace
	met  *metrics

	held     atomic.Pointer[view] // nil before the first document
	standing *standing
	clients  atomic.Int64 // as the last head that told said; 0 = none did
	guarded  string       // the shard, of a Guard, which sends no requests of its own
	fencing  atomic.Int64 // requests that wait for a place that is fenced
	ready    chan struct{}
	nudge    chan struct{} // a look out of turn is wanted
	urgent   chan struct{} // a look is wanted before others, and a read without a turn
	changed  chan struct{} // what is to be confirmed changed
	joined   chan struct{} // the first confirmation was taken
	stop     context.CancelFunc
	done     sync.WaitGroup

	mu    sync.Mutex // orders views and guards what follows
	older []*view    // replaced, and perhaps still under way
	moved chan struct{}
	heard control.Head                  // the latest that others said they have, until the source was asked for it; zero = nothing
	errs  struct{ read, confirm error } // why the last one failed, nil when it did not

	// Of the reading loop alone.
	head     control.Head // the last one read
	refused  control.Head // of the document that was refused last
	refusal  error        // why; nil when a later one was taken
	back     error        // what the source has, where that is less than what is held; nil = it is not
	failures int
	looked   time.Time
}

// newFollower starts no loop yet. cfg must be valid.
func newFollower(src Source, cfg *Config) (*follower, error) {
	if src == nil {
		return nil, fmt.Errorf("source: none")
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	f := &follower{
		src: src, cfg: *cfg, name: cfg.Name, pace: pace{cfg.Poll, cfg.ReadUnits}, standing: newStanding(cfg.StaleAfter),
		ready: make(chan struct{}), nudge: make(chan struct{}, 1), urgent: make(chan struct{}, 1), changed: make(chan struct{}, 1), joined: make(chan struct{}, 1),
		moved: make(chan struct{}),
	}
	if f.name == "" {
		f.name = drawName()
	}
	var err error
	f.met, err = newMetrics(cfg.Registerer, f)
	return f, err
}

// drawName names this process among all clients: the host and a random number.
func drawName() string {
	var random [8]byte
	_, _ = crand.Read(random[:]) // never fails
	host, err := os.Hostname()
	if err != nil {
		host = "client"
	}
	return fmt.Sprintf("%.200s-%d-%s", host, os.Getpid(), hex.EncodeToString(random[:]))
}

// start runs the loops until close, or until ctx ends.
func (f *follower) start(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	f.stop = cancel
	f.done.Go(func() { f.read(ctx) })
	f.done.Go(func() { f.confirm(ctx) })
}

// close ends the loops and waits for them.
func (f *follower) close() {
	f.stop()
	f.done.Wait()
	f.met.close()
}

// offer makes first what decisions are taken by unless there is a document already.
func (f *follower) offer(first *view) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held.Load() == nil {
		f.swapLocked(first)
	}
}

// swap makes next what decisions are taken by. False where that is not newer than what came meanwhile.
func (f *follower) swap(next *view) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if held := f.held.Load(); held != nil && !headOf(next.doc).Newer(headOf(held.doc)) {
		return false
	}
	f.swapLocked(next)
	return true
}

func (f *follower) swapLocked(next *view) {
	prior := f.held.Load()
	if prior != nil {
		f.older = append(f.older, prior)
	}
	f.held.Store(next)
	close(f.moved)
	f.moved = make(chan struct{})
	if prior == nil {
		close(f.ready)
	}
	wake(f.changed)
}

// wake leaves a signal in a channel that holds one.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// confirmable is where the oldest document stands by which something is still under way: what the client may say that it holds. False
// before the first document.
func (f *follower) confirmable() (control.Head, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.older) > 0 && f.older[0].passes.Load() == 0 {
		f.older = f.older[1:]
	}
	v := f.held.Load()
	if v == nil {
		return control.Head{}, false
	}
	if len(f.older) > 0 {
		v = f.older[0]
	}
	return headOf(v.doc), true
}

// newerThan waits until the client holds a document later than a version, or ctx ends.
func (f *follower) newerThan(ctx context.Context, version uint64) error {
	for {
		f.mu.Lock()
		v, moved := f.held.Load(), f.moved
		f.mu.Unlock()
		if v != nil && v.doc.Version > version {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-moved:
		}
	}
}

// clientsNow is how many clients share what is shared: as a head told, else what is assumed.
func (f *follower) clientsNow(assumed int) int {
	if n := f.clients.Load(); n > 0 {
		return int(n)
	}
	return assumed
}

// Status is how a client stands, for people and health checks.
type Status struct {
	// Name is the client's among all clients.
	Name string
	// Epoch and Version are of the document held; 0 before the first one.
	Epoch, Version uint64
	// Stale says that a later document may be in force. Age is how long ago a read began that showed this one to be the latest, and
	// below 0 where none did.
	Stale bool
	Age   time.Duration
	// Clients is how many there are, as the last head told; 0 = not told.
	Clients int
	// Err is why the last read, the last confirmation or both failed, why a document is refused, or that the source went back behind the
	// document held; nil where nothing is wrong.
	Err error
}

func (f *follower) status() Status {
	now := time.Now()
	s := Status{Name: f.name, Stale: f.standing.stale(now), Age: -1, Clients: int(f.clients.Load())}
	if v := f.held.Load(); v != nil {
		s.Epoch, s.Version = v.doc.Epoch, v.doc.Version
	}
	if is := f.standing.now.Load(); !is.read.IsZero() {
		s.Age = age(now, is.read)
	}
	f.mu.Lock()
	s.Err = errors.Join(f.errs.read, f.errs.confirm)
	f.mu.Unlock()
	return s
}

// table is what the client holds; nil before the first document.
func (f *follower) table() *routing.Table {
	if v := f.held.Load(); v != nil {
		return v.table
	}
	return nil
}

// uniform is a number in [0, 1) for jitter.
func uniform() float64 { return rand.Float64() }
