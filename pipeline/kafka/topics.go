package kafka

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Names of our topics behind "<group>.".
const (
	panesTopic   = "panes"
	historyTopic = "history"
	journalTopic = "journal"
	stateTopic   = "state"   // as routing/kafka calls it
	clientsTopic = "clients" // the same
)

// PanesTopic is the log of deltas and checkpoints of a group.
func PanesTopic(group string) string { return group + "." + panesTopic }

// HistoryTopic is the log of verdicts' inputs and load summaries of a group.
func HistoryTopic(group string) string { return group + "." + historyTopic }

// JournalTopic is the record for people of a group.
func JournalTopic(group string) string { return group + "." + journalTopic }

// StateTopic is the log of the fleets' routing of a group.
func StateTopic(group string) string { return group + "." + stateTopic }

// ClientsTopic is where clients of a group's routing confirm what they hold.
func ClientsTopic(group string) string { return group + "." + clientsTopic }

// DeciderGroup is the small group whose one partition's owner decides.
func DeciderGroup(group string) string { return group + ".decider" }

// How long our topics are kept.
const (
	historyRetention = 35 * 24 * time.Hour
	journalRetention = 400 * 24 * time.Hour
	panesRetention   = time.Hour // at least; three windows if those are longer
	panesWindows     = 3
	clientsRetention = time.Hour // clients confirm three times a minute
	forever          = -time.Millisecond
)

// MaxMessage is what our topics must take in one batch, in bytes: a MaxEntry and the batch's head.
const MaxMessage = 1 << 20

// Topic is one of ours: one partition, deleted by age, stamped by the broker. The zero value is none.
type Topic struct {
	Name      string
	Retention time.Duration     // at least; whole milliseconds; forever = nothing is deleted by age
	Segment   time.Duration     // at creation, so that what is too old does leave; 0 = the broker's
	Extra     map[string]string // settings at creation that are not verified
}

// Topics are those of a group, with the longest window of its fleets.
func Topics(group string, window time.Duration) []Topic {
	return []Topic{
		{
			Name: PanesTopic(group), Retention: max(panesRetention, panesWindows*window), Segment: 10 * time.Minute,
			Extra: map[string]string{"segment.bytes": strconv.Itoa(64 << 20)},
		},
		{Name: HistoryTopic(group), Retention: historyRetention, Segment: 24 * time.Hour},
		{Name: JournalTopic(group), Retention: journalRetention, Segment: 7 * 24 * time.Hour},
		{Name: StateTopic(group), Retention: forever}, // cut behind snapshots, by DeleteRecords
		{Name: ClientsTopic(group), Retention: clientsRetention, Segment: 10 * time.Minute},
	}
}

// The settings of topics that are verified.
const (
	settingCleanup    = "cleanup.policy"
	settingRetention  = "retention.ms"
	settingBytes      = "retention.bytes"
	settingTimeType   = "message.timestamp.type"
	settingMaxMessage = "max.message.bytes"
)

// requirement is one setting that a topic must have.
type requirement struct {
	setting string
	want    string              // the value that mends it, and that a new topic gets
	fits    func(is int64) bool // of a number; nil = it must be want
}

// required lists the settings that are verified, in a fixed order.
func (t *Topic) required() []requirement {
	retention := t.Retention.Milliseconds()
	return []requirement{
		{setting: settingCleanup, want: "delete"},
		{setting: settingRetention, want: strconv.FormatInt(retention, 10), fits: func(is int64) bool { return is == -1 || retention >= 0 && is >= retention }},
		{setting: settingBytes, want: "-1"},
		{setting: settingTimeType, want: "LogAppendTime"},
		{setting: settingMaxMessage, want: strconv.Itoa(MaxMessage), fits: func(is int64) bool { return is >= MaxMessage }},
	}
}

// ok says whether a setting's value fits.
func (r *requirement) ok(is string) bool {
	if r.fits == nil {
		return is == r.want
	}
	n, err := strconv.ParseInt(is, 10, 64)
	return err == nil && r.fits(n)
}

// settings are those that a new topic gets, with so many replicas.
func (t *Topic) settings(replicas int) map[string]string {
	all := map[string]string{}
	for _, r := range t.required() {
		all[r.setting] = r.want
	}
	if t.Segment > 0 {
		all["segment.ms"] = strconv.FormatInt(t.Segment.Milliseconds(), 10)
	}
	if replicas > 2 {
		all["min.insync.replicas"] = "2" // an append that was confirmed outlives any one broker
	}
	maps.Copy(all, t.Extra)
	return all
}

// createCommand makes the topic as we would.
func (t *Topic) createCommand(brokers Brokers, replicas int) string {
	var b strings.Builder
	b.WriteString("kafka-topics.sh --bootstrap-server " + brokers.String() + " --create --topic " + t.Name +
		" --partitions 1 --replication-factor " + strconv.Itoa(replicas))
	settings := t.settings(replicas)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		b.WriteString(" --config " + name + "=" + settings[name])
	}
	return b.String()
}

// alterCommand sets one setting of the topic.
func (t *Topic) alterCommand(brokers Brokers, setting, value string) string {
	return "kafka-configs.sh --bootstrap-server " + brokers.String() + " --alter --entity-type topics --entity-name " + t.Name +
		" --add-config " + setting + "=" + value
}

// deleteCommand removes the topic, so that it can be made anew.
func (t *Topic) deleteCommand(brokers Brokers) string {
	return "kafka-topics.sh --bootstrap-server " + brokers.String() + " --delete --topic " + t.Name
}
