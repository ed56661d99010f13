package draw

import (
	"fmt"
	"strings"
	"time"
)

// Curve is the load of one shard over time against its line.
type Curve struct {
	ID, Title, Desc string
	Loads           []float64 // load/s of each step
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
		top = max(top, load)
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
	var path strings.Builder
	for i, load := range c.Loads {
		if i == 0 {
			fmt.Fprintf(&path, "M0 %s", y(load))
			continue
		}
		fmt.Fprintf(&path, "H%sV%s", short(curveWidth*float64(i)/float64(len(c.Loads))), y(load))
	}
	if len(c.Loads) > 0 {
		f.Stroke = path.String() + fmt.Sprintf("H%d", curveWidth)
		f.Area = f.Stroke + fmt.Sprintf("V%dH0z", curveHeight)
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
