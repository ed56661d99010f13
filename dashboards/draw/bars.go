package draw

import (
	"fmt"
	"strings"
)

// ShardBars is the load of every shard under one table, the hot one first.
type ShardBars struct {
	ID, Title, Desc string
	Loads           []float64 // load/s by shard
	Was             []float64 // the same as it is now; nil for the picture of now itself
	Hot             int       // the shard it is about
	Upper           float64   // upper bound of the hot shard's load; 0 = none
	Line, Target    float64
	Targets         []float64 // what each shard may bear by its own capacity, +Inf = it may run hot; nil = Target
	Top             float64   // load at the upper edge; figures side by side share it
}

// Geometry of shard bars: they are stretched to their frame.
const (
	barsWidth  = 1000
	barsHeight = 100
	barsHot    = 70  // width of the hot shard's bar
	barsGap    = 110 // where the others begin
	barsMost   = 48  // bars of the others; more shards share them by maximum
	gained     = 1.02
)

// BarsFigure is finished shard bars.
type BarsFigure struct {
	ID, Title, Desc string
	Layers          []Layer
	Line, Target    float64
	Whisker         string
	Joined          int // shards a bar, at most
}

// Figure lays the bars out.
func (b *ShardBars) Figure() BarsFigure {
	f := BarsFigure{ID: b.ID, Title: b.Title, Desc: b.Desc, Line: b.y(b.Line), Target: b.y(b.Target), Joined: 1}
	paths := map[string]*strings.Builder{}
	bar := func(class string, x, width, load float64) {
		if load <= 0 {
			return
		}
		if paths[class] == nil {
			paths[class] = &strings.Builder{}
		}
		fmt.Fprintf(paths[class], "M%s %dV%sh%sV%dz", short(x), barsHeight, short(min(b.y(load), barsHeight-1)), short(width), barsHeight)
	}
	if b.Hot >= 0 && b.Hot < len(b.Loads) {
		bar("hot", 0, barsHot, b.Loads[b.Hot])
		if b.Upper > b.Loads[b.Hot] {
			y, top := b.y(b.Loads[b.Hot]), b.y(b.Upper)
			f.Whisker = fmt.Sprintf("M%d %sV%sM%d %sh%d", barsHot/2, short(y), short(top), barsHot/4, short(top), barsHot/2)
		}
	}
	others := b.others()
	f.Joined = max(1, (len(others)+barsMost-1)/barsMost)
	n := (len(others) + f.Joined - 1) / f.Joined
	for i := range n {
		class, load := b.join(others[i*f.Joined : min(len(others), (i+1)*f.Joined)])
		width := float64(barsWidth-barsGap) / float64(max(n, 8))
		bar(class, barsGap+float64(i)*width, width*0.8, load)
	}
	for _, class := range []string{"rest", "gain", "new", "over", "hot"} {
		if p := paths[class]; p != nil {
			f.Layers = append(f.Layers, Layer{class, p.String()})
		}
	}
	return f
}

// others are the shards but the hot one, in their order.
func (b *ShardBars) others() []int {
	out := make([]int, 0, len(b.Loads))
	for i := range b.Loads {
		if i != b.Hot {
			out = append(out, i)
		}
	}
	return out
}

// join is the highest load of some shards and what is to be said of it: over the target, a shard that was added, one
// that gained, or nothing.
func (b *ShardBars) join(shards []int) (class string, load float64) {
	class = "rest"
	for _, i := range shards {
		load = max(load, b.Loads[i])
		switch {
		case b.over(i):
			class = "over"
		case b.Was != nil && i >= len(b.Was):
			if class != "over" {
				class = "new"
			}
		case class == "over" || b.Was == nil:
		case class != "new" && b.Loads[i] > gained*b.Was[i]:
			class = "gain"
		}
	}
	return class, load
}

// over says whether a shard bears more than it may; one that is added may bear what the fix gives it unless its own target is known.
func (b *ShardBars) over(i int) bool {
	if i < len(b.Targets) {
		return b.Targets[i] > 0 && b.Loads[i] > b.Targets[i]
	}
	return b.Target > 0 && b.Loads[i] > b.Target && (b.Was == nil || i < len(b.Was))
}

func (b *ShardBars) y(load float64) float64 {
	if b.Top <= 0 {
		return barsHeight
	}
	return round(barsHeight * (1 - max(0, min(1, load/b.Top))))
}

// Range is one bar with its bounds.
type Range struct {
	Value, Low, High float64
	Top              float64 // value at the right edge
	Strong           bool
}

// RangeFigure is a finished range: all in thousandths of the width.
type RangeFigure struct {
	Value, Low, High string
	Whisker          bool
	Strong           bool
}

// Figure lays the range out.
func (r Range) Figure() RangeFigure {
	x := func(v float64) string {
		if r.Top <= 0 {
			return "0"
		}
		return short(1000 * max(0, min(1, v/r.Top)))
	}
	return RangeFigure{x(r.Value), x(r.Low), x(r.High), r.High > r.Low, r.Strong}
}

// NiceTop is the round share at or above v at which bars end: the next of 2, 5, 10, 25, 50 and 100 %.
func NiceTop(v float64) float64 {
	for _, top := range []float64{0.02, 0.05, 0.1, 0.25, 0.5} {
		if v <= top {
			return top
		}
	}
	return 1
}
