package record

import "fmt"

// Reason says why a line gave no record. The zero value ReasonNone means that it gave one. The list is closed, so
// that every reason can be a metric label that exists from the start.
type Reason uint8

// The reasons.
const (
	ReasonNone       Reason = iota
	ReasonBlank             // nothing on the line but white space, or Config.Header once more; not a refusal
	ReasonNotMatched        // Config.Match does not hold: another fleet's record; not a refusal
	ReasonSyntax            // not the declared format
	ReasonTruncated         // the format's beginning, but the line ends too early
	ReasonTooLong           // longer than Config.MaxLine
	ReasonTooDeep           // JSON nested deeper than maxDepth
	ReasonType              // a mapped field has a type that cannot be its value
	ReasonTime              // the time field is there and is not a time of the configured form
	ReasonNoIdentity        // neither key nor tenant nor shard
	ReasonCount             // count zero, negative, NaN or infinite
	ReasonCountHuge         // count / rate above MaxRequests
	ReasonRate              // rate outside (0, 1]
	ReasonRange             // bytes, latency or status negative, not finite or out of range
	ReasonDuplicate         // a mapped member occurs twice, so that it has no single value
	ReasonNoValue           // a message without a value, such as a tombstone
	ReasonSchema            // the schema of the message is not known, or cannot be used; see Decoder.WantsSchema
	ReasonNoSchema          // likewise, and the registry could not be asked for it; whoever learns schemas says so
	reasons                 // their number
)

// Reasons lists every reason but ReasonNone, in a fixed order.
func Reasons() []Reason {
	all := make([]Reason, 0, reasons-1)
	for r := ReasonBlank; r < reasons; r++ {
		all = append(all, r)
	}
	return all
}

// Refusal tells a line that could not be understood from one that is none of our business (blank, another fleet's)
// and from one that gave a record.
func (r Reason) Refusal() bool {
	return r != ReasonNone && r != ReasonBlank && r != ReasonNotMatched
}

// String returns the reason's label, lower case with underscores; it is total.
func (r Reason) String() string {
	names := [...]string{
		ReasonNone:       "none",
		ReasonBlank:      "blank",
		ReasonNotMatched: "not_matched",
		ReasonSyntax:     "syntax",
		ReasonTruncated:  "truncated",
		ReasonTooLong:    "too_long",
		ReasonTooDeep:    "too_deep",
		ReasonType:       "type",
		ReasonTime:       "time",
		ReasonNoIdentity: "no_identity",
		ReasonCount:      "count",
		ReasonCountHuge:  "count_huge",
		ReasonRate:       "rate",
		ReasonRange:      "range",
		ReasonDuplicate:  "duplicate",
		ReasonNoValue:    "no_value",
		ReasonSchema:     "schema",
		ReasonNoSchema:   "no_schema",
	}
	if int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("reason(%d)", uint8(r))
}
