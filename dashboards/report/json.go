package report

import (
	"fmt"
	"io"
	"math"

	"firebreak/internal/line"
	"firebreak/routing"
)

// Schema is the version of what JSON writes: docs/report-json.md.
const Schema = 1

// document is a report as data.
type document struct {
	Type   string          `json:"type"` // report
	Schema int             `json:"schema"`
	From   line.Stamp      `json:"from"`
	To     line.Stamp      `json:"to"`
	Fleets []fleetDocument `json:"fleets"`
}

type fleetDocument struct {
	Fleet    line.Name         `json:"fleet"`
	State    string            `json:"state"` // hot, calm or blind
	Headline line.Prose        `json:"headline"`
	Watched  watchedDocument   `json:"watched"`
	Levels   levelsDocument    `json:"levels"`
	Before   levelsDocument    `json:"before"`
	Heat     heatDocument      `json:"heat"`
	Scores   []scoreDocument   `json:"scorecard"`
	Remaps   []remapDocument   `json:"remaps"`
	Stranded []uselessDocument `json:"stranded"`
	Salts    []uselessDocument `json:"salts_to_lower"`
	Who      []whoDocument     `json:"who"`
	Hotspots []hotspotDocument `json:"hotspots"`
	Notes    []noteDocument    `json:"notes"`
	Keys     []leaderDocument  `json:"keys"`
	Tenants  []leaderDocument  `json:"tenants"`
	Method   []methodDocument  `json:"method"`
}

type watchedDocument struct {
	Share    line.Number  `json:"share"`
	Recorded line.Number  `json:"recorded"` // seconds
	Judged   line.Number  `json:"judged"`   // seconds
	Coverage line.Number  `json:"coverage"`
	Least    line.Number  `json:"least_coverage"`
	Lag      line.Number  `json:"lag"` // seconds, at most
	Deciders int          `json:"deciders"`
	Down     []downtimeOf `json:"down"`
}

type downtimeOf struct {
	From line.Stamp `json:"from"`
	To   line.Stamp `json:"to"`
	Why  line.Prose `json:"why"`
}

type levelsDocument struct {
	Recorded  bool        `json:"recorded"`
	Found     int         `json:"found"`
	InTime    int         `json:"in_time"`
	P50       line.Number `json:"p50"` // seconds from onset to verdict
	P95       line.Number `json:"p95"`
	Max       line.Number `json:"max"`
	Dismissed int         `json:"dismissed"`
	Capacity  bool        `json:"capacity"` // it is known
	Peak      line.Number `json:"peak"`     // share of capacity
	PeakShard line.Name   `json:"peak_shard"`
	PeakAt    line.Stamp  `json:"peak_at"`
	Above     line.Number `json:"above"` // seconds in which a shard was above 0.8
	Average   line.Number `json:"average"`
	Load      line.Number `json:"load"` // of the fleet, load/s
}

type heatDocument struct {
	From     line.Stamp      `json:"from"`
	Step     line.Number     `json:"step"`     // seconds
	Gaps     [][2]int        `json:"gaps"`     // columns [from, to) in which nothing was recorded
	Unjudged [][2]int        `json:"unjudged"` // columns [from, to) that were recorded and of which a minute or more was not judged
	Shards   []shardDocument `json:"shards"`
}

type shardDocument struct {
	Shard  line.Name     `json:"shard"`
	Role   string        `json:"role"`
	Peak   line.Number   `json:"peak"` // load / warning line, as all here
	PeakAt line.Stamp    `json:"peak_at"`
	Mean   line.Number   `json:"mean"`
	Cells  []line.Number `json:"cells"`
}

type whoDocument struct {
	Cause   string          `json:"cause"`
	Key     line.Name       `json:"key"`
	Tenant  line.Name       `json:"tenant"`
	Shards  []line.Name     `json:"shards"`
	Times   int             `json:"times"`
	Seconds line.Number     `json:"seconds"`
	First   line.Stamp      `json:"first"`
	Last    line.Stamp      `json:"last"`
	Open    bool            `json:"open"`
	Worst   line.Number     `json:"worst"` // peak / line
	Before  *beforeDocument `json:"before"`
}

type beforeDocument struct {
	Times   int         `json:"times"`
	Seconds line.Number `json:"seconds"`
}

type hotspotDocument struct {
	Number   int           `json:"number"`
	Found    line.Stamp    `json:"found"`
	Resolved line.Stamp    `json:"resolved"`
	Peak     line.Number   `json:"peak"` // load/s
	PeakAt   line.Stamp    `json:"peak_at"`
	Costs    []string      `json:"costs"`
	Said     *saidDocument `json:"said"`
	Holds    []line.Hold   `json:"holds"`
	Plan     *line.Plan    `json:"plan"`
	Verdict  *line.Verdict `json:"verdict"`
}

type saidDocument struct {
	Kind   string     `json:"kind"`
	At     line.Stamp `json:"at"`
	By     line.Name  `json:"by"`
	Reason line.Prose `json:"reason"`
	Until  line.Stamp `json:"until,omitzero"`
}

type noteDocument struct {
	Kind  string     `json:"kind"`
	Shard line.Name  `json:"shard"`
	About string     `json:"about"`
	Level string     `json:"level"`
	Text  line.Prose `json:"text"`
}

type leaderDocument struct {
	Key    line.Name   `json:"key"`
	Tenant line.Name   `json:"tenant"`
	Load   line.Number `json:"load"` // load/s on average
	Share  line.Number `json:"share"`
	Peak   line.Number `json:"peak"` // of a minute, load/s
	Reads  line.Number `json:"reads"`
	Writes line.Number `json:"writes"`
	Before line.Number `json:"before"` // load/s on average in the period before; 0 = not among the heaviest, or not recorded
}

type methodDocument struct {
	Label string     `json:"label"`
	Text  line.Prose `json:"text"`
}

// JSON writes the report of a period as one object with a line break; every fleet of run has a Week. Errors are those of w, and a
// run of a log that was read.
func JSON(w io.Writer, run *Run) error {
	d := document{Type: "report", Schema: Schema, Fleets: []fleetDocument{}}
	for i := range run.Fleets {
		f := &run.Fleets[i]
		if f.Week == nil {
			return fmt.Errorf("report: fleet %q is not of a period", f.Summary.Fleet)
		}
		d.From, d.To = line.Stamp(f.Week.from), line.Stamp(f.Week.to)
		d.Fleets = append(d.Fleets, newTeller(f, "", fullLimits()).document())
	}
	b, err := line.Encode(&d)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(b)
	return err
}

// document is the fleet as data.
func (t *teller) document() fleetDocument {
	w := t.f.Week
	state, headline := t.headline()
	out := fleetDocument{
		Fleet: line.Name(w.fleet), State: state, Headline: line.Prose(headline.Quoted()), Levels: w.levelsOf(w.now), Before: w.levelsOf(w.before),
		Heat: t.heat(), Scores: w.scoreDocuments(), Remaps: w.remapDocuments(), Stranded: w.uselessDocuments(routing.EntryTenant), Salts: w.uselessDocuments(routing.EntrySalt), Who: w.whoDocuments(), Hotspots: []hotspotDocument{}, Notes: t.noteDocuments(),
	}
	p := w.now
	seen := p.seen()
	out.Watched = watchedDocument{
		Share: line.Number(p.watched()), Recorded: line.Number(seen), Judged: line.Number(p.judged()), Coverage: line.Number(per(p.coverage, seen)),
		Least: line.Number(p.least), Lag: line.Number(p.lag.Seconds()), Deciders: w.deciders, Down: []downtimeOf{},
	}
	for _, d := range p.downtime() {
		out.Watched.Down = append(out.Watched.Down, downtimeOf{line.Stamp(d.from), line.Stamp(d.to), line.Prose(w.why(d))})
	}
	for i, h := range t.ranked {
		out.Hotspots = append(out.Hotspots, t.hotspotDocument(i+1, h))
	}
	out.Keys = leaderDocuments(p, p.keys, w.before, w.before.keys)
	out.Tenants = leaderDocuments(p, p.tenants, w.before, w.before.tenants)
	for _, f := range t.method() {
		out.Method = append(out.Method, methodDocument{f.Label, line.Prose(f.Text.Quoted())})
	}
	return out
}

// heat are the cells of the heat map.
func (t *teller) heat() heatDocument {
	g := &t.r.grid
	out := heatDocument{From: line.Stamp(g.first), Step: line.Number(g.width.Seconds()), Gaps: [][2]int{}, Unjudged: [][2]int{}, Shards: []shardDocument{}}
	gaps, unjudged := t.unwatched()
	for _, gap := range gaps {
		out.Gaps = append(out.Gaps, [2]int{gap.From, gap.To})
	}
	for _, gap := range unjudged {
		out.Unjudged = append(out.Unjudged, [2]int{gap.From, gap.To})
	}
	for i := range g.cells {
		p := g.peaks[i]
		s := shardDocument{
			Shard: line.Name(t.shardName(i)), Role: t.role(i).String(), Peak: line.Number(p.full), PeakAt: line.Stamp(p.at),
			Mean: line.Number(p.total / float64(max(1, p.panes))), Cells: make([]line.Number, len(g.cells[i])),
		}
		for j, c := range g.cells[i] {
			s.Cells[j] = line.Number(math.Round(float64(c.Full)*1000) / 1000)
		}
		out.Shards = append(out.Shards, s)
	}
	return out
}
