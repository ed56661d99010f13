package draw

// Scale is the fixed colour scale of a load: six classes by load / line, three under the line and three over it. It
// never follows the data, so two reports can be laid side by side. The colours of the classes rise evenly in lightness
// and can be told apart without colour vision and in print. The zero value has no classes.
type Scale struct {
	edges    [5]float64 // between the classes, as load / line; the third is the line
	line     float64    // the line in the unit of the labels
	capacity bool
}

// OfCapacity is the scale of a fleet whose shards have capacities. warning and critical are shares of it, 0 to 1.
func OfCapacity(warning, critical float64) Scale {
	quarter, half := 0.25, 0.50
	if warning <= half {
		quarter, half = warning/3, warning*2/3
	}
	return Scale{
		edges: [5]float64{quarter / warning, half / warning, 1, max(1, critical/warning), max(1/warning, critical/warning)},
		line:  warning, capacity: true,
	}
}

// OfMean is the scale of a fleet without capacities. line is a multiple of the mean load, above 1.
func OfMean(line float64) Scale {
	return Scale{edges: [5]float64{1. / 3, 2. / 3, 1, 4. / 3, 8. / 3}, line: line}
}

// Classes is the number of classes, idle not counted.
const Classes = 6

// firstOver is the first class over the line.
const firstOver = 4

// Class is the class of a load / line: 0 idle, 1 to 3 under the line, 4 to 6 over it.
func (s Scale) Class(full float64) int {
	if full <= 0 {
		return 0
	}
	for i, edge := range s.edges {
		// The line itself is not over it.
		if full < edge || i+1 == firstOver-1 && full <= edge {
			return i + 1
		}
	}
	return Classes
}

// Value writes a load / line in the unit of the scale.
func (s Scale) Value(full float64) string {
	if s.capacity {
		return Percent(full*s.line) + " of capacity"
	}
	return Times(full*s.line) + " the mean"
}

// Unit is what the labels of the legend are in.
func (s Scale) Unit() string {
	if s.capacity {
		return "share of the shard’s capacity"
	}
	return "multiple of the mean shard"
}

// Step is one class in a legend.
type Step struct {
	Class int
	Label string
	First bool // the first over the line
}

// Steps are the classes of the legend, coldest first.
func (s Scale) Steps() []Step {
	mark := func(edge float64) string {
		if s.capacity {
			return Percent(edge * s.line)
		}
		return Times(edge * s.line)
	}
	steps := []Step{{Class: 1, Label: "under " + mark(s.edges[0])}}
	for i := 1; i < len(s.edges); i++ {
		if s.edges[i] > s.edges[i-1] {
			steps = append(steps, Step{Class: i + 1, Label: mark(s.edges[i-1]) + " to " + mark(s.edges[i])})
		}
	}
	steps = append(steps, Step{Class: Classes, Label: "over " + mark(s.edges[len(s.edges)-1])})
	for i := range steps {
		if steps[i].Class >= firstOver {
			steps[i].First = true
			break
		}
	}
	return steps
}
