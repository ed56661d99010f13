package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
	"firebreak/routing"
)

// Bounds of what the page shows; the API has all of it.
const (
	maxEntryRows   = 500
	maxHistoryRows = 100
)

// routingPageView is what clients of a fleet route by, and how that came about.
type routingPageView struct {
	Fleet, FleetHref, Actions string
	Headline                  phrase
	Facts                     []fact
	Clients                   []clientRow
	Entries                   []Change // Was is not used
	EntriesMore               int
	History                   []historyRow
	HistoryMore               int
	JSON                      string
}

type clientRow struct {
	Name, Version, State string
	Behind               bool
}

type historyRow struct {
	At, Version string
	Text        phrase
	Changes     []Change
	More        int
}

// routingPage is the page of the routing of a fleet.
func (p *pages) routingPage(r *http.Request) (string, frame, error) {
	p.model.mu.RLock()
	defer p.model.mu.RUnlock()
	f, err := p.pathFleet(r)
	if err != nil {
		return "", frame{}, err
	}
	now := p.acting(f.Name)
	v := routingPageView{
		Fleet: draw.Name(f.Name, draw.MaxName), FleetHref: fleetPath(f.Name), Actions: fleetPath(f.Name) + "/actions", JSON: "/api/v1/fleets/" + pathEscaped(f.Name) + "/routing",
		Headline: words.Say("What clients route by is not known here."),
	}
	if !now.At.IsZero() {
		v.Headline = words.Say("Clients route by version ", strconv.FormatUint(now.Version, 10), ".")
		v.Facts = routingFacts(now)
	}
	for _, c := range now.Clients {
		v.Clients = append(v.Clients, clientOf(&c, now.Version))
	}
	for _, e := range now.Entries[:min(len(now.Entries), maxEntryRows)] {
		v.Entries = append(v.Entries, Change{Entry: words.Flat(e.Name, words.MaxPhrase), Is: words.Flat(e.Value, words.MaxPhrase)})
	}
	v.EntriesMore = len(now.Entries) - len(v.Entries)
	v.History, v.HistoryMore = f.history()
	return "routing", frame{Title: "Routing of " + v.Fleet, Live: true, Body: v}, nil
}

func routingFacts(now *Acting) []fact {
	behind, live := 0, 0
	for _, c := range now.Clients {
		if c.Live {
			live++
		}
		if c.Live && c.Version < now.Version {
			behind++
		}
	}
	out := []fact{
		{Label: "Stands at", Text: words.Say("Epoch ", strconv.FormatUint(now.Epoch, 10), ", version ", strconv.FormatUint(now.Version, 10), ", as seen at ", words.Clock(now.At), ".")},
		{Label: "Base map", Text: words.Say(words.Ended(now.Base))},
		{Label: "Clients", Text: words.Say(words.Capital(some(live, "client")), verb(live, " is live, ", " are live, "), ofThem(behind), verb(behind, " is behind.", " are behind."))},
	}
	acting := words.Say("It is not stopped.")
	if s := stoppedPhrase(now.Stop); s != nil {
		acting = s
	}
	out = append(out, fact{Label: "Acting", Text: acting})
	for _, e := range now.Fenced {
		out = append(out, fact{Label: "Fenced", Text: words.Say(words.Flat(e, words.MaxPhrase), ": nobody serves it just now, it is about to change hands.")})
	}
	for i := range now.Doubled {
		out = append(out, fact{Label: "Written twice", Text: now.Doubled[i].says()})
	}
	return out
}

// says where else it is written, and when a write is done.
func (d *Doubled) says() phrase {
	also, done := "where the map has it", "the owner's word counts."
	if d.Value != "" {
		also = "on " + words.Flat(d.Value, words.MaxPhrase)
	}
	if d.Both {
		done = "a write is done when both sides have it."
	}
	return words.Say(words.Flat(d.Name, words.MaxPhrase), ": ", also, " too; ", done)
}

func ofThem(n int) string {
	if n == 0 {
		return "none of them"
	}
	return strconv.Itoa(n) + " of them"
}

func clientOf(c *Client, version uint64) clientRow {
	row := clientRow{Name: draw.Name(c.Name, draw.MaxName), Version: strconv.FormatUint(c.Version, 10), State: "live", Behind: c.Live && c.Version < version}
	switch {
	case !c.Live:
		row.State = "not heard for a minute"
	case row.Behind:
		row.State = "behind"
	}
	if c.Guard {
		row.State += ", guards a shard"
	}
	return row
}

// history are the newest changes, the newest first.
func (f *fleet) history() (out []historyRow, more int) {
	for _, c := range slices.Backward(f.changed) {
		if len(out) == maxHistoryRows {
			break
		}
		row := historyRow{At: words.Clock(c.at), Version: strconv.FormatUint(c.version, 10), Text: c.says(), More: c.more}
		for _, d := range c.changes {
			row.Changes = append(row.Changes, Change{d.Entry, d.Was, d.Is})
		}
		shown, left := shownChanges(row.Changes)
		row.Changes, row.More = shown, row.More+left
		out = append(out, row)
	}
	return out, len(f.changed) - len(out)
}

// says who had what changed, and why.
func (c *changed) says() phrase {
	switch {
	case c.text != nil:
		return c.text
	case c.refused != "":
		return words.Say(words.Capital(spaced(c.do)), " by ", words.Name(c.by), " was refused: ", words.Ended(c.refused)).Apart()
	case c.by == "":
		return words.Say(words.Capital(spaced(c.do)), ".")
	}
	return words.Say(words.Capital(spaced(c.do)), " by ", words.Name(c.by), ": ", words.Ended(c.reason))
}

// pathEscaped is the name of a fleet in a path of the API.
func pathEscaped(name string) string { return url.PathEscape(routing.Escape(name)) }
