package console

import (
	"net/http"
	"strconv"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
	"firebreak/routing"
)

// searchView is the search page of a fleet.
type searchView struct {
	Fleet, FleetHref string
	Key, Tenant      string // as they were typed
	Problem          string
	Found            []fact
	Bar              *draw.RangeFigure
	BarNote          string
}

// searchPage looks a key or a tenant up.
func (p *pages) searchPage(r *http.Request) (string, frame, error) {
	p.model.mu.RLock()
	f, err := p.pathFleet(r)
	p.model.mu.RUnlock()
	if err != nil {
		return "", frame{}, err
	}
	q := r.URL.Query()
	v := searchView{Fleet: draw.Name(f.Name, draw.MaxName), FleetHref: fleetPath(f.Name), Key: words.Flat(q.Get("key"), maxQuery), Tenant: words.Flat(q.Get("tenant"), maxQuery)}
	if v.Key == "" && v.Tenant == "" {
		return "search", frame{Title: "Search in " + v.Fleet, Body: v}, nil
	}
	asked := r.Clone(r.Context())
	q.Set("fleet", routing.Escape(f.Name))
	asked.URL.RawQuery = q.Encode()
	found, err := p.search(asked)
	if err != nil {
		v.Problem = words.Flat(words.Ended(words.Capital(err.Error())), words.MaxPhrase)
		return "search", frame{Title: "Search in " + v.Fleet, Body: v}, nil
	}
	a := found.(searchAnswer)
	v.Found = a.facts()
	top := draw.NiceTop(float64(a.Share.High))
	bar := draw.Range{Value: float64(a.Share.Value), Low: float64(a.Share.Low), High: float64(a.Share.High), Top: top, Strong: true}.Figure()
	v.Bar, v.BarNote = &bar, "Its share of the fleet’s load in the window, the bar ends at "+words.Percent(top)+". Bounds are those of counting; what the sampling of the log leaves open is not in them."
	return "search", frame{Title: "Search in " + v.Fleet, Body: v}, nil
}

// facts are what was found, in words.
func (a *searchAnswer) facts() []fact {
	what := words.Say("The tenant ", a.Tenant)
	if a.Key != "" {
		if what = words.Say("The key ", a.Key); a.Tenant != "" {
			what = append(what, words.Say(" of tenant ", a.Tenant)...)
		}
	}
	if a.High == 0 {
		return []fact{{Label: "What", Text: append(what, words.Say(" has nothing in the window.")...)}, {Label: "Where", Text: a.place()}}
	}
	n := words.Number
	return []fact{
		{Label: "What", Text: append(what, words.Say(" has about ", words.Rate(float64(a.Rate)), ".")...)},
		{Label: "Counted", Text: words.Say(n(float64(a.Estimate)), " in the last ", clockOf(durationOf(a.Seconds)), ": at least ", n(float64(a.Low)), ", at most ", n(float64(a.High)), ".")},
		{Label: "Share", Text: words.Say(words.Bounds(a.Share), " of the fleet’s load.")},
		{Label: "Where", Text: a.place()},
	}
}

func (a *searchAnswer) place() phrase {
	if a.Shard == "" {
		return words.Say(a.Where)
	}
	return words.Say("On shard ", a.Shard, ". ", a.Where)
}

// statusView is the status page.
type statusView struct {
	Facts      []fact
	Conditions []conditionAnswer
	Topics     []topicView
	Routing    []routingView
	Ready      bool
}

// routingView is a row of the routing: what clients route by, whether its store serves, whether it is acted on. What it says is text of others.
type routingView struct {
	Fleet, Stands, Store, Acting string
	Bad                          bool // the store does not serve
	Stopped                      bool
}

func routingRow(r *routingAnswer) routingView {
	v := routingView{Fleet: draw.Name(string(r.Fleet), draw.MaxName), Stands: "not read yet", Store: "serves", Acting: "not stopped"}
	if r.Version > 0 {
		v.Stands = "epoch " + strconv.FormatUint(r.Epoch, 10) + ", version " + strconv.FormatUint(r.Version, 10)
	}
	if r.Trouble != "" {
		v.Bad, v.Store = true, string(r.Trouble)+", since "+words.Clock(timeOf(r.Since))
	}
	if r.Stopped {
		v.Stopped, v.Acting = true, "nobody knows by whom"
		if r.StoppedBy != "" {
			v.Acting = "by " + draw.Name(string(r.StoppedBy), draw.MaxName) + " at " + words.Clock(timeOf(r.StoppedAt)) + ": " + string(r.Reason)
		}
	}
	return v
}

type topicView struct{ Fleet, Name, Unread, Behind string }

// statusPage says how this process is.
func (p *pages) statusPage(r *http.Request) (string, frame, error) {
	answer, err := p.status(r)
	if err != nil {
		return "", frame{}, err
	}
	s := answer.(statusAnswer)
	v := statusView{Conditions: s.Conditions, Ready: s.Ready}
	version := s.Version
	if version == "" {
		version = "not known"
	}
	does := "It watches in the shadow of the decider and takes over without a gap."
	if s.Decides {
		does = "It decides, writes the journal and tells the receivers (epoch " + strconv.FormatInt(s.Epoch, 10) + ")."
	}
	if s.Standalone {
		does = "It runs standalone: it reads only, and keeps nothing."
	}
	decider := words.Say("The journal names none yet.")
	if s.Decider.Instance != "" {
		decider = words.Say(words.Name(s.Decider.Instance), ", since ", words.Clock(timeOf(s.Decider.Since)), ", epoch ", strconv.FormatInt(s.Decider.Epoch, 10), ".")
	}
	behind := "The log of deltas cannot be asked."
	if s.Behind >= 0 {
		behind = words.Count(int(s.Behind), "entry of the log of deltas") + " to apply."
		if s.Behind != 1 {
			behind = words.Number(float64(s.Behind)) + " entries of the log of deltas to apply."
		}
	}
	v.Facts = []fact{
		{Label: "This instance", Text: words.Say(words.Name(s.Instance))},
		{Label: "Does", Text: words.Say(does)},
		{Label: "Decider", Text: decider},
		{Label: "Counts", Text: words.Say(words.Count(s.Partitions, "partition") + " of request logs.")},
		{Label: "Follows", Text: words.Say(behind)},
		{Label: "Version", Text: words.Say(version)},
	}
	if at := timeOf(s.Answered); !at.IsZero() {
		v.Facts = append(v.Facts, fact{Label: "Brokers", Text: words.Say("Answered at ", words.Hour(at), ", ", words.Lasting(durationOf(s.Age)), " ago: what is read, and what is not, is of then.")})
	}
	for i := range s.Routing {
		v.Routing = append(v.Routing, routingRow(&s.Routing[i]))
	}
	v.Facts = append(v.Facts, p.model.silences()...)
	for _, t := range s.Topics {
		row := topicView{Fleet: draw.Name(string(t.Fleet), draw.MaxName), Name: t.Topic, Unread: words.Number(float64(t.Unread)), Behind: words.Lasting(durationOf(t.Behind))}
		v.Topics = append(v.Topics, row)
	}
	return "status", frame{Title: "Status", Live: true, Body: v}, nil
}

// silences are the fleets whose log has no record now.
func (m *Model) silences() (out []fact) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, f := range m.fleets {
		if f.now == nil {
			continue
		}
		if silent := f.now.silent(); silent != "" {
			out = append(out, fact{Label: "Silent", Text: words.Say("Fleet ", words.Name(f.Name), ": ", silent)})
		}
	}
	return out
}
