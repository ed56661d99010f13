package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Cause says who makes a shard hot.
type Cause uint8

// The causes. The zero value is the safe one: nothing is done about it.
const (
	CauseUnknown Cause = iota
	CauseVolume
	CauseHotKey
	CauseWhaleTenant
)

// Causes lists every cause in order.
func Causes() []Cause {
	return []Cause{CauseUnknown, CauseVolume, CauseHotKey, CauseWhaleTenant}
}

// String returns the one spelling of c.
func (c Cause) String() string {
	return name([]string{"unknown", "volume", "hot_key", "whale_tenant"}, int(c))
}

// MarshalText writes the one spelling of c.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Cause) UnmarshalText(text []byte) error { return parse(c, "cause", text, Causes()) }

// Fix is what would cool a shard.
type Fix uint8

// The fixes. The zero value does nothing.
const (
	FixNone Fix = iota
	FixSplit
	FixSalt
	FixCache
	FixIsolate
	FixQuota
	FixLimitCaller
	FixScaleOut
)

// Fixes lists every fix in order.
func Fixes() []Fix {
	return []Fix{FixNone, FixSplit, FixSalt, FixCache, FixIsolate, FixQuota, FixLimitCaller, FixScaleOut}
}

// String returns the one spelling of f.
func (f Fix) String() string {
	return name([]string{"none", "split", "salt", "cache", "isolate", "quota", "limit_caller", "scale_out"}, int(f))
}

// MarshalText writes the one spelling of f.
func (f Fix) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (f *Fix) UnmarshalText(text []byte) error { return parse(f, "fix", text, Fixes()) }

// Severity says whether a person is needed now.
type Severity uint8

// The severities. A fleet without a capacity knows no other than warning.
const (
	SeverityWarning Severity = iota
	SeverityCritical
)

// String returns the one spelling of s.
func (s Severity) String() string { return name([]string{"warning", "critical"}, int(s)) }

// MarshalText writes the one spelling of s.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Phase is where a hotspot stands in its life.
type Phase uint8

// A hotspot is pending until it was hot for long enough, fires, and resolves.
//
//	cool --over the line--> pending --for--> firing --2 min under 0.9 x line--> resolved
//	  ^                        |
//	  '----under the line------'
const (
	PhasePending Phase = iota
	PhaseFiring
	PhaseResolved
)

// String returns the one spelling of p.
func (p Phase) String() string { return name([]string{"pending", "firing", "resolved"}, int(p)) }

// MarshalText writes the one spelling of p.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// LogPoint is where the request log is written. It decides what can be known.
type LogPoint uint8

// A client logs a request before routing, cache and quota; a shard logs what it served.
const (
	LogPointUnknown LogPoint = iota
	LogPointClient
	LogPointShard
)

func logPoints() []LogPoint { return []LogPoint{LogPointUnknown, LogPointClient, LogPointShard} }

// String returns the one spelling of l.
func (l LogPoint) String() string { return name([]string{"unknown", "client", "shard"}, int(l)) }

// MarshalText writes the one spelling of l.
func (l LogPoint) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (l *LogPoint) UnmarshalText(text []byte) error { return parse(l, "log point", text, logPoints()) }

// Sampling says how the lines of a log were chosen.
type Sampling uint8

// The kinds of sampling. ByKey is known only to be refused: it keeps all of
// some keys and none of the others, so no share can be estimated from it.
const (
	SamplingUnknown Sampling = iota
	SamplingNone
	SamplingIndependent
	SamplingByTrace
	SamplingByKey
)

// Samplings lists every kind in order.
func Samplings() []Sampling {
	return []Sampling{SamplingUnknown, SamplingNone, SamplingIndependent, SamplingByTrace, SamplingByKey}
}

// String returns the one spelling of s.
func (s Sampling) String() string {
	return name([]string{"unknown", "none", "independent", "by_trace", "by_key"}, int(s))
}

// MarshalText writes the one spelling of s.
func (s Sampling) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Sampling) UnmarshalText(text []byte) error { return parse(s, "sampling", text, Samplings()) }

// Dimension is what a shard is weighed in: everything, or reads and writes
// apart where its capacity is given apart.
type Dimension uint8

// The dimensions.
const (
	DimensionTotal Dimension = iota
	DimensionReads
	DimensionWrites
)

// String returns the one spelling of d.
func (d Dimension) String() string { return name([]string{"total", "reads", "writes"}, int(d)) }

// MarshalText writes the one spelling of d.
func (d Dimension) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// parse sets an enumeration to the one of its values that text spells. what is its name for messages.
func parse[T fmt.Stringer](into *T, what string, text []byte, values []T) error {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = v.String()
	}
	i := slices.Index(words, string(text))
	if i < 0 {
		return fmt.Errorf("%s %q: want %s", what, text, either(words))
	}
	*into = values[i]
	return nil
}

// either lists at least two words of which one is wanted.
func either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// name is the total String of an enumeration: a value out of range shows itself.
func name(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("invalid(%d)", i)
	}
	return names[i]
}
