package main

import (
	"fmt"
	"strings"

	"firebreak/policy"
)

// trapReport is the demonstration that more shards do not help a hot key; shares of all requests, 0 to 1.
type trapReport struct {
	Schema int        `json:"schema"`
	Type   string     `json:"type"` // trap
	Share  float64    `json:"share"`
	Fleets []trapStep `json:"fleets"`
	Salt   int        `json:"salt"`
	Shards int        `json:"salted_shards"`
	Placed float64    `json:"placed"`
	Hashed hashed     `json:"hashed"`
}

type trapStep struct {
	Shards  int     `json:"shards"`
	Fair    float64 `json:"fair"`
	Hottest float64 `json:"hottest"`
}

func newTrapReport() trapReport {
	const share, pieces, shards = 0.80, 16, 16
	r := trapReport{Schema: 1, Type: "trap", Share: share, Salt: pieces, Shards: shards}
	for _, n := range []int{4, 8, 16, 32} {
		f := policy.Form{Share: share, Rate: 1, Shards: n}
		r.Fleets = append(r.Fleets, trapStep{n, f.Mean(), f.Hottest(n)})
	}
	f := policy.Form{Share: share, Rate: 1, Shards: shards}
	b := f.BlindHash(pieces)
	r.Placed, r.Hashed = f.Salted(pieces), hashed{b.Mean, b.P05, b.P95, b.Collides}
	return r
}

func (r trapReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "THE TRAP: one key has %s of all requests, and the answer is \"add shards\"\n\n", percent(r.Share))
	var t table
	t.header("shards", "fair share", "on the key's shard")
	for _, s := range r.Fleets {
		t.row(whole(s.Shards), fixed(100*s.Fair, 1)+" %", fixed(100*s.Hottest, 0)+" %")
	}
	t.write(&b)
	first, last := r.Fleets[0], r.Fleets[len(r.Fleets)-1]
	fmt.Fprintf(&b, "\n  %d times the shards took %s points off. The key's own %s stay on one shard at any count.\n",
		last.Shards/first.Shards, fixed(100*(first.Hottest-last.Hottest), 1), percent(r.Share))
	fmt.Fprintf(&b, "\nSALTED instead: %d pieces on %d shards\n\n", r.Salt, r.Shards)
	t = table{}
	t.header("the pieces are", "on the hottest shard")
	t.row("placed apart", fixed(100*r.Placed, 1)+" %", "the fair share")
	t.row("hashed blindly", fixed(100*r.Hashed.Mean, 1)+" %", fmt.Sprintf("expected; %s %% to %s %% in 9 of 10 hashes, %s the fair share",
		fixed(100*r.Hashed.P05, 1), fixed(100*r.Hashed.P95, 1), multiple(r.Hashed.Mean/r.Placed)))
	t.write(&b)
	fmt.Fprintf(&b, "\n  Place pieces on distinct shards: %d hashed blindly on %d share a shard with probability %s.\n"+
		"  The price of a salt is reads: each read of the key now asks %d pieces.\n", r.Salt, r.Shards, collidesText(r.Hashed.Collides), r.Salt)
	return b.String()
}

func collidesText(p float64) string {
	if p > 0.9999 {
		return "above 99.99 %"
	}
	return percent(p)
}
