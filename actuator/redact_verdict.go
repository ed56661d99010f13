package actuator

import "firebreak/internal/line"

// Verdict hides the names of a verdict as an entry of the journal does; nil leaves them as they are.
func (r Redact) Verdict(v *line.Verdict) { r.verdict(v) }

// Hold hides the names of a hold in the same way.
func (r Redact) Hold(h *line.Hold) { r.hold(h) }

// Advice hides the names of an advice in the same way.
func (r Redact) Advice(a *line.Advice) { r.advice(a) }
