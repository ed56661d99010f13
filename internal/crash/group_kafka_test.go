//go:build kafka && linux

package crash

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
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
webhooks: [{name: pager, url: %q, secret: a-secret-of-sixteen-bytes}]
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

// keepFlag is where what a run left behind is kept: logs of processes, and our topics as JSON lines.
var keepFlag = flag.String("keep", "", "folder for the logs of the processes and the entries of our topics")

// keep writes an entry of a topic of ours into a file, if it is to be kept.
func (r *topicReader) keep(e *kafka.Entry) error {
	if r.kept == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = r.kept.Write(append(line, '\n'))
	}
	return err
}

// topicReader reads one of our topics from its beginning, up to its end as often as it is asked.
type topicReader struct {
	log  *kafka.Log
	next int64
	kept *os.File // nil = nothing is kept
}

func (g *group) open(topic string) *topicReader {
	g.t.Helper()
	l, err := kafka.OpenLog(g.opts, topic, 0)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(l.Close)
	r := &topicReader{log: l}
	if *keepFlag != "" {
		if r.kept, err = os.CreateTemp(*keepFlag, topic+"-*.jsonl"); err != nil {
			g.t.Fatal(err)
		}
		g.t.Cleanup(func() { r.kept.Close() })
	}
	return r
}

// errAtEnd ends reading.
var errAtEnd = errors.New("at the end")

// read reads up to the end as it is now.
func (r *topicReader) read(ctx context.Context, fn func(kafka.Entry) error) error {
	end, err := r.log.End(ctx)
	if err != nil || r.next >= end {
		return err
	}
	err = r.log.Follow(ctx, kafka.At(r.next), func(e kafka.Entry) error {
		if err := errors.Join(r.keep(&e), fn(e)); err != nil {
			return err
		}
		r.next = e.Offset + 1
		if r.next >= end {
			return errAtEnd
		}
		return nil
	})
	if errors.Is(err, errAtEnd) {
		return nil
	}
	return err
}

// counted reads the log of deltas until all that was written is counted and complete, or for a time.
func (g *group) counted(c *Counted, from *topicReader, last int64, ends map[int32]int64, within time.Duration) {
	g.t.Helper()
	for deadline := time.Now().Add(within); ; {
		if err := from.read(g.t.Context(), func(e kafka.Entry) error { return c.Apply(e.Offset, e.Time, e.Value) }); err != nil {
			g.t.Fatal(err)
		}
		if c.Done(last, ends) || time.Now().After(deadline) {
			return
		}
		time.Sleep(time.Second)
	}
}

// journal reads the journal.
func (g *group) journal() *Journal {
	g.t.Helper()
	j := NewJournal()
	err := g.open(kafka.JournalTopic(groupName)).read(g.t.Context(), func(e kafka.Entry) error {
		j.Apply(e.Time, e.Value)
		return nil
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return j
}
