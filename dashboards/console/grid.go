package console

import (
	"math"
	"slices"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/internal/history"
	"firebreak/routing"
)

// Bounds of a grid.
const (
	gridMinutes = 24 * 60
	gridShards  = 2048 // more are counted and not shown
)

// grid is one fleet by the minute, a ring of 24 hours. The zero value is empty.
type grid struct {
	names  []string // of shards, as minutes named them first
	roles  []routing.Role
	index  map[string]int
	left   int // shards beyond gridShards in the newest minute
	cols   [gridMinutes]column
	newest int64 // minute since 1970; 0 = none
	sized  bool  // a capacity is known
}

// column is one minute. A shard beyond its cells was not there.
type column struct {
	minute int64 // since 1970; another one than is asked for = nothing is known of it
	blind  bool
	cells  []draw.Cell
}

// add takes in a minute; one that is known already, or older than the ring, changes nothing.
func (g *grid) add(m *history.Minute) bool {
	at := m.Start.Unix() / 60
	c := &g.cols[at%gridMinutes]
	if at <= 0 || c.minute >= at || g.newest-at >= gridMinutes {
		return false
	}
	if g.index == nil {
		g.index = map[string]int{}
	}
	c.minute, c.blind, c.cells = at, m.Blind, make([]draw.Cell, len(g.names), max(len(g.names), len(m.Shards)))
	left := 0
	for i := range m.Shards {
		s := &m.Shards[i]
		id, known := g.index[s.Name]
		if !known {
			if len(g.names) == gridShards {
				left++
				continue
			}
			id = len(g.names)
			g.index[s.Name] = id
			g.names, g.roles, c.cells = append(g.names, s.Name), append(g.roles, s.Role), append(c.cells, draw.Cell{})
		}
		c.cells[id] = minuteCell(s, m)
		if at > g.newest {
			g.roles[id] = s.Role
			g.sized = g.sized || s.Capacity > 0 || s.ReadCapacity > 0
		}
	}
	if at > g.newest {
		g.newest, g.left = at, left
	}
	return true
}

// Standard deviations by which a minute has to be over the line to be beyond doubt, and to be worth a mark.
const (
	beyondDoubt = 3
	perhaps     = 2
)

// minuteCell is how a shard's minute is shown. Its deviation is that of the number of records which it is of.
func minuteCell(s *history.Shard, m *history.Minute) draw.Cell {
	if s.Full <= 1 {
		return draw.Cell{Full: float32(s.Full)}
	}
	records := 0.0
	if m.Load > 0 {
		records = m.Samples * s.Load / m.Load
	}
	dev := s.Full / math.Sqrt(max(1, records))
	switch {
	case s.Full-beyondDoubt*dev > 1:
		return draw.Cell{Full: float32(s.Full)}
	case s.Full-perhaps*dev > 1:
		return draw.Cell{Full: 1, Thin: float32(s.Full)}
	}
	return draw.Cell{Full: 1}
}

// stretch is the minutes [from, to) of a grid, joined by maximum into columns of a number of minutes.
type stretch struct {
	from    time.Time
	width   time.Duration // of a column
	columns int
	cells   [][]draw.Cell // by shard
	known   []bool        // by column: a minute of it is known
	blind   []bool        // by column: a minute of it could not be judged
	minutes int           // known
}

// last gives the newest minutes, at most most columns of them; nothing where no minute is known.
func (g *grid) last(minutes, most int) stretch {
	if g.newest == 0 {
		return stretch{}
	}
	minutes = g.reach(min(max(1, minutes), gridMinutes))
	step := (minutes + most - 1) / most
	n := (minutes + step - 1) / step
	first := g.newest + 1 - int64(n*step)
	s := stretch{from: time.Unix(first*60, 0).UTC(), width: time.Duration(step) * time.Minute, columns: n, known: make([]bool, n), blind: make([]bool, n)}
	all := make([]draw.Cell, len(g.names)*n)
	for i := range g.names {
		s.cells = append(s.cells, all[i*n:(i+1)*n:(i+1)*n])
	}
	for m := max(first, g.newest+1-gridMinutes); m <= g.newest; m++ {
		c := &g.cols[m%gridMinutes]
		if c.minute != m {
			continue
		}
		at := int(m-first) / step
		s.known[at], s.minutes = true, s.minutes+1
		s.blind[at] = s.blind[at] || c.blind
		for i, cell := range c.cells {
			s.cells[i][at] = s.cells[i][at].Join(cell)
		}
	}
	return s
}

// leastMinutes is how many minutes are shown where fewer are known.
const leastMinutes = 30

// reach is how many of the newest minutes to show: no more than there are since the oldest that is known, but for a few.
func (g *grid) reach(minutes int) int {
	oldest := g.newest
	for i := range g.cols {
		if m := g.cols[i].minute; m > g.newest-int64(minutes) {
			oldest = min(oldest, m)
		}
	}
	return min(minutes, max(leastMinutes, int(g.newest+1-oldest)))
}

// peak is the most that a shard had in a stretch, in load / line, and the start of the column that it had it in.
func (s *stretch) peak(shard int) (full float64, at time.Time) {
	for i, c := range s.cells[shard] {
		if v := float64(max(c.Full, c.Thin)); v > full {
			full, at = v, s.from.Add(time.Duration(i)*s.width)
		}
	}
	return full, at
}

// byPeak orders the shards of a stretch, the hottest first.
func (s *stretch) byPeak() []int {
	peaks, order := make([]float64, len(s.cells)), make([]int, len(s.cells))
	for i := range order {
		order[i] = i
		peaks[i], _ = s.peak(i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case peaks[a] > peaks[b]:
			return -1
		case peaks[a] < peaks[b]:
			return 1
		}
		return a - b
	})
	return order
}
