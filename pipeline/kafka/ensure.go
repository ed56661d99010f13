package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TopicError is one thing that is wrong with a topic of ours.
type TopicError struct {
	Topic   string
	Problem string // "retention.ms is 60000: want 3600000"
	Mend    string // the command that mends it
	Err     error  // what the broker said; nil where a setting is wrong
}

// Error says what is wrong and how to mend it.
func (e *TopicError) Error() string {
	return fmt.Sprintf("topic %s: %s; mend: %s", e.Topic, e.Problem, e.Mend)
}

// Unwrap is what the broker said.
func (e *TopicError) Unwrap() error { return e.Err }

// Ensure is how topics are made and verified.
type Ensure struct {
	Client   *kgo.Client
	Brokers  Brokers // for the commands that are shown
	Replicas int     // of new topics; 0 = 3, or the number of brokers if that is less
}

// EnsureTopics creates those topics that are missing and verifies those that exist, which it never alters. Its error joins
// one *TopicError for each thing that is wrong. Several instances may do so at once.
func (e *Ensure) EnsureTopics(ctx context.Context, topics []Topic) error {
	adm := kadm.NewClient(e.Client)
	var errs []error
	for i := range topics {
		now, err := describe(ctx, adm, topics[i].Name)
		if err == nil && now.missing() {
			err = e.create(ctx, adm, &topics[i], e.replicas(now.brokers), false)
			if err == nil {
				err = e.awaitUse(ctx, adm, topics[i].Name)
			}
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return e.VerifyTopics(ctx, topics)
}

// replicas is how many replicas a new topic gets.
func (e *Ensure) replicas(brokers int) int {
	const safe = 3
	if e.Replicas > 0 {
		return e.Replicas
	}
	return max(1, min(safe, brokers))
}

// described is a topic as the cluster shows it.
type described struct {
	kadm.TopicDetail

	brokers int     // in the cluster
	nodes   []int32 // their ids
}

func (d *described) missing() bool { return errors.Is(d.Err, kerr.UnknownTopicOrPartition) }

// describe asks for one topic; where we may not see it, Err of the answer says so. Several at once would be refused for one.
func describe(ctx context.Context, adm *kadm.Client, topic string) (described, error) {
	meta, err := adm.Metadata(ctx, topic)
	if denied(err) {
		return described{TopicDetail: kadm.TopicDetail{Err: err}}, nil
	}
	if err != nil {
		return described{}, fmt.Errorf("metadata of topic %s: %w", topic, err)
	}
	return described{TopicDetail: meta.Topics[topic], brokers: len(meta.Brokers), nodes: meta.Brokers.NodeIDs()}, nil
}

// create makes a topic, or only asks whether it could.
func (e *Ensure) create(ctx context.Context, adm *kadm.Client, t *Topic, replicas int, try bool) error {
	settings := map[string]*string{}
	for name, value := range t.settings(replicas) {
		settings[name] = &value
	}
	ask := adm.CreateTopics
	if try {
		ask = adm.ValidateCreateTopics
	}
	answers, err := ask(ctx, 1, int16(min(replicas, 1<<15-1)), settings, t.Name)
	if err == nil {
		err = answers[t.Name].Err
	}
	if err == nil || errors.Is(err, kerr.TopicAlreadyExists) {
		return nil
	}
	problem := "is missing and could not be created: " + said(err)
	if detail := answers[t.Name].ErrMessage; detail != "" {
		problem += ": " + detail
	}
	return &TopicError{Topic: t.Name, Problem: problem, Mend: t.createCommand(e.Brokers, replicas), Err: err}
}

// useWait bounds how long a topic that was created may take until every broker has heard of it; brokers take less than a second.
const useWait = 30 * time.Second

// awaitUse waits until a topic that was created can be used: each broker has heard of it, as a client may ask any, and its
// leader serves it. It gives up after useWait.
func (e *Ensure) awaitUse(ctx context.Context, adm *kadm.Client, topic string) error {
	const again = 100 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, useWait)
	defer cancel()
	lacks := "nothing more is known of it"
	for {
		what, err := e.lacking(ctx, adm, topic)
		switch {
		case err == nil && what == "":
			return nil
		case err == nil:
			lacks = what
		case ctx.Err() == nil:
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("topic %s was created, and %s: %w", topic, lacks, ctx.Err())
		case <-time.After(again):
		}
	}
}

// lacking says why a topic that was created cannot be used yet; empty = it can.
func (e *Ensure) lacking(ctx context.Context, adm *kadm.Client, topic string) (string, error) {
	now, err := describe(ctx, adm, topic)
	if err != nil || denied(now.Err) { // which VerifyTopics tells
		return "", err
	}
	for _, id := range now.nodes {
		if !e.seen(ctx, id, topic) {
			return fmt.Sprintf("broker %d knows no leader of it", id), nil
		}
	}
	ends, err := adm.ListEndOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if kerr.IsRetriable(err) {
		return "its leader does not serve it", nil
	}
	return "", err
}

// seen says whether a broker knows a topic with its leader. One that gives no answer is away, and sends no client astray.
func (e *Ensure) seen(ctx context.Context, broker int32, topic string) bool {
	named := kmsg.NewMetadataRequestTopic()
	named.Topic = new(topic)
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{named}
	kresp, err := e.Client.Broker(int(broker)).RetriableRequest(ctx, req)
	resp, ok := kresp.(*kmsg.MetadataResponse)
	if err != nil || !ok || len(resp.Topics) == 0 {
		return true
	}
	t := &resp.Topics[0]
	return t.ErrorCode == 0 && len(t.Partitions) > 0 && t.Partitions[0].ErrorCode == 0 && t.Partitions[0].Leader >= 0
}

// VerifyTopics names every setting of the topics that is wrong, as joined *TopicError values.
func (e *Ensure) VerifyTopics(ctx context.Context, topics []Topic) error {
	adm := kadm.NewClient(e.Client)
	var errs []error
	for i := range topics {
		errs = append(errs, e.verify(ctx, adm, &topics[i])...)
	}
	return errors.Join(errs...)
}

// verify names what is wrong with one topic.
func (e *Ensure) verify(ctx context.Context, adm *kadm.Client, t *Topic) []error {
	now, err := describe(ctx, adm, t.Name)
	switch n := len(now.Partitions); {
	case err != nil:
		return []error{err}
	case denied(now.Err):
		return []error{&TopicError{Topic: t.Name, Problem: said(now.Err), Mend: "grant the rights that firebreak doctor lists", Err: now.Err}}
	case now.Err != nil:
		return []error{&TopicError{Topic: t.Name, Problem: said(now.Err), Mend: t.createCommand(e.Brokers, e.replicas(now.brokers)), Err: now.Err}}
	case n != 1:
		problem := "has " + strconv.Itoa(n) + " partitions: want 1, and partitions cannot be taken away; it has to be made anew"
		return []error{&TopicError{Topic: t.Name, Problem: problem, Mend: t.deleteCommand(e.Brokers)}}
	}
	var config kadm.ResourceConfig
	configs, err := adm.DescribeTopicConfigs(ctx, t.Name)
	if err == nil {
		config, err = configs.On(t.Name, nil)
	}
	if err == nil {
		err = config.Err
	}
	if err != nil {
		problem := "its settings cannot be read: " + said(err)
		return []error{&TopicError{Topic: t.Name, Problem: problem, Mend: "grant DescribeConfigs on it, see firebreak doctor", Err: err}}
	}
	return e.wrongSettings(t, config.Configs)
}

// wrongSettings are the settings of one topic that do not fit.
func (e *Ensure) wrongSettings(t *Topic, configs []kadm.Config) []error {
	has := map[string]string{}
	for _, c := range configs {
		has[c.Key] = c.MaybeValue()
	}
	var errs []error
	for _, r := range t.required() {
		if is, given := has[r.setting]; given && !r.ok(is) {
			errs = append(errs, &TopicError{
				Topic: t.Name, Problem: fmt.Sprintf("%s is %s: want %s", r.setting, is, r.want), Mend: t.alterCommand(e.Brokers, r.setting, r.want),
			})
		}
	}
	return errs
}

// said is what a broker answered, without its explanation; of other errors the whole text.
func said(err error) string {
	if answer, ok := errors.AsType[*kerr.Error](err); ok {
		return answer.Message
	}
	return err.Error()
}
