package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"firebreak/internal/line"
	"firebreak/pipeline"
	"firebreak/routing"
	"firebreak/sketch"
)

// replaySeed is the seed of the hashes that count a file: always the same, so that a replay says the same twice.
const replaySeed = 0x66697265627265

// counting is how a fleet of a replay is counted.
type counting struct {
	bytes int           // fixed memory of the sketch
	audit *sketch.Audit // of --exact; nil without
}

// counters makes the counters of a fleet.
func (r *replayFlags) counters(p pipeline.Config) (c counting, window, pieces pipeline.Counter, err error) {
	sliding, pieces, bytes, err := pipeline.NewCounters(p, replaySeed)
	if err != nil {
		return counting{}, nil, nil, err
	}
	c.bytes = bytes
	if !r.exact {
		return c, sliding, pieces, nil
	}
	c.audit = sketch.NewAudit(sliding)
	return c, c.audit, pieces, nil
}

// question is one --ask.
type question struct{ tenant, key []byte }

// questions reads --ask: key=K, tenant=T or tenant=T,key=K, names escaped as the output has them. What stands behind key=
// is the key to its end.
func (r *replayFlags) questions() ([]question, error) {
	var out []question
	for _, ask := range r.ask {
		q, rest := question{}, ask
		if tenant, ok := strings.CutPrefix(rest, "tenant="); ok {
			if tenant, rest, ok = strings.Cut(tenant, ",key="); ok {
				rest = "key=" + rest
			}
			q.tenant = []byte(tenant)
		}
		if key, ok := strings.CutPrefix(rest, "key="); ok {
			q.key = []byte(key)
			rest = ""
		}
		for _, part := range []*[]byte{&q.tenant, &q.key} {
			if len(*part) == 0 {
				continue
			}
			raw, err := nameOf(string(*part))
			if err != nil {
				return nil, usageError{fmt.Errorf("--ask %q: %w", ask, err)}
			}
			*part = []byte(raw)
		}
		if rest != "" || len(q.tenant)+len(q.key) == 0 {
			return nil, wrong("ask", ask, "key=K, tenant=T or tenant=T,key=K")
		}
		out = append(out, q)
	}
	return out, nil
}

// nameOf reads a name as it is shown: in quotes as in the text, or escaped as in JSON.
func nameOf(shown string) (string, error) {
	if len(shown) > 1 && shown[0] == '"' && shown[len(shown)-1] == '"' {
		return strconv.Unquote(shown)
	}
	raw, err := routing.Unescape(shown)
	if err == nil {
		return raw, nil
	}
	// The text shows a few bytes in another way: \n, \x0a, \u200b.
	if raw, quoted := strconv.Unquote(`"` + strings.ReplaceAll(shown, `"`, `\"`) + `"`); quoted == nil {
		return raw, nil
	}
	return "", err
}

// part says how the log was counted.
func (c *counting) part() line.Counting {
	part := line.Counting{Bytes: c.bytes}
	if c.audit == nil {
		return part
	}
	e := c.audit.Error()
	recall := 1.0
	if e.Keys > 0 {
		recall = float64(e.Found) / float64(e.Keys)
	}
	part.Exact = &line.Exact{
		Windows: e.Windows, Recall: line.Number(recall), MeanError: line.Number(e.Mean), MaxError: line.Number(e.Worst), Broken: e.Broken,
	}
	return part
}

// countingText says it for people.
func countingText(c *line.Counting) string {
	text := fmt.Sprintf("in %s MiB, fixed at the start", grouped(float64(c.Bytes)/(1<<20)))
	if e := c.Exact; e != nil {
		text += fmt.Sprintf("; beside exact counting, over %s windows: %s of the 100 heaviest keys listed, their error %s on average and %s at most, %s names outside their bounds",
			grouped(float64(e.Windows)), percent(float64(e.Recall)), percent(float64(e.MeanError)), percent(float64(e.MaxError)), grouped(float64(e.Broken)))
	}
	return text
}

// answers asks the last window.
func (f *replayedFleet) answers(questions []question) ([]line.Answer, error) {
	var out []line.Answer
	for _, q := range questions {
		a, err := f.fleet.Ask(q.tenant, q.key)
		if errors.Is(err, pipeline.ErrTenantNeeded) {
			return nil, usageError{fmt.Errorf("--ask key=%s: %w, as tenant=T,key=%s", q.key, err, q.key)}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, line.Answer{
			Key: line.Name(q.key), Tenant: line.Name(q.tenant), Estimate: line.Number(a.Estimate), Low: line.Number(a.Low), High: line.Number(a.High),
		})
	}
	return out, nil
}

// answerText says an answer for people, as part of the load of its window.
func answerText(a *line.Answer, load float64) string {
	var who []string
	if a.Key != "" {
		who = append(who, "key "+shownName(string(a.Key)))
	}
	if a.Tenant != "" {
		who = append(who, "tenant "+shownName(string(a.Tenant)))
	}
	text := strings.Join(who, " of ") + ": " + grouped(float64(a.Estimate))
	if a.Low == a.High {
		text += ", exactly"
	} else {
		text += fmt.Sprintf(" (%s to %s)", grouped(float64(a.Low)), grouped(float64(a.High)))
	}
	if load > 0 {
		text += fmt.Sprintf(", %s of the window", percent(float64(a.Estimate)/load))
	}
	return text
}
