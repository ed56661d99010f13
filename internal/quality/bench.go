package quality

import (
	"context"
	"sync"
)

// Bench draws and runs n fleets with the seeds from first on and returns their results in that order, whatever the
// number of workers. done is called after each fleet, from any worker, one call at a time; it may be nil.
func Bench(ctx context.Context, first uint64, n, workers int, done func(*Result)) ([]*Result, error) {
	results, errs := make([]*Result, n), make([]error, n)
	next := make(chan int)
	var group sync.WaitGroup
	var mu sync.Mutex // one call of done at a time
	for range max(1, workers) {
		group.Go(func() {
			for i := range next {
				f, err := Draw(first + uint64(i))
				if err != nil {
					errs[i] = err
					continue
				}
				results[i] = Run(f)
				if done != nil {
					mu.Lock()
					done(results[i])
					mu.Unlock()
				}
			}
		})
	}
	send(ctx, next, n)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// send hands out 0 to n-1 until the context ends.
func send(ctx context.Context, next chan<- int, n int) {
	defer close(next)
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			return
		}
	}
}
