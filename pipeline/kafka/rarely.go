package kafka

import "time"

// rarely lets what may happen at every turn be logged at most once in tellEvery. The zero value lets it at once.
type rarely struct{ told time.Time }

// tellEvery is how often the same trouble is logged at most.
const tellEvery = 10 * time.Second

func (r *rarely) now() bool {
	if time.Since(r.told) <= tellEvery {
		return false
	}
	r.told = time.Now()
	return true
}
