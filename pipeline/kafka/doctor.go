package kafka

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Finding is one thing that was checked.
type Finding struct {
	Name   string `json:"name"` // "main: broker b1:9092"
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`         // what was found; never a secret
	Mend   string `json:"mend,omitempty"` // what to do, or the command that does it; empty where nothing is wrong
}

// Checkup is what a check is about.
type Checkup struct {
	Clusters   []Cluster           // the first holds our topics
	Group      string              // our consumer group
	Sources    map[string][]string // topics of request logs by the name of their cluster
	Window     time.Duration       // the longest of the fleets
	Replicas   int                 // of new topics; 0 = as EnsureTopics chooses
	Standalone bool                // only the sources are read: no topics of ours, no groups
	Dial       []kgo.Opt           // how to dial, in tests; nil = the network
}

// What bounds each step of a check.
const (
	checkTimeout = 10 * time.Second // a topic or a group
	tryTimeout   = 5 * time.Second  // an address
)

// doctor checks one cluster.
type doctor struct {
	*Checkup

	cluster *Cluster
	first   bool // it holds our topics
	opts    []kgo.Opt
	client  *kgo.Client
	found   []Finding
}

// Check tries everything that a run needs and changes nothing: settings, the schema registry, each broker with TLS and SASL,
// topics, rights. It reports what is right too. What cannot be tried because something before it fails is left out.
func (c *Checkup) Check(ctx context.Context) []Finding {
	var all []Finding
	for i := range c.Clusters {
		d := &doctor{Checkup: c, cluster: &c.Clusters[i], first: i == 0}
		d.check(ctx)
		all = append(all, d.found...)
	}
	return all
}

// Rights lists what each cluster must allow, by the cluster's index.
func (c *Checkup) Rights() [][]Right {
	all := make([][]Right, len(c.Clusters))
	for i := range c.Clusters {
		rights := RightsOnSources(c.Group, c.Sources[c.Clusters[i].Called()])
		if c.Standalone {
			rights = rights[:len(rights)-1]
		} else if i == 0 {
			rights = append(rights, RightsOnOurs(c.Group, Topics(c.Group, c.Window))...)
		}
		all[i] = rights
	}
	return all
}

// add notes a finding about a part of the cluster.
func (d *doctor) add(what string, err error, detail, mend string) {
	f := Finding{Name: d.cluster.Called() + ": " + what, OK: err == nil, Detail: detail}
	if err != nil {
		f.Mend = mend
		if detail == "" {
			f.Detail = err.Error()
		}
	}
	d.found = append(d.found, f)
}

// check runs the checks of a cluster as far as they get.
func (d *doctor) check(ctx context.Context) {
	opts, err := Options(*d.cluster)
	if err != nil {
		d.add("settings", err, "", "mend this part of the configuration")
		return
	}
	d.opts = append(append(opts, d.Dial...), kgo.RequestRetries(2), kgo.RetryTimeout(checkTimeout),
		kgo.MaxVersions(kversion.V3_0_0())) // topics go by their names, also those that are not there
	d.add("settings", nil, d.settings(), "")
	d.registry(ctx)
	if !d.brokers(ctx, d.cluster.Brokers) {
		return
	}
	client, err := kgo.NewClient(d.opts...)
	if err != nil {
		d.add("settings", err, "", "mend this part of the configuration")
		return
	}
	defer client.Close()
	d.client = client
	if !d.advertised(ctx) {
		return
	}
	d.sources(ctx)
	if d.Standalone {
		return
	}
	d.group(ctx, d.Group)
	if d.first {
		d.ours(ctx)
		d.group(ctx, DeciderGroup(d.Group))
		d.idempotent(ctx)
	}
}

// settings says how the cluster is reached.
func (d *doctor) settings() string {
	text := "plain text"
	if d.cluster.TLS.On() {
		text = "TLS"
		if d.cluster.TLS.CertFile != "" {
			text = "TLS with our certificate"
		}
	}
	if m := d.cluster.SASL.Mechanism; m != MechanismNone {
		text += ", signed in by " + m.String()
		if m == Plain && !d.cluster.TLS.On() {
			text += "; the password travels readable"
		}
	}
	return text
}

// brokers tries each address, all at once; it says whether one of them serves us.
func (d *doctor) brokers(ctx context.Context, addresses []string) bool {
	results := make([]trial, len(addresses))
	var wg sync.WaitGroup
	for i, address := range addresses {
		wg.Go(func() { results[i] = d.try(ctx, address) })
	}
	wg.Wait()
	served := false
	for i, r := range results {
		served = served || r.err == nil
		d.add("broker "+addresses[i], r.err, r.detail, r.mend)
	}
	return served
}

// advertised tries the addresses that the brokers name themselves, which clients are sent to.
func (d *doctor) advertised(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	meta, err := kadm.NewClient(d.client).BrokerMetadata(ctx)
	if err != nil {
		d.add("brokers", err, "", "see the findings about its brokers")
		return false
	}
	var others []string
	for _, b := range meta.Brokers {
		address := b.Host + ":" + strconv.Itoa(int(b.Port))
		if !slices.Contains(d.cluster.Brokers, address) {
			others = append(others, address)
		}
	}
	d.add("brokers", nil, fmt.Sprintf("%d in the cluster", len(meta.Brokers)), "")
	return d.brokers(ctx, others) || len(others) < len(meta.Brokers)
}
