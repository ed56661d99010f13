package main

import (
	"math"
	"slices"
	"time"

	"firebreak/internal/line"
	"firebreak/policy"
)

// whatifReport answers whatif. Its JSON form is a contract (schema 1): loads in requests/s, shares and probabilities 0
// to 1, imbalance as a multiple of the mean; what there is none of is null.
type whatifReport struct {
	Schema   int      `json:"schema"`
	Type     string   `json:"type"` // whatif
	Share    float64  `json:"share"`
	Rate     float64  `json:"rate"`
	Shards   int      `json:"shards"`
	Reads    float64  `json:"reads"`
	Sample   float64  `json:"sample"`           // share of the traffic that is logged
	Multiple *float64 `json:"target_multiple"`  // of the mean
	Capacity *float64 `json:"capacity"`         // of one shard
	Answer   answer   `json:"answer"`           // for the rate given
	Fleets   []fleet  `json:"fleets"`           // as it is, then more shards
	Salts    []salt   `json:"salts"`            // on the shards there are
	Doubled  answer   `json:"doubled"`          // for twice the rate
	Detects  detects  `json:"detectable"`       // by the log
	Caveat   string   `json:"caveat,omitempty"` // what the figures take for granted

	InStore  *line.InStore `json:"in_store,omitempty"` // the fix of the answer in the words of --profile
	question whatifQuestion
}

// answer is the state and the advice for one rate.
type answer struct {
	Rate    float64    `json:"rate"`
	Mean    float64    `json:"mean"`
	Target  float64    `json:"target"`
	Hottest float64    `json:"hottest"`
	Floor   float64    `json:"floor"`
	Fix     policy.Fix `json:"fix"`
	Shards  *int       `json:"shards"` // that it takes, where the fix is to scale out
	Salt    *int       `json:"salt"`   // pieces, where the fix has a salt
	Cache   bool       `json:"cache"`  // of the reads, where the fix has one
	After   float64    `json:"after"`  // hottest shard after the fix
	Why     string     `json:"why"`
}

// fleet is the same key on another number of shards.
type fleet struct {
	Shards    int     `json:"shards"`
	Hottest   float64 `json:"hottest"`
	Imbalance float64 `json:"imbalance"`
	Feasible  bool    `json:"feasible"`
	Salt      *int    `json:"salt"` // smallest that meets the target there; 1 = none is needed
}

// salt is the key in pieces, placed on distinct shards or hashed blindly.
type salt struct {
	Pieces            int     `json:"salt"`
	Hottest           float64 `json:"hottest"`
	Imbalance         float64 `json:"imbalance"`
	Feasible          bool    `json:"feasible"`
	Smallest          bool    `json:"smallest"` // of those that meet the target
	KeyReadMultiplier float64 `json:"key_read_multiplier"`
	ReadMultiplier    float64 `json:"read_multiplier"` // of the fleet, if the key has its share of load of all reads too
	Hashed            *hashed `json:"hashed"`          // null above 1,024 pieces
}

type hashed struct {
	Mean     float64 `json:"mean"`
	P05      float64 `json:"p05"`
	P95      float64 `json:"p95"`
	Collides float64 `json:"collides"`
}

// detects is what the log can show of one shard within a window.
type detects struct {
	Line    float64  `json:"line"`               // requests/s
	Samples float64  `json:"samples_per_minute"` // on a shard at the line
	Fast    detected `json:"within_1m"`
	Long    detected `json:"within_5m"`
}

type detected struct {
	Ratio *float64 `json:"ratio"` // smallest load / line that is found at 95 %
	Load  *float64 `json:"load"`  // the same in requests/s
	Share *float64 `json:"share"` // of one key that brings a shard there
	Power float64  `json:"power"` // that the shard asked about is found
}

func newWhatifReport(q whatifQuestion) whatifReport {
	f := q.form
	r := whatifReport{
		Schema: 1, Type: "whatif", Share: f.Share, Rate: f.Rate, Shards: f.Shards, Reads: f.Reads, Sample: 1 / q.every,
		Caveat: "the rest of the load is even, and pieces are placed on distinct shards unless said otherwise", question: q,
	}
	if q.capacity > 0 {
		r.Capacity = &q.capacity
	} else {
		r.Multiple = &q.multiple
	}
	r.Answer = q.answer(f)
	twice := f
	twice.Rate *= 2
	r.Doubled = q.answer(twice)
	for _, times := range []int{1, 2, 4, 8, 64} {
		r.Fleets = append(r.Fleets, q.fleet(f.Shards*times))
	}
	r.Salts = q.salts(r.Answer.Target)
	r.Detects = q.detects()
	return r
}

// target is what the hottest shard may bear, requests/s.
func (q whatifQuestion) target(f policy.Form) float64 {
	if q.capacity > 0 {
		return policy.Default().Lines.Target * q.capacity
	}
	return q.multiple * f.Mean()
}

func (q whatifQuestion) fleet(shards int) fleet {
	f := q.form
	f.Shards = shards
	target := q.target(f)
	out := fleet{Shards: shards, Hottest: f.Hottest(shards), Imbalance: f.Hottest(shards) / f.Mean()}
	if s, ok := f.SmallestSalt(target); ok {
		out.Salt, out.Feasible = &s, s == 1
	}
	return out
}

func (q whatifQuestion) salts(target float64) []salt {
	f := q.form
	pieces := []int{2, 4, 8, 16}
	smallest, ok := f.SmallestSalt(target)
	if ok && smallest > 1 {
		pieces = append(pieces, smallest)
	}
	slices.Sort(pieces)
	out := []salt{}
	for _, s := range slices.Compact(pieces) {
		if s > f.Shards {
			break
		}
		row := salt{
			Pieces: s, Hottest: f.Salted(s), Imbalance: f.Salted(s) / f.Mean(),
			Feasible: ok && s >= smallest, Smallest: ok && s == smallest,
			KeyReadMultiplier: f.KeyReadMultiplier(s), ReadMultiplier: f.FleetReadMultiplier(s, f.Share),
		}
		if s <= 1024 {
			b := f.BlindHash(s)
			row.Hashed = &hashed{b.Mean, b.P05, b.P95, b.Collides}
		}
		out = append(out, row)
	}
	return out
}

func (q whatifQuestion) detects() detects {
	f, lines := q.form, policy.Default().Lines
	w := policy.Watch{Samples: f.Rate / q.every, Shards: f.Shards, Line: q.multiple}
	if q.capacity > 0 {
		w.Absolute, w.Line = true, lines.Warning*q.capacity/f.Mean()
	}
	line := w.Line * f.Mean()
	found := w.Detectable()
	see := func(ratio float64, window time.Duration) detected {
		out := detected{Power: w.Power(f.Hottest(f.Shards)/line, window)}
		if math.IsInf(ratio, 1) {
			return out
		}
		load := ratio * line
		out.Ratio, out.Load = &ratio, &load
		if share := (load - f.Mean()) / (f.Rate - f.Mean()); share > 0 && share <= 1 {
			out.Share = &share
		}
		return out
	}
	return detects{Line: line, Samples: found.Samples, Fast: see(found.Fast, time.Minute), Long: see(found.Long, 5*time.Minute)}
}
