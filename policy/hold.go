package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/routing"
)

// gate holds the whole fleet while its input cannot be judged. blind says that
// nothing may fire, resolve or be undone on it.
func gate(s *Snapshot, cfg *Config) (holds []Hold, blind bool) {
	in := s.Inputs
	if in.Sampling == SamplingByKey {
		holds = append(holds, Hold{Reason: HoldSamplingByKey, Detail: "a log sampled by key keeps all of some keys and none of the others: no share can be estimated from it"})
	}
	if in.Lag > cfg.MaxLag {
		holds = append(holds, Hold{Reason: HoldStale, Detail: fmt.Sprintf("the newest complete pane is %s behind, at most %s", in.Lag.Round(time.Second), cfg.MaxLag)})
	}
	if len(in.Missing) > 0 {
		holds = append(holds, Hold{Reason: HoldPartial, Detail: fmt.Sprintf("%d log partitions are silent: %s", len(in.Missing), strings.Join(in.Missing, ", "))})
	}
	if in.Coverage < cfg.Coverage {
		holds = append(holds, Hold{Reason: HoldPartial, Detail: fmt.Sprintf("%s of the log was counted, at least %s", percent(in.Coverage), percent(cfg.Coverage))})
	}
	if warm := min(cfg.WarmPanes, cfg.LongPanes); len(s.Panes) < warm && !s.Whole {
		holds = append(holds, Hold{Reason: HoldWarmingUp, Detail: fmt.Sprintf("%s of %s", time.Duration(len(s.Panes))*s.Pane, time.Duration(warm)*s.Pane)})
	}
	return holds, len(holds) > 0 || len(s.Panes) == 0
}

// holdPlan lists what keeps a plan from being carried out, in the order of the
// reasons; none means ready. What the evidence forbids stands before what the
// world does.
func holdPlan(s *Snapshot, cfg *Config, st *State, p *Plan, v *Verdict, now time.Time) []Hold {
	var out []Hold
	hold := func(r HoldReason, format string, args ...any) {
		out = append(out, Hold{Hotspot: p.Hotspot, Reason: r, Detail: fmt.Sprintf(format, args...)})
	}
	if mode := cfg.ModeOf(p.Fix); mode == ModeObserve {
		hold(HoldObserve, "firebreak does not carry out this fix")
		return out
	}
	if s.World.Operator.Stop {
		hold(HoldOperator, "%s", s.World.Operator.Reason)
	}
	for _, h := range s.World.Operator.Hotspots {
		if h.Hotspot == p.Hotspot && p.Hotspot != "" {
			hold(HoldOperator, "%s", h.Reason)
		}
	}
	for _, a := range s.World.Approvals {
		if a.Plan == p.ID && a.Rejected {
			hold(HoldOperator, "rejected by %s: %s", a.By, a.Reason)
		}
	}
	holdDeclared(cfg, p, hold)
	holdPinned(cfg, p, v, hold)
	holdWorld(s, cfg, st, p, v, now, hold)
	holdApproval(s, cfg, p, now, hold)
	slices.SortStableFunc(out, func(a, b Hold) int { return int(a.Reason) - int(b.Reason) })
	return out
}

type holdFunc func(r HoldReason, format string, args ...any)

// ModeOf a fix: its own over the fleet's.
func (c *Config) ModeOf(f Fix) Mode {
	if m, ok := c.Modes[f]; ok {
		return m
	}
	return c.Mode
}

// holdDeclared: only declared key spaces are ever salted or cached.
func holdDeclared(cfg *Config, p *Plan, hold holdFunc) {
	for _, step := range p.Steps {
		if step.Kind != StepSalt && step.Kind != StepCache {
			continue
		}
		space, ok := cfg.space(step.Key, step.Tenant)
		switch {
		case !ok:
			hold(HoldNotDeclared, "no key space declares the key")
		case step.Kind == StepSalt && space.Merge == "":
			hold(HoldDoesNotMerge, "the key space %q declares no merge: pieces could not be read as one", space.Prefix)
		case step.Kind == StepCache && space.Staleness <= 0:
			hold(HoldReadHot, "the key space %q declares no staleness bound: it wants a cache, and may not have one", space.Prefix)
		}
	}
}

// space is the first declared key space that matches.
func (c *Config) space(key, tenant string) (KeySpace, bool) {
	for _, k := range c.KeySpaces {
		if strings.HasPrefix(key, k.Prefix) && (k.Tenant == "" || k.Tenant == tenant) {
			return k, true
		}
	}
	return KeySpace{}, false
}

// StalenessOf is how old a cached answer for a key may be; 0 = it may not be cached.
func (c *Config) StalenessOf(tenant, key string) time.Duration {
	space, _ := c.space(key, tenant)
	return space.Staleness
}

// MergeOf is how the pieces of a key are merged; empty = it may not be salted.
func (c *Config) MergeOf(tenant, key string) string {
	space, _ := c.space(key, tenant)
	return space.Merge
}

func holdPinned(cfg *Config, p *Plan, v *Verdict, hold holdFunc) {
	for _, step := range p.Steps {
		if step.Key != "" && slices.Contains(cfg.Pinned.Keys, step.Key) {
			hold(HoldPinned, "the key is pinned")
		}
		if step.Tenant != "" && slices.Contains(cfg.Pinned.Tenants, step.Tenant) {
			hold(HoldPinned, "the tenant is pinned")
		}
	}
	if slices.Contains(cfg.Pinned.Shards, v.Shard) {
		hold(HoldPinned, "shard %s is pinned", v.Shard)
	}
}

// holdWorld asks operations, budgets, clients and the clock.
func holdWorld(s *Snapshot, cfg *Config, st *State, p *Plan, v *Verdict, now time.Time, hold holdFunc) {
	w := s.World
	if !w.Clients.Routed {
		hold(HoldNotRouted, "no client reads the table")
	}
	if len(w.Clients.Behind) > 0 {
		hold(HoldClientBehind, "waiting for %s", strings.Join(w.Clients.Behind, ", "))
	}
	for _, op := range w.Operations {
		switch {
		case op.NoEffect && p.Hotspot != "" && op.Hotspot == p.Hotspot:
			hold(HoldNoEffect, "operation %s (%s) did not cool the shard", op.ID, op.Fix)
		case op.Settled.IsZero() && overlaps(op.Footprint, p.Footprint):
			hold(HoldFootprintInUse, "operation %s works on the same entries", op.ID)
		case op.Settled.IsZero() && (p.Hotspot != "" && op.Hotspot == p.Hotspot || v.ShardID != routing.NoShard && op.Shard == v.ShardID):
			hold(HoldFootprintInUse, "operation %s works on the shard: what it is worth is not known yet", op.ID)
		case !op.Settled.IsZero() && op.Shard == v.ShardID && v.ShardID != routing.NoShard && now.Sub(op.Settled) < cfg.CoolDown:
			hold(HoldCoolDown, "%s more after operation %s", (cfg.CoolDown - now.Sub(op.Settled)).Round(time.Second), op.ID)
		}
	}
	if until := st.Action.CoolDown[v.Shard]; now.Before(until) {
		hold(HoldCoolDown, "%s more", until.Sub(now).Round(time.Second))
	}
	if w.Budget.LastHour >= cfg.PerHour {
		hold(HoldBudget, "%d operations in the last hour, at most %d", w.Budget.LastHour, cfg.PerHour)
	} else if w.Budget.Open >= cfg.AtOnce {
		hold(HoldBudget, "%d operations are open, at most %d", w.Budget.Open, cfg.AtOnce)
	}
	if cfg.ModeOf(p.Fix) == ModeAuto {
		if most := p.largest(s); most > cfg.MovedAtMost {
			hold(HoldCap, "one operation would move %s of the fleet's load, at most %s without a person", percent(most), percent(cfg.MovedAtMost))
		}
	}
	if !cfg.InWindow(now) {
		hold(HoldOutsideWindow, "operations start in the maintenance windows only")
	}
}

// largest is the share of the fleet's load that the plan's largest single
// operation moves: splits are cut to the cap, one tenant, key or virtual shard
// cannot be.
func (p *Plan) largest(s *Snapshot) float64 {
	most := 0.0
	for i := range p.Steps {
		switch step := &p.Steps[i]; step.Kind {
		case StepPlaceTenant, StepPlaceKey:
			return p.Projection.MovedShare
		case StepMove, StepDrain:
			most = max(most, heaviest(s, step.Moves))
		case StepNone, StepSalt, StepCache, StepQuota, StepLimitCaller, StepAddShards, StepNative, StepUnsalt, StepReturnTenant, StepLiftQuota, StepUncache:
		}
	}
	return most
}

// heaviest is the share of the fleet's load that the heaviest of the virtual shards has.
func heaviest(s *Snapshot, moves []routing.Move) float64 {
	load, all := vshardLoads(s)
	most := 0.0
	for _, m := range moves {
		most = max(most, ratio(load[m.VShard], all))
	}
	return most
}

func overlaps(a, b []routing.Entry) bool {
	return slices.ContainsFunc(a, func(e routing.Entry) bool {
		return slices.ContainsFunc(b, func(o routing.Entry) bool { return routing.CompareEntries(e, o) == 0 })
	})
}

// holdApproval: in approve mode a listed person's word on this plan, not too old.
func holdApproval(s *Snapshot, cfg *Config, p *Plan, now time.Time, hold holdFunc) {
	if cfg.ModeOf(p.Fix) != ModeApprove {
		return
	}
	var newest time.Time
	for _, a := range s.World.Approvals {
		if a.Plan == p.ID && !a.Rejected && slices.Contains(cfg.Approvers, a.By) && a.At.After(newest) {
			newest = a.At
		}
	}
	switch {
	case newest.IsZero():
		hold(HoldApprovalMissing, "plan %s waits for a person", p.ID)
	case now.Sub(newest) > cfg.Expiry:
		hold(HoldApprovalExpired, "plan %s was approved %s ago, at most %s", p.ID, now.Sub(newest).Round(time.Second), cfg.Expiry)
	}
}
