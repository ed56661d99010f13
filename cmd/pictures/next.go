package main

import (
	"fmt"
	"time"

	"firebreak/internal/words"
)

// onset is when it began.
func (p *played) onset() time.Time { return time.Time(p.verdict.Onset) }

// team answers for what is hot.
func (p *played) team() string {
	return owners().Team(string(p.verdict.Fleet), nil)(string(p.verdict.Tenant), string(p.verdict.Key))
}

// do is what to do, with the numbers of the fix before and after.
func (p *played) do(what string, shows ...string) question {
	v := p.verdict
	fix := p.projection(v.Fix)
	after, target := words.Rate(float64(fix.Shard)), words.Rate(float64(v.Target))
	return question{
		ask: "What to do next?", answer: fmt.Sprintf("%s. It takes the shard from %s to %s, under the target of %s. Its owner decides: firebreak changes nothing.", what, words.Rate(float64(v.Load)), after, target),
		shows: append(shows, after, target, p.team()+" decides", "firebreak changed nothing (observe mode)"), none: []string{"a person decides"},
	}
}

func (p *played) split() question {
	moved := words.Percent(float64(p.projection("split").MovedShare))
	return p.do("Split the shard: move "+moved+" of the fleet's load to colder shards", "split the shard", moved)
}

func (p *played) salt() question {
	pieces := fmt.Sprintf("%d pieces", p.projection("salt").Salt)
	return p.do(fmt.Sprintf("Salt the key %s over %s on distinct shards", p.verdict.Key, pieces), "salt the key", pieces)
}

func (p *played) isolate() question {
	quota := words.Rate(p.quota)
	q := p.do(fmt.Sprintf("Give the tenant %s a quota of %s now, which refuses %s until it has a shard of its own and the quota is lifted by hand", p.verdict.Tenant, quota, words.Rate(p.refused)), "a quota of "+quota, "a shard of its own", "a shard of its own, spare-0", "this refuses "+words.Rate(p.refused)+" of "+string(p.verdict.Tenant)+" until the quota is lifted by hand, once its own shard bears it")
	const bears = "spare-0 then bears 12,000/s, 38 % of its capacity of 32,000/s"
	lift := "lift the quota of tenant " + string(p.verdict.Tenant) + " by hand"
	q.only = map[string][]string{"page": {bears, lift}, "report": {bears, lift}}
	return q
}

func (p *played) cache() question {
	return p.do(fmt.Sprintf("Cache reads of the key %s, or read it from replicas", p.verdict.Key), "cache reads", "read it from replicas")
}

func (p *played) limit() question {
	rate := words.Rate(float64(p.projection("limit_caller").Rate))
	return p.do(fmt.Sprintf("Limit the caller %s to %s of the key %s, which refuses %s now", p.verdict.Caller, rate, p.verdict.Key, words.Rate(p.refused)), "limit the caller", rate+" of the key "+string(p.verdict.Key), "this refuses "+words.Rate(p.refused)+" of "+string(p.verdict.Caller))
}

func (p *played) wait() question {
	return question{
		ask: "What to do next?", answer: "No fix yet: none is proven. Look at the key acme-1 (49 %) and its tenant acme (71 %). firebreak tells as soon as the log proves who it is; a denser sample of the log proves it sooner.",
		shows: []string{"nothing yet: no fix is proven", "the key acme-1, 49 %", "the tenant acme, 71 %", "a denser sample of the log"}, none: []string{"decides", "would do:", "the floor"},
		only: map[string][]string{"page": {"not proven"}, "report": {"not proven"}},
	}
}

func (p *played) declare() question {
	pieces := fmt.Sprintf("%d pieces", p.projection("salt").Salt)
	return question{
		ask: "What to do next?", answer: fmt.Sprintf("Do not salt the key yet: the key space counter: declares no merge, so somebody first has to say how its values merge. After that a salt over %s would do: it leaves %s.", pieces, words.Rate(float64(p.projection("salt").Shard))),
		shows: []string{"do not salt the key", "declares no merge", "first declare how its values merge", pieces}, none: []string{"decides", "✓ the fix"},
		only: map[string][]string{"page": {"fits, blocked"}, "report": {"fits, blocked"}},
	}
}

func (p *played) nothing() question {
	pieces := fmt.Sprintf("%d pieces", p.projection("salt").Salt)
	return question{
		ask: "What to do next?", answer: fmt.Sprintf("Nothing now. Should it come back: salt the key %s over %s on distinct shards.", p.verdict.Key, pieces),
		shows: []string{"nothing now: it is over", "should it come back", pieces}, none: []string{"decides", "good until", "that leaves", "was hot: one key, counter:views, is", "the mean shard: one key, counter:views, is"},
		only: map[string][]string{"message": {"resolved: shard shard-12 of orders"}, "page": {"at the verdict", "it bears 5,500/s"}, "report": {"at the verdict"}},
	}
}

func (p *played) wouldSaltHelp() question {
	return question{
		ask: "Would it help to salt the heaviest key?", answer: fmt.Sprintf("No: the heaviest key is 0.7 %% of the shard, which would keep %s.", words.Rate(float64(p.projection("salt").Shard))),
		shows: []string{"the heaviest key is 0.7 % of the shard: the shard keeps " + words.Rate(float64(p.projection("salt").Shard))},
	}
}

func (p *played) wouldShardsHelp() question {
	own := words.Rate(float64(p.verdict.Contributors[0].Load))
	return question{
		ask: "Would adding shards help?", answer: "No: the key is one, and its " + own + " stay on one shard however many there are; salt it.",
		shows: []string{"more shards", own + " stay on one shard"},
	}
}

func (p *played) wouldSplitHelp() question {
	own := words.Rate(float64(p.verdict.Contributors[0].Load))
	return question{
		ask: "Would it help to split the shard?", answer: "No: the tenant is placed as one, and its " + own + " stay together at any shard count.",
		shows: []string{own + " stay together at any shard count"},
	}
}

func (p *played) wouldPiecesHelp() question {
	return question{
		ask: "Would it help to salt the key?", answer: "Not by itself: every piece would carry the reads. It would do only together with a cache.",
		shows: []string{"a salt alone fails: every piece would carry the reads", "would do only together with a cache"}, none: []string{"would do as well, but it needs"},
	}
}

func (p *played) whoIsCalled() question {
	return question{
		ask: "Who must be called?", answer: fmt.Sprintf("Who runs the caller %s. The message names the owner of the key: %s.", p.verdict.Caller, owners().Of(string(p.verdict.Fleet), string(p.verdict.Tenant), string(p.verdict.Key), nil).Team),
		shows: []string{string(p.verdict.Caller)}, only: map[string][]string{"message": {"owner: shop", "paged 1×", "caller the caller batch-7 sends 80 % of it: that rests on what about 600,000 single requests would tell"}},
	}
}

func (p *played) isolateNow() question {
	return question{
		ask: "Shall the tenant be given a shard of its own now?", answer: "No: by the numbers that would do, and so would a salt, but what is not known comes first. Nobody is paged.",
		shows: []string{"would do by the numbers, but what is not known comes first"}, none: []string{"✓"}, only: map[string][]string{"message": {"nobody was paged"}},
	}
}

func (p *played) wouldApprovalDo() question {
	return question{
		ask: "Is it enough that somebody approves the salt?", answer: "No: pieces of it could not be read as one value while the key space declares no merge.",
		shows: []string{"value does not merge", "pieces could not be read as one"},
	}
}

func (p *played) saltNow() question {
	return question{
		ask: "Must the key be salted now?", answer: "No: it is over, and firebreak changed nothing.",
		shows: []string{"nothing now"},
	}
}
