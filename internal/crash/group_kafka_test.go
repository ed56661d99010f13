//go:build kafka && linux

package crash

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/internal/config"
	"firebreak/internal/kafkarig"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
)

// Of the fleet and the group.
const (
	groupName  = "proof"
	session    = 6 * time.Second
	shards     = 8
	signingKey = "a-secret-of-sixteen-bytes"
)

// fleetConfig has short times; a long window would only make the proof slower: what leaves it was read before.
const fleetConfig = `
group: proof
kafka: {brokers: %q, session: 6s}
notify: {receivers: [{name: pager, webhook: {url: %q, secret: a-secret-of-sixteen-bytes}}]}
fleets:
  - name: orders
    topics: [requests]
    shards: 8
    placement: {bytes: key}
    pane: 1s
    window: 3m
    warmup: 10s
    record: {preset: canonical, format: json}
    policy: {for: 3s, resolve: 8s}
`

// group is a request log on a broker, the instances that count it, and who they tell.
type group struct {
	t         *testing.T
	broker    *kafkarig.Broker
	config    string
	instances []*instance
	notices   *Notices
	client    *kgo.Client
	opts      []kgo.Opt
}

// newGroup starts a broker with an empty request log. Nothing counts it yet.
func newGroup(t *testing.T, config string, parts int) *group {
	t.Helper()
	g := &group{t: t, broker: kafkarig.Start(t, kafkarig.Options{}), notices: &Notices{}}
	hook := httptest.NewServer(g.receiver())
	t.Cleanup(hook.Close)
	g.config = fmt.Sprintf(config, g.broker.Addr(), hook.URL)
	var err error
	if g.opts, err = kafka.Options(kafka.Cluster{Brokers: kafka.Brokers{g.broker.Addr()}}); err != nil {
		t.Fatal(err)
	}
	if g.client, err = kgo.NewClient(g.opts...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.client.Close)
	resp, err := kadm.NewClient(g.client).CreateTopics(t.Context(), int32(parts), 1, nil, requestTopic)
	if err == nil {
		err = resp.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// receiver takes what the instances tell.
func (g *group) receiver() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		at := time.Now()
		raw, err := io.ReadAll(r.Body)
		if err != nil { // its sender died meanwhile: nothing was told
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var body struct {
			DedupKey string `json:"dedup_key"`
			Kind     string
			Phase    string
		}
		if err := json.Unmarshal(raw, &body); err != nil {
			g.notices.Refuse(fmt.Sprintf("a notice that is no JSON: %v", err))
			return
		}
		g.notices.Take(r.Header.Get("X-Firebreak-Id"), body.DedupKey, body.Kind+" "+body.Phase, at)
	}
}

// begin starts instances and waits until each is ready.
func (g *group) begin(binary string, n int) {
	g.t.Helper()
	for i := range n {
		in := newInstance(g.t, binary, fmt.Sprintf("%d", i), g.config)
		g.instances = append(g.instances, in)
		if err := in.start(); err != nil {
			g.t.Fatal(err)
		}
	}
}

// await waits until every instance is ready.
func (g *group) await(within time.Duration) {
	g.t.Helper()
	for n, in := range g.instances {
		for deadline := time.Now().Add(within); !in.ready(); time.Sleep(200 * time.Millisecond) {
			if time.Now().After(deadline) {
				g.t.Fatalf("process %d was not ready within %v: %s", n, within, in.page("/-/ready?verbose"))
			}
		}
	}
}

// refusals are the metrics of the processes that say what they did not count.
func (g *group) refusals() (lines []string) {
	for n, in := range g.instances {
		for line := range strings.SplitSeq(in.page("/metrics"), "\n") {
			name, _, _ := strings.Cut(line, "{")
			if strings.HasPrefix(name, "firebreak_") && (strings.Contains(name, "refused") || strings.Contains(name, "rejected")) && !strings.HasSuffix(line, " 0") {
				lines = append(lines, fmt.Sprintf("process %d: %s", n, line))
			}
		}
	}
	return lines
}

// fleet is the fleet as the configuration of an instance makes it.
func (g *group) fleet() pipeline.LiveFleet {
	g.t.Helper()
	cfg, err := config.Parse("proof.yml", []byte(g.config))
	if err != nil {
		g.t.Fatal(err)
	}
	f := &cfg.Fleets[0]
	live := pipeline.LiveFleet{Config: f.Pipeline(), Record: f.Record, Judge: f.Judge()}
	if live.Document, _, err = f.Adopt(); err != nil {
		g.t.Fatal(err)
	}
	for _, topic := range f.Topics {
		live.Topics = append(live.Topics, cfg.Kafka.All()[0].Name+"/"+topic.Name)
	}
	return live
}

// ends are the ends of the request log's partitions.
func (g *group) ends() map[int32]int64 {
	g.t.Helper()
	listed, err := kadm.NewClient(g.client).ListEndOffsets(g.t.Context(), requestTopic)
	if err == nil {
		err = listed.Error()
	}
	if err != nil {
		g.t.Fatal(err)
	}
	ends := map[int32]int64{}
	for n, l := range listed[requestTopic] {
		ends[n] = l.Offset
	}
	return ends
}
