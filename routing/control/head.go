package control

import "time"

// Head is what clients poll: a few bytes that say whether there is a newer document.
type Head struct {
	Epoch, Version uint64
	// Bytes is the size of the document as clients read it, 0 = not known.
	Bytes int
	// Clients is how many lived when it was said last, guards not among them; 0 = not known. Reads of the document are spread, and quotas
	// divided, by it.
	Clients int
}

// Newer says whether h is of a later state than o: what clients hold never goes back.
func (h Head) Newer(o Head) bool {
	return h.Version > o.Version && h.Epoch >= o.Epoch
}

// Confirmation is what a client says it holds. It is put again and again, as long as the client lives.
type Confirmation struct {
	// Client names the process: unique, 1 to 255 bytes.
	Client string
	// Epoch and Version are of the document it routes by.
	Epoch, Version uint64
	// Guard says that it guards a shard, and sends no requests of its own: quotas are not divided by it.
	Guard bool
	// Beat rises with every confirmation of the process. Who reads judges by its change whether the client lives: clocks of clients
	// decide nothing.
	Beat uint64
	// Shard is the one that a Guard is for: at most 255 bytes. Empty = it does not say.
	Shard string
}

const (
	// ConfirmEvery is how often a client confirms at least; at once when it takes a new document.
	ConfirmEvery = 20 * time.Second
	// NoLongerLive is how long after its last confirmation a client is waited for.
	NoLongerLive = 60 * time.Second
	// Forgotten is how long after its last confirmation a client's item may be deleted.
	Forgotten = 24 * time.Hour
)
