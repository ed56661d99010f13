package words

import (
	"strings"

	"firebreak/internal/line"
	"firebreak/policy"
)

// Barred is the first hold that stands against the fix whoever makes it and whoever approves, see policy.HoldReason.Blocks; nil = none,
// or there is no fix.
func (t *Told) Barred() *line.Hold {
	if t.Chosen() == nil {
		return nil
	}
	for i := range t.Held {
		if reason(t.Held[i].Reason).Blocks() {
			return &t.Held[i]
		}
	}
	return nil
}

// reason is a hold's; HoldNone where it is not one of policy's.
func reason(text string) policy.HoldReason {
	for _, r := range policy.HoldReasons() {
		if r.String() == text {
			return r
		}
	}
	return policy.HoldNone
}

// Advised is what to do in one sentence: the fix, or not to make it yet and why.
func (t *Told) Advised() Phrase {
	b := t.Barred()
	if b == nil {
		return t.Todo()
	}
	return Say("Do not ", t.deed(), " yet: ", Say(Ended(string(b.Detail))).Apart())
}

// deed is the fix as what somebody does.
func (t *Told) deed() Phrase {
	switch t.Fix {
	case "split":
		return Say("split the shard")
	case "salt":
		return Say("salt the key ", t.Key)
	case "cache":
		if t.Cause == "hot_key" {
			return Say("cache reads of the key ", t.Key)
		}
		return Say("cache reads")
	case "isolate":
		return Say("give it a shard of its own")
	case "quota":
		return Say("limit the tenant ", t.Tenant)
	case "limit_caller":
		return Say("limit the caller ", t.Caller)
	}
	return Say("add shards")
}

// first is what has to be done before a fix that is barred.
func first(b *line.Hold) string {
	switch reason(b.Reason) { //nolint:exhaustive // the others do not block
	case policy.HoldStale, policy.HoldPartial:
		return "see that the whole log is read"
	case policy.HoldSamplingByKey:
		return "sample the log otherwise than by key"
	case policy.HoldMisrouted:
		return "find out why the log names other shards than the table"
	case policy.HoldOpUnknown:
		return "log which requests read and which write"
	case policy.HoldReadHot:
		return "declare how stale an answer may be (staleness of the key space), if its readers bear that"
	case policy.HoldNotDeclared:
		return "declare the key space (policy.key_spaces), with how its values merge or how stale an answer may be"
	case policy.HoldDoesNotMerge:
		return "declare how its values merge (merge of the key space), if they do"
	case policy.HoldPinned:
		return "ask who pinned it (policy.pinned)"
	case policy.HoldNoEffect:
		return "find out why that had no effect"
	case policy.HoldNothingFeasible, policy.HoldVShardFloor:
		return "make room: add shards, or part by hand what is heavy"
	}
	return "wait until the log proves more"
}

// Next says who makes the fix now, where, and what firebreak does about it, as long as it has not begun; nil where nothing is to be made yet.
func (t *Told) Next() Phrase {
	if t.Chosen() == nil || t.Barred() != nil {
		return nil
	}
	if t.approvable() {
		return Say("An approver decides: firebreak carries it out once the plan is approved, and has changed nothing yet.")
	}
	out := Say("A person decides")
	if t.Owner != "" {
		out = Say(Name(t.Owner), " decides")
	}
	return append(out, Say(" and does it "+t.place()+"; firebreak changed nothing"+t.waits()+".")...)
}

// approvable says that nothing but a person's word is missing for firebreak to make the fix.
func (t *Told) approvable() bool {
	for i := range t.Held {
		if r := reason(t.Held[i].Reason); r != policy.HoldApprovalMissing && r != policy.HoldApprovalExpired {
			return false
		}
	}
	return len(t.Held) > 0
}

// place is where the fix is made.
func (t *Told) place() string {
	switch t.Fix {
	case "salt":
		return "in the applications that write and read the key"
	case "cache":
		return "in the applications that read"
	case "quota", "limit_caller":
		return "at the sender, or where requests enter"
	case "isolate":
		return "where requests enter (the quota) and in the store (the shard)"
	}
	return "in the store"
}

// waits says why firebreak does not do it itself.
func (t *Told) waits() string {
	if len(t.Held) == 0 {
		return ""
	}
	return " (" + strings.ReplaceAll(t.Held[0].Reason, "_", " ") + ")"
}
