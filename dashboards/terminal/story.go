package terminal

import (
	"fmt"
	"math"
	"strings"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/policy"
	"firebreak/routing"
)

// titleRow names the fleet and what it does.
func titleRow(v *View) row {
	r := row{}.add(bold, v.Title)
	if v.Snapshot == nil || v.Snapshot.Table == nil {
		return r
	}
	count := map[routing.Role]int{}
	for _, s := range v.Snapshot.Table.Document().Shards {
		count[s.Role]++
	}
	text := "  " + draw.Count(count[routing.Serving], "shard")
	if n := count[routing.Spare]; n > 0 {
		text += ", " + draw.Count(n, "spare")
	}
	load := 0.0
	for _, g := range gauges(v) {
		load += g.Load
	}
	text += ", " + draw.Number(round(load)) + " requests/s"
	if rate := v.Snapshot.Inputs.LoggedRate; rate > 0 {
		text += ", 1 of " + draw.Number(round(1/rate)) + " logged"
	}
	return r.add(plain, text)
}

// round keeps the three leading digits of a number; those behind the point go.
func round(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(x))-2))
	return math.Round(x/unit) * unit
}

// nowRow says what is planted now, and whether it was found.
func nowRow(v *View) row {
	r := row{}.add(bold, "now: ")
	if len(v.Acts) == 0 {
		return r.add(plain, "nothing planted, every shard should stay under its line")
	}
	a := &v.Acts[len(v.Acts)-1]
	if !v.Now.Before(a.To) {
		r = r.add(plain, "the "+draw.Cause(a.Cause)+" went "+ago(v.Now.Sub(a.To)))
		if !a.Found.IsZero() && a.Resolved.IsZero() {
			return r.add(plain, "; waiting until its shard has stayed cool")
		}
		return r.add(plain, ", nothing is planted")
	}
	r = r.add(plain, causeArticle(a.Cause)+" planted "+ago(v.Now.Sub(a.From)))
	if a.Found.IsZero() {
		return r.add(plain, "; firebreak is not told, and watches the log")
	}
	return r.add(bold, ", ", found(a))
}

// ago writes how long ago something was.
func ago(d time.Duration) string { return Clock(d) + " ago" }

// Clock writes a duration in minutes and seconds.
func Clock(d time.Duration) string {
	s := int(max(0, d) / time.Second)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

func found(a *Act) string {
	text := "found after " + Clock(a.Found.Sub(a.From))
	if !a.Right {
		text += ", but not as what it is"
	}
	return text
}

// actsRow is the newest acts of the story and how they ended.
func actsRow(v *View) row {
	const shown = 3
	if len(v.Acts) == 0 {
		return row{{"story: a hot key, a whale tenant, volume; each comes, is found, and goes", faint}}
	}
	var parts []string
	for i := max(0, len(v.Acts)-shown); i < len(v.Acts); i++ {
		a := &v.Acts[i]
		state := "…"
		switch {
		case !a.Found.IsZero():
			if state = "✓ " + Clock(a.Found.Sub(a.From)); !a.Right {
				state = "✗ " + Clock(a.Found.Sub(a.From))
			}
			switch {
			case !a.Undone.IsZero():
				state += ", undone"
			case !a.Resolved.IsZero():
				state += ", resolved"
			case !a.Fixed.IsZero():
				state += ", fixed"
			}
		case !v.Now.Before(a.To):
			state = "not found"
		}
		parts = append(parts, fmt.Sprintf("%d %s %s", i+1, draw.Cause(a.Cause), state))
	}
	return row{{"story: " + strings.Join(parts, " · "), faint}}
}

// statusRow is the state of what counts.
func statusRow(v *View) row {
	s := &v.Status
	parts := []string{v.Now.UTC().Format("15:04:05")}
	if s.Speed > 0 {
		parts[0] += " (" + draw.Times(s.Speed) + ")"
	}
	parts = append(parts, draw.Number(round(s.Records))+" records/s", draw.Count(s.Instances, "instance"), "coverage "+draw.Percent(s.Coverage))
	if v.Decision.Blind {
		parts = append(parts, "cannot judge")
	}
	if v.Page != "" {
		parts = append(parts, v.Page)
	}
	return row{{strings.Join(append(parts, "Ctrl-C ends"), " · "), faint}}
}

// State is the fleet in one line, for an output that is no terminal.
func State(v *View) string {
	c := newChart(v, axisLeft+axisRight+1)
	if c == nil {
		return v.Now.UTC().Format("15:04:05") + "  nothing is counted yet"
	}
	hottest := v.Snapshot.Table.Document().Shards[c.hottest].Name
	parts := []string{
		"hottest shard " + draw.Name(hottest, draw.MaxLabel) + " at " + c.value(c.most), "mean " + c.value(c.mean), "line " + c.value(1),
		draw.Number(round(v.Status.Records)) + " records/s", draw.Count(v.Status.Instances, "instance"), "coverage " + draw.Percent(v.Status.Coverage),
	}
	if v.Decision.Blind {
		parts = append(parts, "cannot judge: "+blindText(v))
	}
	return v.Now.UTC().Format("15:04:05") + "  state     " + strings.Join(parts, ", ")
}

// causeArticle is a cause as the subject of a sentence.
func causeArticle(c policy.Cause) string {
	if c == policy.CauseVolume {
		return "more volume on one shard"
	}
	return "a " + draw.Cause(c)
}
