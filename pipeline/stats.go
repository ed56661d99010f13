package pipeline

import "time"

// Stats is what a fleet has seen of its log so far.
type Stats struct {
	Records       uint64    // observed
	Thinned       uint64    // messages that were not looked at: a sample of their partition stands for them, see [Part.Thin]
	Counted       uint64    // and counted in a pane
	Late          uint64    // behind the ring, or long before the first records
	Future        uint64    // ahead of their own log by more than the skew
	FirstFuture   time.Time // the time that the first of them claims
	Untimed       uint64    // without a time among others that have one: counted with these
	Refused       uint64    // whose count / rate is no number of requests
	TooHeavy      uint64    // above record.MaxRequests with the default rate
	TooManyShards uint64    // of shards beyond routing.MaxShards, or with a name that is too long
	Crowded       uint64    // in more panes ahead of the window than there is memory for
	Unplaced      uint64    // without what the placement hashes: in the lists, on no shard
	Rated         uint64    // that carry a rate
	Unrated       uint64    // that take the default rate
	Requests      float64   // count / rate, summed over Counted

	Says
}

// Says is what the log says at all: whether any record of it names a tenant, ..., or carries a rate.
type Says struct{ Tenants, Keys, Callers, Shards, Ops, Rates bool }

// or adds what another part of the log says.
func (s Says) or(o Says) Says {
	return Says{s.Tenants || o.Tenants, s.Keys || o.Keys, s.Callers || o.Callers, s.Shards || o.Shards, s.Ops || o.Ops, s.Rates || o.Rates}
}

// Distinct is the size of the last snapshot's window.
type Distinct struct {
	Keys, Tenants, Callers int
	Load                   float64 // of all records, those on no shard included
}
