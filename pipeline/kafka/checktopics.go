package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// sources checks the topics of request logs on this cluster.
func (d *doctor) sources(ctx context.Context) {
	topics := d.Sources[d.cluster.Called()]
	for _, right := range RightsOnSources(d.Group, topics)[:len(topics)] {
		d.source(ctx, right)
	}
}

// source checks one topic of a request log.
func (d *doctor) source(ctx context.Context, right Right) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	adm := kadm.NewClient(d.client)
	now, err := describe(ctx, adm, right.Name)
	what, grant := "topic "+right.Name, d.grant(right)
	switch {
	case err != nil:
		d.add(what, err, "", "see the findings about its brokers")
	case denied(now.Err):
		d.add(what, now.Err, "we may not see it: Describe is not allowed", grant)
	case now.missing():
		d.add(what, now.Err, "there is no such topic", "check its name and cluster, or create it")
	case now.Err != nil:
		d.add(what, now.Err, said(now.Err), "see the broker's log")
	default:
		if err := d.readable(ctx, right.Name, now.Partitions); err != nil {
			d.add(what, err, "we may not read it: Read is not allowed", grant)
			return
		}
		text := fmt.Sprintf("%d partitions, may be read", len(now.Partitions))
		d.add(what, nil, text+timeType(ctx, adm, right.Name), "")
	}
}

// timeType says whose time the records of a topic carry, where we may know it.
func timeType(ctx context.Context, adm *kadm.Client, topic string) string {
	configs, err := adm.DescribeTopicConfigs(ctx, topic)
	config, onErr := configs.On(topic, nil)
	if err := errors.Join(err, onErr, config.Err); err != nil {
		return "; whose time its records carry is not to be seen (DescribeConfigs is not granted, nor needed)"
	}
	for _, c := range config.Configs {
		if c.Key == settingTimeType {
			return "; " + c.MaybeValue()
		}
	}
	return ""
}

// ours checks our own topics: right, or creatable, and usable.
func (d *doctor) ours(ctx context.Context) {
	topics := Topics(d.Group, d.Window)
	e := &Ensure{Client: d.client, Brokers: d.cluster.Brokers, Replicas: d.Replicas}
	adm := kadm.NewClient(d.client)
	for i, right := range RightsOnOurs(d.Group, topics)[:len(topics)] {
		d.our(ctx, e, adm, &topics[i], right)
	}
}

// our checks one topic of ours.
func (d *doctor) our(ctx context.Context, e *Ensure, adm *kadm.Client, t *Topic, right Right) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	what := "topic " + t.Name
	now, err := describe(ctx, adm, t.Name)
	switch {
	case err != nil:
		d.add(what, err, "", "see the findings about its brokers")
		return
	case denied(now.Err):
		d.add(what, now.Err, "we may not see it: Describe is not allowed", d.grant(right))
		return
	case now.missing():
		d.creatable(ctx, e, adm, t, right, now.brokers)
		return
	case now.Err != nil:
		d.add(what, now.Err, said(now.Err), "see the broker's log")
		return
	}
	wrong := e.VerifyTopics(ctx, []Topic{*t})
	for _, w := range joined(wrong) {
		problem, ok := errors.AsType[*TopicError](w)
		switch {
		case ok && denied(problem.Err):
			d.add(what, w, "its settings cannot be read: DescribeConfigs is not allowed", d.grant(right))
		case ok:
			d.add(what, w, problem.Problem, problem.Mend)
		default:
			d.add(what, w, "", "see the broker's log")
		}
	}
	if err := d.readable(ctx, t.Name, now.Partitions); err != nil {
		d.add(what, err, "we may not read it: Read is not allowed", d.grant(right))
	} else if err := d.writable(ctx, t.Name, now.Partitions); err != nil {
		d.add(what, err, "we may not append to it: Write is not allowed", d.grant(right))
	} else if wrong == nil {
		d.add(what, nil, "is as it must be, may be read and appended to", "")
	}
}

// creatable tries whether a topic that is missing could be made.
func (d *doctor) creatable(ctx context.Context, e *Ensure, adm *kadm.Client, t *Topic, right Right, brokers int) {
	err := e.create(ctx, adm, t, e.replicas(brokers), true)
	switch {
	case err == nil:
		d.add("topic "+t.Name, nil, "is missing; firebreak run creates it", "")
	case denied(err):
		d.add("topic "+t.Name, err, "is missing, and we may not create it: Create is not allowed", d.grant(right))
	default:
		problem, ok := errors.AsType[*TopicError](err)
		if !ok {
			d.add("topic "+t.Name, err, "", "see the broker's log")
			return
		}
		d.add("topic "+t.Name, err, problem.Problem, problem.Mend)
	}
}

// grant is the command that gives us a right.
func (d *doctor) grant(r Right) string { return r.Command(d.cluster.Brokers, d.cluster.Principal()) }

// denied says that an answer means: not allowed.
func denied(err error) bool {
	return errors.Is(err, kerr.TopicAuthorizationFailed) || errors.Is(err, kerr.GroupAuthorizationFailed) ||
		errors.Is(err, kerr.ClusterAuthorizationFailed)
}

// joined takes joined errors apart.
func joined(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range many.Unwrap() {
			all = append(all, joined(e)...)
		}
		return all
	}
	return []error{err}
}
