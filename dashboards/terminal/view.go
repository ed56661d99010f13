package terminal

import (
	"time"

	"firebreak/policy"
)

// View is what a frame shows. The zero value is a fleet of which nothing was counted yet.
type View struct {
	Title    string
	Now      time.Time // of the story
	Snapshot *policy.Snapshot
	Policy   *policy.Config // that judged it; nil without a Snapshot
	Decision policy.Decision
	Told     []policy.Verdict // the newest firing verdict of each hotspot: Decision.Open has its load of now, not its evidence
	Acts     []Act            // planted so far, in order
	Doing    string           // what was done last; empty = nothing yet
	Status   Status
	Page     string // address of the live page; empty = there is none
}

// Status is the state of what counts.
type Status struct {
	Speed     float64 // seconds of the story a second
	Records   float64 // records counted a second
	Instances int
	Coverage  float64 // 0 to 1
}

// Act is one cause of heat that was planted, and what became of it. Zero times have not come yet.
type Act struct {
	Cause    policy.Cause
	From, To time.Time // planted, taken away
	Found    time.Time // a verdict fired
	Resolved time.Time
	Fixed    time.Time // its fix is in the routing
	Undone   time.Time // and out of it again
	Right    bool      // cause, object and fix are what was planted; meaningless before Found
}

// Screen is the terminal that a frame is drawn for. The zero value draws nothing.
type Screen struct {
	Width, Height int  // in characters
	Colour        bool // 256 colours may be used
	Light         bool // its background is light
}

// Enter are the bytes that a terminal needs before the first frame: another screen, so that what stood there comes back, and no
// cursor.
func (s Screen) Enter() []byte { return []byte("\x1b[?1049h\x1b[?25l\x1b[2J") }

// Leave takes back what Enter did.
func (s Screen) Leave() []byte { return []byte("\x1b[?25h\x1b[?1049l") }

// Frame draws v over the frame before it.
func (s Screen) Frame(v *View) []byte {
	const chartLeast, panelRows = 4, 9
	rows := []row{titleRow(v), nowRow(v), actsRow(v)}
	if v.Doing != "" {
		rows = append(rows, row{}.add(bold, "acts: ").add(plain, fit(v.Doing, max(0, s.Width-len("acts: ")))))
	}
	chart := max(chartLeast, s.Height-len(rows)-panelRows-axisRows-1)
	rows = append(rows, chartRows(v, s.Width, chart)...)
	room := max(0, s.Height-len(rows)-1)
	panel := panelOf(v, s.Width)
	if len(panel) > room {
		panel = panel[:room]
	}
	for rows = append(rows, panel...); len(rows) < s.Height-1; {
		rows = append(rows, nil)
	}
	rows = append(rows, statusRow(v))
	if len(rows) > s.Height {
		rows = rows[:max(0, s.Height)]
	}
	out := []byte("\x1b[H")
	for i, r := range rows {
		if i > 0 {
			out = append(out, "\r\n"...)
		}
		out = s.append(out, r)
		out = append(out, "\x1b[K"...)
	}
	return append(out, "\x1b[J"...)
}
