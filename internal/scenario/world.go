package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// outside is what a story says of a fleet beside its log. Approvals and operations name their plan or hotspot by shard.
type outside struct {
	world     policy.World
	coverage  float64 // below 0: as counted
	lag       time.Duration
	missing   []string
	sampling  policy.Sampling
	histories []policy.TenantHistory
	approvals []approval
}

type approval struct {
	shard, by string
	at        time.Time
}

// parseWorld reads the lines of a world directive.
func (p *Player) parseWorld(input string) error {
	if len(p.fleets) == 0 {
		return errors.New("world: there is no story yet")
	}
	f := p.fleets[0]
	var errs []error
	for i, line := range strings.Split(input, "\n") {
		name, list, err := ParseLine(line)
		if err != nil || name == "" || strings.HasPrefix(name, "#") {
			errs = append(errs, err)
			continue
		}
		a := newArgs(fmt.Sprintf("world line %d: %s", i+1, name), list)
		if name == "fleet" {
			of := a.name("")
			if at := slices.IndexFunc(p.fleets, func(f *fleet) bool { return f.setup.name == of }); at >= 0 {
				f = p.fleets[at]
			} else {
				a.bad("no fleet %q", of)
			}
		} else {
			f.tell(name, a, p.now())
		}
		errs = append(errs, a.done())
	}
	return errors.Join(errs...)
}

// tell reads one line about a fleet.
func (f *fleet) tell(name string, a *args, now time.Time) {
	o := &f.outside
	switch name {
	case "health":
		f.health(a)
	case "operation":
		f.operation(a, now)
	case "clients":
		o.world.Clients = policy.Clients{Routed: a.flag("routed"), Behind: a.words("behind")}
	case "approve":
		shard := a.name("")
		o.approvals = append(o.approvals, approval{shard, a.word("by", ""), now.Add(-a.duration("ago", 0))})
	case "budget":
		o.world.Budget = policy.Budget{LastHour: a.integer("hour", 0), Open: a.integer("open", 0)}
	case "operator":
		o.world.Operator = policy.OperatorHold{Stop: a.flag("stop"), Reason: strings.Join(a.words("reason"), ", ")}
	case "demand":
		tenant := a.name("")
		o.world.Demand = slices.DeleteFunc(o.world.Demand, func(d policy.Demand) bool { return d.Tenant == tenant })
		o.world.Demand = append(o.world.Demand, policy.Demand{Tenant: tenant, Rate: a.rate("rate")})
	case "history":
		o.histories = append(o.histories, policy.TenantHistory{Tenant: a.name(""), Peak: a.rate("peak")})
	case "input":
		o.coverage = a.share("coverage", o.coverage)
		o.lag = a.duration("lag", o.lag)
		if missing, ok := a.find("missing"); ok {
			o.missing = slices.DeleteFunc(slices.Clone(missing), func(s string) bool { return s == "" })
		}
		if text := a.word("sampling", ""); text != "" {
			if err := o.sampling.UnmarshalText([]byte(text)); err != nil {
				a.bad("%w", err)
			}
		}
	default:
		a.bad("no such line")
	}
}

// health reads "health shard-3 latency_p99=0.08 rows=1000": units as policy.Metric says.
func (f *fleet) health(a *args) {
	shard := a.name("")
	for _, m := range policy.Metrics() {
		text := a.word(m.String(), "")
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			a.bad("%s: %w", m, err)
		}
		w := &f.outside.world
		w.Health = slices.DeleteFunc(w.Health, func(r policy.Reading) bool { return r.Shard == shard && r.Metric == m })
		w.Health = append(w.Health, policy.Reading{Shard: shard, Metric: m, Value: v})
	}
}

// operation reads a fix that is being carried out, or was; it is about the hotspot that is open on its shard now.
func (f *fleet) operation(a *args, now time.Time) {
	op := policy.Operation{ID: a.name("")}
	shard := a.word("shard", "")
	if err := op.Fix.UnmarshalText([]byte(a.word("fix", "split"))); err != nil {
		a.bad("%w", err)
	}
	op.Shard = shardID(f.table.Document(), shard, a)
	if ago, ok := a.find("settled"); ok && len(ago) == 1 {
		d, err := time.ParseDuration(ago[0])
		if err != nil {
			a.bad("settled: %w", err)
		}
		op.Settled = now.Add(-d)
	}
	op.NoEffect = a.flag("no_effect")
	if op.Shard != routing.NoShard {
		shard = f.table.Document().Shards[op.Shard].Name
		if t := f.state.Detection.Shards[shard]; t.Hotspot != nil {
			op.Hotspot = t.Hotspot.ID
		}
	}
	if from := a.word("footprint", ""); from == "plan" {
		op.Footprint = f.plans[shard].Footprint
	} else if from != "" {
		a.bad("footprint: %q, want plan", from)
	}
	w := &f.outside.world
	w.Operations = append(slices.DeleteFunc(w.Operations, func(o policy.Operation) bool { return o.ID == op.ID }), op)
}

// dress puts what comes from outside into a snapshot that was just counted.
func (f *fleet) dress(s *policy.Snapshot, now time.Time) *policy.Snapshot {
	out := *s
	if f.actor.done > 0 {
		out.Table = f.table
	}
	o := &f.outside
	if o.coverage >= 0 {
		out.Inputs.Coverage = o.coverage
	}
	out.Inputs.Lag += o.lag
	out.Inputs.Missing = o.missing
	out.Inputs.Histories = o.histories
	if o.sampling != policy.SamplingUnknown {
		out.Inputs.Sampling = o.sampling
	}
	out.World = o.world
	out.World.Approvals = nil
	for _, a := range o.approvals {
		if plan, ok := f.plans[a.shard]; ok {
			out.World.Approvals = append(out.World.Approvals, policy.Approval{Plan: plan.ID, By: a.by, At: a.at})
		}
	}
	out.World.Operations = slices.Concat(o.world.Operations, f.actor.operations(now))
	hour, open := f.actor.spent(now)
	out.World.Budget.LastHour += hour
	out.World.Budget.Open += open
	return &out
}
