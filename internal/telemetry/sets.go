package telemetry

import (
	"fmt"

	"firebreak/policy"
)

// Refusal is why a record that could be read is not counted. (Why a line could not be read is a record.Reason.)
type Refusal uint8

// The refusals.
const (
	RefusalLate          Refusal = iota // behind the ring, or long before the first records
	RefusalFuture                       // ahead of its own log by more than the skew
	RefusalWeight                       // count / rate is no number of requests
	RefusalTooHeavy                     // stands for more requests than one record may
	RefusalTooManyShards                // of one shard more than there is room for, or with too long a name
	RefusalCrowded                      // in one pane ahead more than there is memory for
	refusals                            // their number
)

// String returns the label of r.
func (r Refusal) String() string {
	return spell([]string{"late", "future", "weight", "too_heavy", "too_many_shards", "crowded"}, int(r))
}

// Lack is what a record that was counted did not say.
type Lack uint8

// The lacks.
const (
	LackTime      Lack = iota // counted with its neighbours
	LackPlacement             // nothing of what the placement hashes: in the lists, on no shard
	LackRate                  // counted with the default rate although the log declares rates
	lacks                     // their number
)

// String returns the label of l.
func (l Lack) String() string { return spell([]string{"time", "placement", "rate"}, int(l)) }

// Skip is why offsets of the log were passed without being read.
type Skip uint8

// The reasons to skip.
const (
	SkipRetention Skip = iota // the broker deleted them before they were read
	SkipDataLoss              // the log ends before where we were
	skips                     // their number
)

// String returns the label of s.
func (s Skip) String() string {
	return spell([]string{"retention", "data_loss"}, int(s))
}

// Rejection is why a delta of the log was not accepted, or an entry not understood.
type Rejection uint8

// The rejections.
const (
	RejectionPosition  Rejection = iota // a range does not start where its partition was counted to
	RejectionTopic                      // of a topic that was deleted since
	RejectionSeed                       // counted with another hash seed
	RejectionShards                     // names shards that another named first
	RejectionMalformed                  // cannot be read, whatever it was to be, or says what cannot be
	rejections                          // their number
)

// String returns the label of r.
func (r Rejection) String() string {
	return spell([]string{"position", "topic", "seed", "shards", "malformed"}, int(r))
}

// verdictPhase is what became of a hotspot.
type verdictPhase uint8

const (
	phaseFiring verdictPhase = iota // it fired
	phaseRevised
	phaseResolved
	verdictPhases // their number
)

func (p verdictPhase) String() string {
	return spell([]string{"firing", "revised", "resolved"}, int(p))
}

func severities() []policy.Severity {
	return []policy.Severity{policy.SeverityWarning, policy.SeverityCritical}
}

// topics lists every topic of an advice but TopicNone.
func topics() []policy.Topic { return policy.Topics() }

// spell is the total String of an enumeration.
func spell(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("invalid(%d)", i)
	}
	return names[i]
}
