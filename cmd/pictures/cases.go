package main

import (
	"fmt"

	"firebreak/internal/line"
	"firebreak/internal/words"
)

// question is one that somebody answers from the pictures of a case alone.
type question struct {
	ask, answer string
	shows       []string            // what the page, the report and the message each say of it
	only        map[string][]string // and what one of them says beside, by picture
	none        []string            // and what none of them says
}

// example is one of the cases. Its file is a story of testdata/pictures.
type example struct {
	file, title string
	next        func(p *played) question // what to do
	trap        func(p *played) question // where a quick answer is a wrong one
}

// cases are all, in the order of docs/pictures.md.
func cases() []example {
	return []example{
		{"1-volume", "Volume", (*played).split, (*played).wouldSaltHelp},
		{"2-hot-key", "Hot key", (*played).salt, (*played).wouldShardsHelp},
		{"3-whale-tenant", "Whale tenant", (*played).isolate, (*played).wouldSplitHelp},
		{"4-read-hot", "Read-hot", (*played).cache, (*played).wouldPiecesHelp},
		{"5-one-caller", "One caller", (*played).limit, (*played).whoIsCalled},
		{"6-unknown", "Unknown", (*played).wait, (*played).isolateNow},
		{"7-held", "Held", (*played).declare, (*played).wouldApprovalDo},
		{"8-resolved", "Resolved", (*played).nothing, (*played).saltNow},
	}
}

// questions are those of a case: the same five of all, and one that is its own.
func (p *played) questions(c *example) []question {
	return []question{p.what(), p.where(), p.why(), c.next(p), p.sure(), c.trap(p)}
}

// what is wrong.
func (p *played) what() question {
	v := p.verdict
	load := words.Number(float64(v.Load))
	q := question{ask: "What is wrong?", shows: []string{string(v.Shard), load + " requests/s", words.Times(float64(v.Imbalance))}}
	bears := fmt.Sprintf("Shard %s bears %s/s, %s the mean shard", v.Shard, load, words.Times(float64(v.Imbalance)))
	if !p.resolved.IsZero() {
		bears = fmt.Sprintf("Nothing any more: it is resolved. Shard %s bore %s/s, %s the mean shard", v.Shard, load, words.Times(float64(v.Imbalance)))
		q.shows = append(q.shows, "resolved")
	}
	switch {
	case v.Capacity > 0:
		full := words.Percent(float64(v.Load / v.Capacity))
		q.answer = fmt.Sprintf("%s and %s of its capacity of %s: %s.", bears, full, words.Rate(float64(v.Capacity)), v.Severity)
		if p.resolved.IsZero() {
			q.shows = append(q.shows, full, words.Rate(float64(v.Capacity)), v.Severity)
		}
	default:
		over := words.Times(float64(v.Load / v.Line))
		q.answer = fmt.Sprintf("%s and %s its line of %s: a %s; how serious it is, is not known without a capacity.", bears, over, words.Rate(float64(v.Line)), v.Severity)
		q.shows = append(q.shows, over, words.Rate(float64(v.Line)), v.Severity, "is not known without a capacity")
	}
	return q
}

// where it is, and since when.
func (p *played) where() question {
	v := p.verdict
	since := words.Clock(p.onset())
	q := question{ask: "Where, and since when?", answer: fmt.Sprintf("Shard %s of fleet %s, since %s.", v.Shard, v.Fleet, since), shows: []string{string(v.Shard), string(v.Fleet), since}}
	if !p.resolved.IsZero() {
		lasted := words.Lasting(p.resolved.Sub(p.onset()))
		q.answer = fmt.Sprintf("Shard %s of fleet %s, from %s for %s.", v.Shard, v.Fleet, since, lasted)
		q.shows = append(q.shows, lasted)
	}
	return q
}

// why it is so.
func (p *played) why() question {
	v := p.verdict
	share := fmt.Sprintf("%s to %s", words.Percent(float64(v.Share.Low)), words.Percent(float64(v.Share.High)))
	q := question{ask: "Why?", shows: []string{words.Cause(v.Cause)}}
	switch v.Cause {
	case "hot_key":
		q.answer = fmt.Sprintf("A hot key: %s of tenant %s is %s (%s) of the shard's load, %s.", v.Key, v.Tenant, words.Percent(float64(v.Share.Value)), share, words.Reads(float64(v.ReadShare), float64(v.OpUnknown)))
		q.shows = append(q.shows, string(v.Key), string(v.Tenant), share, words.Reads(float64(v.ReadShare), float64(v.OpUnknown)))
		if v.Caller != "" {
			sends := "sends " + words.Percent(float64(v.Contributors[0].CallerShare)) + " of it"
			q.answer += fmt.Sprintf(" The caller %s %s.", v.Caller, sends)
			q.shows = append(q.shows, string(v.Caller), sends)
		}
	case "whale_tenant":
		q.answer = fmt.Sprintf("A whale tenant: %s is %s (%s) of the shard's load; none of its keys is hot.", v.Tenant, words.Percent(float64(v.Share.Value)), share)
		q.shows = append(q.shows, string(v.Tenant), share)
	case "volume":
		q.answer = fmt.Sprintf("Volume: it has %s of the fleet's load, and no one key or tenant is to blame.", words.Percent(float64(v.Share.Value)))
		q.shows = append(q.shows, words.Percent(float64(v.Share.Value)), "without its heaviest key or tenant it would still be hot")
	default:
		q.answer = "Not known: the evidence leaves open " + string(v.Missing[0]) + "."
		q.shows = append(q.shows, string(v.Missing[0]))
	}
	return q
}

// sure is how far it can be trusted.
func (p *played) sure() question {
	v := p.verdict
	q := question{ask: "How sure is it?"}
	samples := words.Telling(float64(v.Samples))
	switch {
	case !p.resolved.IsZero():
		q.answer = "That it is over: under 0.9 × its line for 2 minutes. That it was hot, and why: beyond chance, on " + samples + "."
		q.shows, q.only = []string{"resolved"}, map[string][]string{"message": {"0.9× its line", samples}, "page": {"0.9× its line", samples}, "report": {samples}}
	case v.Cause == "unknown":
		q.answer = "That the shard is hot: beyond chance. Who makes it so is not proven. It rests on " + samples + "."
		q.shows = []string{"hot beyond chance", "who makes it hot is not proven", samples}
	default:
		q.answer = "Hot beyond chance, and the cause is the same at both ends of the bounds; the fix meets its target on upper bounds. It rests on " + samples + "."
		q.shows = []string{"hot beyond chance", "the cause is the same at both ends of the bounds", "on upper bounds", samples}
	}
	return q
}

// projection is what a fix would do.
func (p *played) projection(fix string) *line.Projection {
	for i := range p.verdict.Projections {
		if p.verdict.Projections[i].Fix == fix {
			return &p.verdict.Projections[i]
		}
	}
	return &line.Projection{}
}
