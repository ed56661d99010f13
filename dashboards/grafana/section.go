package main

import "github.com/grafana/grafana-foundation-sdk/go/units"

// section is a row of the dashboard and the panels below it, laid out from left to right, 24 columns a line.
type section struct {
	title  string
	closed bool // folded away until someone opens it
	panels []panel
}

// kind is what a panel looks like.
type kind uint8

const (
	lines  kind = iota // over time
	stacks             // over time, on top of each other
	number             // the last value, large
	name               // the legend of what there is, large
)

// panel is one picture.
type panel struct {
	kind   kind
	title  string
	about  string // what it shows, and what to do with it
	unit   string // of Grafana
	width  uint32 // columns
	span   span
	limits []limit
	none   string // what stands there without data; "" = Grafana's own words
	asks   []ask
}

// span is the least range of the axis. The zero value lets Grafana choose.
type span struct{ from, to float64 }

// limit colours what is at or above a value.
type limit struct {
	at     float64
	colour string
}

// ask is a query and how its series are called.
type ask struct{ expr, legend string }

// Units that Grafana has no better word for.
const (
	plain   = units.Short
	ratio   = units.PercentUnit
	seconds = units.Seconds
	size    = units.BytesIEC
	cores   = units.Short
)

// The colours of limits.
const (
	good = "green"
	warn = "orange"
	bad  = "red"
)

// wrongFrom is green below a value and red from there on.
func wrongFrom(at float64) []limit { return []limit{{0, good}, {at, bad}} }

// sections lists the dashboard from top to bottom: what is hot, whether that can be trusted, and what firebreak does.
func sections() []section {
	return []section{now(), hotspots(), trust(), log(), group(), notices(), process()}
}
