package main

import (
	"io"

	"firebreak/internal/line"
	"firebreak/policy"
)

// telling is what is known around a verdict when it is told. Its zero value is a first verdict without a plan.
type telling struct {
	plan    *policy.Plan // of the verdict's hotspot at this tick; nil = there is none
	revised bool         // the hotspot was told before
}

// printer writes what a replay says, as it says it.
type printer interface {
	verdict(v *policy.Verdict, with telling) error
	// follows says that the line is printed below the verdict of its hotspot.
	plan(l *line.Plan, p *policy.Plan, follows bool) error
	hold(fleet string, at line.Stamp, h policy.Hold, follows bool) error
	advice(fleet string, at line.Stamp, a policy.Advice) error
	summary(s *line.Summary) error
}

// jsonPrinter writes one object a line: docs/replay-json.md is the contract.
type jsonPrinter struct{ w io.Writer }

func (p jsonPrinter) line(l line.Line) error {
	b, err := line.Encode(l)
	if err != nil {
		return err
	}
	_, err = p.w.Write(b)
	return err
}

func (p jsonPrinter) verdict(v *policy.Verdict, _ telling) error { return p.line(line.NewVerdict(v)) }

func (p jsonPrinter) plan(l *line.Plan, _ *policy.Plan, _ bool) error { return p.line(l) }

func (p jsonPrinter) hold(fleet string, at line.Stamp, h policy.Hold, _ bool) error {
	return p.line(line.NewHold(fleet, at, h))
}

func (p jsonPrinter) advice(fleet string, at line.Stamp, a policy.Advice) error {
	return p.line(line.NewAdvice(fleet, at, a))
}

func (p jsonPrinter) summary(s *line.Summary) error { return p.line(s) }
