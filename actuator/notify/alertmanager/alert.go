package alertmanager

import (
	"encoding/json"
	"strings"
	"time"

	"firebreak/actuator/notify"
	"firebreak/internal/words"
)

// alert is one alert of a request: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml.
type alert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Starts      time.Time         `json:"startsAt,omitzero"`
	Ends        time.Time         `json:"endsAt"`
	Generator   string            `json:"generatorURL,omitempty"`
}

// marks are the labels of an alert that may change: the receipt.
type marks struct {
	Severity string `json:"severity"`
	Cause    string `json:"cause,omitempty"`
	Team     string `json:"team,omitempty"`
}

// moment is when a notice is of, when it is sent, and how long what fires stands from then on.
type moment struct {
	at, now time.Time
	keep    time.Duration
	again   bool // it was told, and its labels stay as they were
}

// noteKeep is how long what happened once stands: long enough to be notified.
const noteKeep = 5 * time.Minute

// ends is when the alert of a message ends by itself.
func (t moment) ends(s notify.State) time.Time {
	switch s {
	case notify.Over:
		return t.at
	case notify.Note:
		return t.now.Add(min(t.keep, noteKeep))
	case notify.Firing:
	}
	return t.now.Add(t.keep)
}

// newAlerts are the alert of a message, and the end of the one with other labels that a receipt remembers.
func newAlerts(m *notify.Message, t moment, receipt string) (alerts []alert, next string) {
	is := marks{Severity: m.Severity.String(), Cause: m.Cause}
	if m.Owner != nil {
		is.Team = m.Owner.Team
	}
	var was marks
	known := json.Unmarshal([]byte(receipt), &was) == nil
	switch {
	case known && (t.again || m.State == notify.Over):
		is = was
	case known && was != is:
		alerts = append(alerts, alert{Labels: labels(m, was), Annotations: map[string]string{}, Ends: t.at})
	}
	a := alert{Labels: labels(m, is), Annotations: annotations(m), Starts: m.Since, Ends: t.ends(m.State)}
	if len(m.Links) > 0 {
		a.Generator = m.Links[0].URL
	}
	text, err := json.Marshal(is)
	if err != nil {
		return append(alerts, a), ""
	}
	return append(alerts, a), string(text)
}

func labels(m *notify.Message, is marks) map[string]string {
	out := map[string]string{"alertname": name(m), "subject": m.Subject, "severity": is.Severity}
	for label, value := range map[string]string{"fleet": words.Show(m.Fleet, words.MaxName), "shard": words.Show(m.Shard, words.MaxName), "cause": is.Cause, "team": is.Team} {
		if value != "" {
			out[label] = value
		}
	}
	return out
}

// name is what Alertmanager calls an alert: never what a rule of deploy/prometheus calls one, which has other labels.
func name(m *notify.Message) string {
	switch {
	case m.Shard != "":
		return "FirebreakVerdict"
	case m.Call:
		return "FirebreakOperation"
	case m.Blind:
		return "FirebreakCannotJudge"
	case m.More || m.State == notify.Note:
		return "FirebreakNote"
	}
	return "FirebreakAdvice"
}

// annotations are the facts: labels of several words are joined, several facts of one label are lines.
func annotations(m *notify.Message) map[string]string {
	out := map[string]string{"summary": m.Title.Quoted(), "description": m.Text.Quoted()}
	for _, f := range m.Facts {
		label := strings.ToLower(strings.ReplaceAll(f.Label, " ", "_"))
		if out[label] != "" {
			out[label] += "\n"
		}
		out[label] += f.Text.Quoted()
	}
	for label, text := range map[string]string{"cause": m.Cause, "key": words.Show(m.Key, words.MaxPhrase), "tenant": words.Show(m.Tenant, words.MaxPhrase), "command": m.Command} {
		if text != "" {
			out[label] = text
		}
	}
	if m.Owner != nil && m.Owner.Runbook != "" {
		out["runbook_url"] = m.Owner.Runbook
	}
	return out
}
