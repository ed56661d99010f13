package kafka

// lock is a mutex whose waiters wait as those of a channel do: where time is virtual it runs on while they wait. Like a
// sync.Mutex it has one holder, who may be any goroutine.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

// Lock waits for the lock and takes it.
func (l lock) Lock() { l <- struct{}{} }

// Unlock gives it back.
func (l lock) Unlock() { <-l }
