package draw

import (
	"fmt"
	"math"
	"time"
)

// Curve is the load of one shard over time against its line.
type Curve struct {
	ID, Title, Desc string
	Loads           []float64 // load/s of each step; NaN = not known: the curve breaks off
	From            time.Time
	Step            time.Duration
	Line            float64
	Mark            Mark
}

// Geometry of a curve: it is stretched to its frame.
const (
	curveWidth  = 1000
	curveHeight = 100
)

// CurveFigure is a finished curve.
type CurveFigure struct {
	ID, Title, Desc             string
	Area, Stroke                string
	Line                        float64
	Onset, Verdict, Resolved    float64
	HasOnset, Told, HasResolved bool
}

// Figure lays the curve out, in steps.
func (c *Curve) Figure() CurveFigure {
	top := c.Line
	for _, load := range c.Loads {
		if !math.IsNaN(load) {
			top = max(top, load)
		}
	}
	top *= 1.12
	y := func(load float64) string {
		if top <= 0 {
			return short(curveHeight)
		}
		return short(curveHeight * (1 - load/top))
	}
	f := CurveFigure{ID: c.ID, Title: c.Title, Desc: c.Desc}
	if top > 0 {
		f.Line = round(curveHeight * (1 - c.Line/top))
	}
	x := func(i int) string { return short(curveWidth * float64(i) / float64(len(c.Loads))) }
	for from := 0; from < len(c.Loads); from++ {
		if math.IsNaN(c.Loads[from]) {
			continue
		}
		part, i := fmt.Sprintf("M%s %s", x(from), y(c.Loads[from])), from+1
		for ; i < len(c.Loads) && !math.IsNaN(c.Loads[i]); i++ {
			part += fmt.Sprintf("H%sV%s", x(i), y(c.Loads[i]))
		}
		part += "H" + x(i)
		f.Stroke += part
		f.Area += part + fmt.Sprintf("V%dH%sz", curveHeight, x(from))
		from = i
	}
	f.Onset, f.HasOnset = c.x(c.Mark.Onset)
	f.Verdict, f.Told = c.x(c.Mark.Verdict)
	f.Resolved, f.HasResolved = c.x(c.Mark.Resolved)
	return f
}

// x is where a moment lies, kept within the frame; false if there is none.
func (c *Curve) x(at time.Time) (float64, bool) {
	span := float64(c.Step) * float64(len(c.Loads))
	if at.IsZero() || span <= 0 {
		return 0, false
	}
	return round(curveWidth * max(0, min(1, float64(at.Sub(c.From))/span))), true
}
