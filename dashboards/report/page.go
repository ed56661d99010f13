package report

import "firebreak/dashboards/draw"

// page is what the template shows.
type page struct {
	Title   string
	CSP     string
	CSS     any // template.CSS
	Files   []string
	More    int // files that are not listed
	Broken  string
	Fleets  []fleetView
	Dropped int // fleets that are not shown
}

// fact is a question with its answer.
type fact struct {
	Label string
	Text  phrase
	Name  string // class
}

// fleetView is one fleet.
type fleetView struct {
	ID, Name  string
	Many      bool   // the report has several fleets
	Of        string // " of fleet NAME" where it has, for labels that are unique on the page
	Period    string
	State     string // hot, calm or blind
	Headline  phrase
	Facts     []fact
	Week      *weekView // nil = of a log that was read
	Picture   *pictureView
	Hotspots  []hotspotView
	Rest      []restRow
	RestMore  int
	Notes     []noteView
	NotesMore int
	Leaders   []board
	Method    []fact
}

// pictureView is the heat map with its legend and its table.
type pictureView struct {
	Of        string           // see fleetView
	Map       *draw.MapFigure  // nil in a log without time ...
	Bars      *draw.BarsFigure // ... which has this
	Legend    []draw.Step
	Unit      string
	Note      string
	Thin      bool
	Marks     bool
	Gaps      bool
	Unjudged  bool
	Shards    []shardRow
	ShardMore int
}

// shardRow is one shard in the table of the heat map.
type shardRow struct {
	Name          string
	Peak, Mean    string
	Load          string
	At            string
	Over, Doubted bool
	Hotspots      string
}

// hotspotView is one hotspot in full.
type hotspotView struct {
	ID        string
	Number    int
	Shard     string
	Title     phrase
	Severity  string
	Ended     string
	Sentence  phrase
	Times     []timeView
	Curve     *draw.CurveFigure
	CurveNote string
	Boards    []board
	Fixes     []fixView
	FixNote   string
	Steps     []stepView
	Next      []fact
	Evidence  []fact
}

// timeView is a moment of a hotspot's life.
type timeView struct{ Glyph, Label, Text string }

// board is the heaviest keys or tenants of a shard or of the fleet.
type board struct {
	Title   string
	Unit    string // Key or Tenant
	Measure string // what stands in the column Load
	Bound   string // what stands in the column Bounds; empty = Bounds
	Rows    []boardRow
}

// boardRow is one of them.
type boardRow struct {
	Name, Of   string
	Bar        draw.RangeFigure
	Load       string
	Share      string
	Bounds     string
	Reads      string
	Blamed     bool
	AboveAlone bool
}

// fixView is one fix beside the others.
type fixView struct {
	Name    string
	State   string // now, taken, could, fails
	Verdict string
	Bars    *draw.BarsFigure
	Shard   string
	Upper   string
	Hottest string
	Costs   []string
	Why     phrase
}

// stepView is one step of a plan with its way back.
type stepView struct {
	Text, Back string
	InStore    string   // the step in the words of the store; empty = the fleet names no profile
	Commands   []string // as one copies them to a shell
}

// restRow is a hotspot in a line.
type restRow struct {
	Number               int
	Shard                string
	Onset, Until, Peak   string
	Cause, Fix, Severity string
	Object               phrase
}

// noteView is an advice, a finding or a hold.
type noteView struct {
	Kind, Shard, What string
	Text              phrase
}
