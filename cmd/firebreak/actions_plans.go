package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/mover"
	"firebreak/actuator/operation"
	"firebreak/internal/line"
	"firebreak/pipeline/kafka"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// shownPlan is a plan that stands, as the journal has it, with what holds its hotspot.
type shownPlan struct {
	line.Plan

	since time.Time
	shard string
	fix   string
	holds []string
}

// shownPlans are those of a fleet, oldest first.
type shownPlans struct {
	all  []*shownPlan
	open []string // hotspots
}

// plans reads what stands of the last days.
func (r *routed) plans(ctx context.Context, now time.Time) (*shownPlans, error) {
	logs, err := openLogs(r.cfg)
	if err != nil {
		return nil, err
	}
	defer logs.Close()
	g := plansGathered{fleet: r.fleet, reader: actuator.NewReader(), plans: map[string]*shownPlan{}, shards: map[string]string{}, holds: map[string]map[string]string{}}
	if err := readLog(ctx, logs.journal, now.Add(-plansBack), func(e *kafka.Entry) { g.take(e.Value) }); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return g.shown(), nil
}

// plansBack is how far back the journal is read for plans: an open hotspot is told of again within a day.
const plansBack = 3 * 24 * time.Hour

type plansGathered struct {
	fleet  string
	reader *actuator.Reader
	plans  map[string]*shownPlan // by hotspot; of an undo by id
	shards map[string]string     // of open hotspots
	holds  map[string]map[string]string
}

func (g *plansGathered) take(value []byte) {
	e, ok := g.reader.Read(value)
	if !ok || e.Fleet != g.fleet {
		return
	}
	switch e.Kind {
	case actuator.KindVerdict:
		v, err := actuator.Read[line.Verdict](&e)
		if err != nil {
			return
		}
		if g.shards[e.Hotspot] = string(v.Shard); e.Phase == actuator.PhaseResolved {
			delete(g.shards, e.Hotspot)
			delete(g.plans, e.Hotspot)
			delete(g.holds, e.Hotspot)
		}
	case actuator.KindPlan:
		p, err := actuator.Read[line.Plan](&e)
		if err != nil {
			return
		}
		name := e.Hotspot
		if name == "" {
			name = string(p.ID)
		}
		if e.Phase == actuator.PhaseEnded {
			delete(g.plans, name)
			return
		}
		g.plans[name] = &shownPlan{Plan: p, since: e.At, fix: p.Projection.Fix}
	case actuator.KindHold:
		h, err := actuator.Read[line.Hold](&e)
		if err != nil {
			return
		}
		if g.holds[e.Hotspot] == nil {
			g.holds[e.Hotspot] = map[string]string{}
		}
		if g.holds[e.Hotspot][h.Reason] = string(h.Detail); e.Phase == actuator.PhaseEnded {
			delete(g.holds[e.Hotspot], h.Reason)
		}
	case actuator.KindUnknown, actuator.KindAdvice, actuator.KindBlind, actuator.KindSighted, actuator.KindDelivered, actuator.KindDecider, actuator.KindAccepted,
		actuator.KindDismissed, actuator.KindReopened, actuator.KindReport, actuator.KindRouted, actuator.KindActed:
	}
}

func (g *plansGathered) shown() *shownPlans {
	out := &shownPlans{}
	for hotspot := range g.shards {
		out.open = append(out.open, hotspot)
	}
	slices.Sort(out.open)
	for _, p := range g.plans {
		p.shard = g.shards[string(p.Hotspot)]
		if p.Undo && p.fix == "" {
			p.fix = "undo"
		}
		for _, of := range []string{"", string(p.Hotspot)} {
			for reason, detail := range g.holds[of] {
				p.holds = append(p.holds, strings.TrimSuffix(strings.ReplaceAll(reason, "_", " ")+": "+detail, ": "))
			}
			if p.Hotspot == "" {
				break
			}
		}
		slices.Sort(p.holds)
		out.all = append(out.all, p)
	}
	slices.SortFunc(out.all, func(a, b *shownPlan) int {
		if c := a.since.Compare(b.since); c != 0 {
			return c
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return out
}

// named finds a plan by its id or the beginning of it.
func (s *shownPlans) named(id string) (*shownPlan, error) {
	var found []*shownPlan
	var ids []string
	for _, p := range s.all {
		if string(p.ID) == id || len(id) >= leastID && strings.HasPrefix(string(p.ID), id) {
			found = append(found, p)
		}
		ids = append(ids, string(p.ID))
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(ids) == 0:
		return nil, fmt.Errorf("there is no plan %s, nor any other now: firebreak actions list", shownName(id))
	}
	return nil, fmt.Errorf("%d plans are called %s; there are %s", len(found), shownName(id), strings.Join(ids, ", "))
}

// hotspot finds an open one by its id or the beginning of it.
func (s *shownPlans) hotspot(id string) (string, error) {
	var found []string
	for _, h := range s.open {
		if h == id || len(id) >= leastID && strings.HasPrefix(h, id) {
			found = append(found, h)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return "", fmt.Errorf("%d open hotspots are called %s; open are: %s", len(found), shownName(id), strings.Join(s.open, ", "))
}

// permit says why a word does not count, where no instance is asked.
func (r *routed) permit(s *control.State, q *control.Request) error {
	f, err := fleetNamed(r.cfg, r.fleet)
	if err != nil {
		return err
	}
	judge := f.Judge()
	return operation.Permit(s, q, &operation.Numbers{}, &judge)
}

// lines are the writes that a plan would make, without what cuts it into operations: that goes by the loads of the moment.
func (p *shownPlan) lines(s *control.State, cfg *policy.Config, by *mover.Movers) ([]operation.Line, error) {
	plan := policy.Plan{ID: string(p.ID), Undo: p.Undo}
	for i := range p.Steps {
		step, err := stepOf(&p.Steps[i], s.Document)
		if err != nil {
			return nil, err
		}
		plan.Steps = append(plan.Steps, step)
	}
	return operation.Steps(s, &plan, &operation.Terms{
		Cut: func(moves []routing.Move) [][]routing.Move { return [][]routing.Move{moves} }, Staleness: cfg.StalenessOf,
		Moving: by.Moving(), Provisions: by.Can(operation.AskProvision), Merges: func(tenant, key string) bool { return cfg.MergeOf(tenant, key) != "" },
	})
}

// stepOf reads a step of the journal back.
func stepOf(l *line.Step, doc *routing.Document) (policy.Step, error) {
	s := policy.Step{Key: string(l.Key), Tenant: string(l.Tenant), Caller: string(l.Caller), Rate: float64(l.Rate), Text: string(l.Text)}
	var err error
	if s.Kind, err = policy.ParseStepKind(l.Kind); err != nil {
		return s, err
	}
	for _, name := range l.Shards {
		s.Shards = append(s.Shards, string(name))
	}
	for _, m := range l.Moves {
		to := slices.IndexFunc(doc.Shards, func(d routing.Shard) bool { return d.Name == string(m.To) })
		if to < 0 {
			return s, fmt.Errorf("there is no shard %s yet", shownName(string(m.To)))
		}
		s.Moves = append(s.Moves, routing.Move{VShard: routing.VShard(m.VShard), To: routing.ShardID(to)})
	}
	if n := len(l.Suffixes); n > 0 {
		s.Salt = &routing.Salt{Key: s.Key, Suffixes: l.Suffixes, Read: n, Write: n}
		if doc.Placement.IdentifiesTenant() {
			s.Salt.Tenant = s.Tenant
		}
	}
	return s, nil
}
