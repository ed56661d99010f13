package console

import (
	"net/http"

	"firebreak/internal/line"
)

// fleets answers with every fleet as it is now.
func (a *api) fleets(*http.Request) (any, error) {
	a.model.mu.RLock()
	defer a.model.mu.RUnlock()
	out := fleetsAnswer{Fleets: []fleetAnswer{}}
	for _, f := range a.model.fleets {
		out.Fleets = append(out.Fleets, f.answer())
	}
	return out, nil
}

// State says in a word how a fleet is.
func (f *fleet) state() string {
	open := 0
	for _, h := range f.order {
		if h.open() && h.verdict != nil {
			open++
		}
	}
	switch {
	case f.now != nil && f.now.blind && (open > 0 || f.now.filled >= f.now.warm):
		return "blind" // what was hot when it could last be judged may have ended
	case open > 0:
		return "hot"
	case f.now == nil:
		return "waiting"
	case f.now.filled < f.now.warm:
		return "warming_up"
	}
	return "calm"
}

func (f *fleet) answer() fleetAnswer {
	out := fleetAnswer{Fleet: line.Name(f.Name), State: f.state(), Missing: []line.Prose{}, Shards: []shardAnswer{}, Holds: []*line.Hold{}, Advice: []*line.Advice{}, Unread: []line.Prose{}}
	for _, h := range f.ranked(true) {
		out.Open++
		if h.verdict.Severity == "critical" {
			out.Critical++
		}
	}
	p := f.now
	if p == nil {
		return out
	}
	out.Blind, out.BlindFrom, out.Sighted = p.blind, line.Stamp(p.since), line.Stamp(p.sighted)
	out.Judged, out.Pane, out.Filled, out.Window, out.Warmup = line.Stamp(p.at), line.Stamp(p.pane), seconds(p.filled), seconds(p.window), seconds(p.warm)
	out.Traffic = line.Stamp(p.traffic)
	out.Coverage, out.Lag, out.Keys, out.Tenants = line.Number(p.coverage), seconds(p.lag), p.keys, p.tenants
	out.Load, out.Mean, out.Hottest = line.Number(p.load), line.Number(p.mean), line.Number(p.hottest)
	for _, m := range p.missing[:min(len(p.missing), maxNotes)] {
		out.Missing = append(out.Missing, line.Prose(m))
	}
	for _, s := range p.shards[:min(len(p.shards), gridShards)] {
		out.Shards = append(out.Shards, shardAnswer{line.Name(s.name), s.role.String(), line.Number(s.load), line.Number(s.full), line.Stamp(s.since)})
	}
	out.ShardMore = len(p.shards) - len(out.Shards)
	out.Holds, out.Advice = append(out.Holds, p.holds...), append(out.Advice, p.advice...)
	out.Unread = append(out.Unread, p.unread...)
	return out
}

// heatmap answers with the load of every shard by the minute; beyond a number of cells minutes are joined by maximum.
func (a *api) heatmap(r *http.Request) (any, error) {
	minutes, err := number(r, "minutes", gridMinutes, gridMinutes)
	if err != nil {
		return nil, err
	}
	a.model.mu.RLock()
	defer a.model.mu.RUnlock()
	f, err := a.which(r)
	if err != nil {
		return nil, err
	}
	s := f.grid.last(minutes, max(1, maxCells/max(1, len(f.grid.names))))
	out := heatAnswer{
		Fleet: line.Name(f.Name), From: line.Stamp(s.from), Step: int(s.width.Seconds()), Columns: s.columns, Known: append([]bool{}, s.known...),
		Blind: append([]bool{}, s.blind...), Shards: []heatRow{}, More: f.grid.left,
	}
	for i := range s.cells {
		row := heatRow{Shard: line.Name(f.grid.names[i]), Role: f.grid.roles[i].String(), Cells: make([]line.Number, s.columns)}
		for j, c := range s.cells[i] {
			row.Cells[j] = line.Number(c.Full)
			if c.Thin > 0 {
				if row.Doubt == nil {
					row.Doubt = make([]line.Number, s.columns)
				}
				row.Doubt[j] = line.Number(c.Thin)
			}
		}
		out.Shards = append(out.Shards, row)
	}
	return out, nil
}

// status answers how this process is.
func (a *api) status(r *http.Request) (any, error) {
	s := a.source.Status(r.Context())
	a.model.mu.RLock()
	d := a.model.decider
	a.model.mu.RUnlock()
	out := statusAnswer{
		Instance: s.Instance, Version: s.Version, Decides: s.Decides, Epoch: s.Epoch, Standalone: s.Alone, Partitions: s.Partitions, Behind: s.Behind, Ready: true, Answered: line.Stamp(s.Answered), Age: seconds(s.Age),
		Decider: deciderAnswer{d.Instance, d.Epoch, line.Stamp(d.At)}, Conditions: []conditionAnswer{}, Topics: []topicAnswer{}, Routing: []routingAnswer{},
	}
	for _, c := range s.Conditions {
		out.Ready = out.Ready && c.Why == ""
		out.Conditions = append(out.Conditions, conditionAnswer{c.Name, c.Why == "", line.Prose(c.Why)})
	}
	for _, t := range s.Topics {
		out.Topics = append(out.Topics, topicAnswer{line.Name(t.Fleet), t.Name, t.Unread, seconds(t.Behind)})
	}
	for i := range s.Routing {
		r := &s.Routing[i]
		out.Routing = append(out.Routing, routingAnswer{
			line.Name(r.Fleet), r.Epoch, r.Version, line.Prose(r.Trouble), line.Stamp(r.Since), r.Stopped, line.Name(r.By), line.Prose(r.Reason), line.Stamp(r.At),
		})
	}
	return out, nil
}
