package draw

import "time"

// tick is a label of a time axis.
type tick struct {
	at   time.Time
	text string
}

// steps between two labels of a time axis.
func axisSteps() []time.Duration {
	const day = 24 * time.Hour
	return []time.Duration{
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
		day, 2 * day, 7 * day, 30 * day, 90 * day, 365 * day,
	}
}

// ticks labels the time axis [from, to) at round moments, at most mapTicks of them. The first one and each that begins a new
// day carry the date.
func ticks(from, to time.Time) []tick {
	span := to.Sub(from)
	if span <= 0 {
		return nil
	}
	steps := axisSteps()
	step := steps[len(steps)-1]
	for _, s := range steps {
		if span/s < mapTicks {
			step = s
			break
		}
	}
	for span/step >= mapTicks {
		step *= 2
	}
	layout := "15:04"
	if step < time.Minute {
		layout = "15:04:05"
	}
	var out []tick
	day := ""
	for at := from.Truncate(step); at.Before(to); at = at.Add(step) {
		if at.Before(from) {
			continue
		}
		text := at.UTC().Format(layout)
		if date := at.UTC().Format("2 Jan"); date != day {
			if text == "00:00" || step >= 24*time.Hour {
				text = date
			} else {
				text = date + " " + text
			}
			day = date
		}
		out = append(out, tick{at, text})
	}
	return out
}
