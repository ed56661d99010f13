package main

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/line"
)

// say logs an entry of the journal, with names as the journal has them: a hotspot that fires or changes, and that nothing is seen,
// as a warning, other news as information. Entries about the journal's own work are no news.
func (j *journal) say(e *actuator.Entry) {
	level := zapcore.InfoLevel
	switch e.Kind {
	case actuator.KindUnknown, actuator.KindDelivered, actuator.KindDecider:
		return
	case actuator.KindVerdict:
		if e.Phase != actuator.PhaseResolved {
			level = zapcore.WarnLevel
		}
	case actuator.KindBlind:
		level = zapcore.WarnLevel
	case actuator.KindPlan, actuator.KindHold, actuator.KindAdvice, actuator.KindSighted, actuator.KindAccepted, actuator.KindDismissed, actuator.KindReopened,
		actuator.KindReport, actuator.KindRouted, actuator.KindActed:
	}
	fields := []zap.Field{zap.Stringer("kind", e.Kind)}
	for _, f := range []struct{ name, value string }{
		{"phase", e.Phase.String()}, {"fleet", printable(e.Fleet)}, {"hotspot", printable(e.Hotspot)}, {"severity", severityOf(e)},
	} {
		if f.value != "" {
			fields = append(fields, zap.String(f.name, f.value))
		}
	}
	j.zap.Log(level, "news", append(fields, zap.String("text", j.guide.Sentence(&notify.Notice{Entry: e})))...)
}

// severityOf is how grave an entry says that it is; empty where it does not say.
func severityOf(e *actuator.Entry) string {
	l, err := line.Decode(e.Line)
	if err != nil {
		return "" // the objects of the journal that are no lines have none
	}
	switch v := l.(type) {
	case *line.Verdict:
		return v.Severity
	case *line.Advice:
		return v.Level
	}
	return ""
}
