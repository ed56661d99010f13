package actuator

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"firebreak/internal/line"
)

// Blind is the line of the kinds blind and sighted.
type Blind struct {
	line.Head

	Since   line.Stamp `json:"since"`   // of blind: when the input stopped being judged; of sighted: when it began to be judged again
	Reasons []Reason   `json:"reasons"` // why; none of sighted
}

// Reason is one thing that keeps the input from being judged.
type Reason struct {
	Reason string     `json:"reason"` // policy.HoldReason
	Detail line.Prose `json:"detail"`
}

// Ended is the line of a plan, hold or advice that is over.
type Ended struct {
	line.Head

	What   string    `json:"what"`   // plan, hold or advice
	ID     line.Name `json:"id"`     // of the plan
	Reason string    `json:"reason"` // of the hold: policy.HoldReason
	Shard  line.Name `json:"shard"`  // of the advice
	Topic  string    `json:"topic"`  // of the advice: policy.Topic
}

// Decider is the line of an instance that took over.
type Decider struct {
	line.Head

	Instance line.Name `json:"instance"`
	Epoch    int64     `json:"epoch"`
}

// Outcome is what became of a delivery.
type Outcome uint8

// The outcomes. The zero value says nothing.
const (
	OutcomeUnknown  Outcome = iota
	OutcomeSent             // the receiver took it
	OutcomeFolded           // the receiver took it as one of the N of a summary
	OutcomeDead             // given up
	OutcomeDeferred         // not taken yet: the receiver asked for a pause
)

// Outcomes lists every outcome but OutcomeUnknown, in order.
func Outcomes() []Outcome { return []Outcome{OutcomeSent, OutcomeFolded, OutcomeDead, OutcomeDeferred} }

// String returns the one spelling of o.
func (o Outcome) String() string { return spell(o, "unknown", "sent", "folded", "dead", "deferred") }

// MarshalText writes the one spelling of o.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (o *Outcome) UnmarshalText(text []byte) error { return parse(o, "outcome", text, Outcomes()) }

// Delivered is the line of the kind delivered: the cursor of one receiver. What it names is not sent there again, unless it is
// deferred: then nothing is sent there before Until.
type Delivered struct {
	line.Head

	Receiver line.Name  `json:"receiver"`
	Entries  []string   `json:"entries"` // ids
	Outcome  Outcome    `json:"outcome"`
	Attempts int        `json:"attempts"`
	Until    line.Stamp `json:"until,omitzero"`    // of deferred
	Why      line.Prose `json:"why"`               // of dead: the last failure; it holds no secret
	Summary  string     `json:"summary,omitempty"` // of folded: which summary, the same until all of it is over
	Quiet    bool       `json:"quiet,omitempty"`   // of folded: by the summary nothing of it is open
	Place    string     `json:"place,omitempty"`   // of folded: where the summary went, hashed
	Open     []Stands   `json:"open,omitempty"`    // of sent and folded: what the entries are about and is not over
	Over     []Stands   `json:"over,omitempty"`    // of sent and folded: what they are about and is over, or told by itself since
	Receipt  string     `json:"receipt,omitempty"` // of sent and folded: what the receiver calls the message; it comes back with the next notice of its subject
}

// Stands is what a receiver was told of, so that who reads no more of the journal than this knows it.
type Stands struct {
	Subject  line.Name `json:"subject"` // what it is, for the queue
	Kind     string    `json:"kind"`    // of the entry; one that is not known is no reason not to read the rest
	Severity string    `json:"severity"`
	Shard    line.Name `json:"shard,omitempty"`
}

// MaxReceipt bounds a receipt, in bytes.
const MaxReceipt = 256

// NewDelivered makes the entry of what became of a delivery. fleet is empty where it is of several.
func NewDelivered(fleet string, at time.Time, d Delivered) (Entry, error) {
	parts := append([]string{"delivered", string(d.Receiver), d.Outcome.String(), strconv.Itoa(d.Attempts), strconv.FormatInt(moment(at).UnixMilli(), 10)}, d.Entries...)
	d.Head = line.NewHead("delivered", fleet, line.Stamp(moment(at)))
	return object(Entry{ID: NewID(parts...), Fleet: fleet, At: moment(at), Kind: KindDelivered}, &d)
}

// NewDecider makes the entry with which an instance takes over. It is the first that it appends: every reader that has seen
// it skips what an earlier decider still writes.
func NewDecider(at time.Time, instance string, epoch int64) (Entry, error) {
	e := Entry{
		ID: NewID("decider", instance, strconv.FormatInt(epoch, 10)), At: moment(at), Kind: KindDecider, Epoch: epoch, Instance: instance,
	}
	return object(e, &Decider{Head: line.NewHead("decider", "", line.Stamp(e.At)), Instance: line.Name(instance), Epoch: epoch})
}

// object completes an entry with its line.
func object(e Entry, v any) (Entry, error) {
	b, err := line.Encode(v)
	if err != nil {
		return Entry{}, fmt.Errorf("journal: %s: %w", e.Kind, err)
	}
	e.Line = json.RawMessage(b[:len(b)-1])
	return e, nil
}

// moment is a time as entries hold it.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Read decodes the line of an entry into one of the objects here, or into any other value.
func Read[T any](e *Entry) (T, error) {
	var v T
	if err := json.Unmarshal(e.Line, &v); err != nil {
		return v, fmt.Errorf("journal: line of %s %s: %w", e.Kind, e.ID, err)
	}
	return v, nil
}
