package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap/zaptest"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/pipeline/registry"
	"firebreak/policy"
)

// framed is a topic whose records carry the id of their schema.
const framed = "framed"

// schemas are what the registry of the tests has, as it writes it.
var schemas = map[int]string{
	1: `{"schema":"{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"ts_ms\",\"type\":\"long\"},{\"name\":\"key\",\"type\":\"string\"},{\"name\":\"weight\",\"type\":\"long\"}]}"}`,
	2: `{"schemaType":"PROTOBUF","schema":"syntax = \"proto3\"; message R { int64 ts_ms = 1; string key = 2; int64 weight = 3; }","references":[]}`,
	3: `{"schemaType":"JSON","schema":"{\"type\":\"object\"}"}`,
	4: `{"schema":"{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"ts_ms\",\"type\":\"long\"},{\"name\":\"key\",\"type\":\"string\"},{\"name\":\"weight\",\"type\":\"long\"}]}","maxId":4}`,
}

// inFrame writes a record as Confluent's serializers do.
func inFrame(id int, ms int64, key string, weight int) []byte {
	b := binary.BigEndian.AppendUint32([]byte{0}, uint32(id))
	switch id {
	case 1, 4: // Avro: varints of zigzag, and texts behind their lengths
		b = binary.AppendVarint(b, ms)
		b = append(binary.AppendVarint(b, int64(len(key))), key...)
		return binary.AppendVarint(b, int64(weight))
	case 2: // Protobuf, behind the index of the message: the first
		b = binary.AppendUvarint(append(b, 0, 1<<3), uint64(ms))
		b = append(binary.AppendUvarint(append(b, 2<<3|2), uint64(len(key))), key...)
		return binary.AppendUvarint(append(b, 3<<3), uint64(weight))
	}
	return fmt.Appendf(b, `{"ts_ms":%d,"key":%q,"weight":%d}`, ms, key, weight)
}

// schooled is a scene with a second topic, of framed records, and their registry.
type schooled struct {
	*scene

	server *http.Server
	asked  int
	askMu  sync.Mutex
	number map[int64]float64 // requests of the framed fleet, by pane
	end    map[int32]int64
	counts tallies
	sights sights
}

// tallies keeps what was refused last said of the framed fleet, by member.
type tallies struct {
	noObserver

	mu      sync.Mutex
	refused []uint64
}

func (t *tallies) Counted(_, fleet string, _ *pipeline.Stats, refused []uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if fleet == framed {
		t.refused = slices.Clone(refused)
	}
}

func (t *tallies) of(why record.Reason) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.refused) == 0 {
		return 0
	}
	return t.refused[why]
}

// sights keeps until when each fleet was last blind because of what it could not count.
type sights struct {
	noSink

	mu    sync.Mutex
	blind map[string]time.Time
}

func (s *sights) Judged(j *pipeline.Judgement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.Decision.Blind && slices.ContainsFunc(j.Decision.Holds, func(h policy.Hold) bool { return h.Reason == policy.HoldPartial }) {
		s.blind[j.Snapshot.Fleet] = j.Now
	}
}

func school(t *testing.T, run func(t *testing.T, s *schooled)) {
	t.Helper()
	story(t, 2, func(t *testing.T, s *scene) {
		if err := s.cluster.CreateTopic(framed, 2, nil); err != nil {
			t.Fatal(err)
		}
		d := &schooled{scene: s, number: map[int64]float64{}, end: map[int32]int64{}, sights: sights{blind: map[string]time.Time{}}}
		run(t, d)
		d.down()
	})
}

// up starts the registry.
func (s *schooled) up() {
	s.t.Helper()
	l, err := s.net.Listen("tcp", "localhost:8081")
	if err != nil {
		s.t.Fatal(err)
	}
	s.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.askMu.Lock()
		s.asked++
		s.askMu.Unlock()
		id, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/schemas/ids/"))
		if text, ok := schemas[id]; ok {
			fmt.Fprint(w, text)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"error_code":40403,"message":"Schema %d not found"}`, id)
	})}
	go func(server *http.Server) {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.t.Error(err)
		}
	}(s.server)
}

// down ends it.
func (s *schooled) down() {
	if s.server != nil {
		_ = s.server.Close()
		s.server = nil
	}
}

// pupil starts a member that reads both topics.
func (s *schooled) pupil() *actor {
	return s.join(func(c *MemberConfig) {
		client, err := registry.NewClient(registry.Options{URLs: []string{"http://localhost:8081"}, Timeout: 5 * time.Second, Dial: s.net.DialContext})
		if err != nil {
			s.t.Fatal(err)
		}
		f := s.fleet()
		f.Fleet, f.Record, f.Topics = framed, record.Config{Preset: "canonical", Format: "confluent"}, []string{"main/" + framed}
		c.Fleets = append(c.Fleets, f)
		c.Start["main/"+framed] = time.Hour
		c.Clusters[0].Topics = append(c.Clusters[0].Topics, framed)
		c.Clusters[0].Schemas = registry.NewAsker(client, 0, zaptest.NewLogger(s.t))
		c.Observe, c.Sink = &s.counts, &s.sights
	})
}

// teach writes to both topics for a while: framed records of each of the ids, in turn, and plain ones.
func (s *schooled) teach(d time.Duration, ids ...int) {
	s.t.Helper()
	n := 0
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		s.write(5)
		var batch []*kgo.Record
		now := time.Now()
		for range 12 {
			id, weight := ids[n%len(ids)], 1+s.rng.IntN(9)
			n++
			value := inFrame(id, now.UnixMilli(), fmt.Sprintf("key-%d", s.rng.IntN(5)), weight)
			batch = append(batch, &kgo.Record{Topic: framed, Partition: s.rng.Int32N(2), Value: value})
			if _, known := schemas[id]; known {
				s.number[now.UnixNano()/int64(scenePane)] += float64(weight)
			}
		}
		for _, r := range s.client.ProduceSync(context.WithoutCancel(s.t.Context()), batch...) {
			if r.Err != nil {
				s.t.Fatal(r.Err)
			}
			s.end[r.Record.Partition] = max(s.end[r.Record.Partition], r.Record.Offset+1)
		}
	}
}

// passed is how many offsets of a topic a member has counted.
func (a *actor) passed(topic string) (offsets int64) {
	v := a.View()
	for p, progress := range v.Counted {
		for _, t := range v.Topics {
			if t.ID == p.Topic && t.Name == "main/"+topic {
				offsets += progress.To
			}
		}
	}
	return offsets
}

// sumsUp fails the test unless a member has all requests of the framed fleet, and has passed every offset.
func (s *schooled) sumsUp(a *actor) {
	s.t.Helper()
	a.mu.Lock()
	sum := 0.0
	for n := range 5 {
		answer, err := a.live.Ask(framed, nil, fmt.Appendf(nil, "key-%d", n))
		if err != nil {
			s.t.Fatal(err)
		}
		sum += answer.Estimate
	}
	first := a.live.View().Fleets[1].First
	a.mu.Unlock()
	want := 0.0
	for pane, n := range s.number {
		if pane >= first {
			want += n
		}
	}
	if sum != want || want == 0 {
		s.t.Errorf("%v requests of %v from pane %d on", sum, want, first)
	}
	if got, want := a.passed(framed), s.end[0]+s.end[1]; got != want {
		s.t.Errorf("counted to %d of %d offsets", got, want)
	}
}

// TestStoryRegistryComesLater: the registry is down when two members begin. Framed records wait and lose nothing, the other fleet
// does not; when the registry comes each is counted once, whoever counts, and ids that are none are refused.
func TestStoryRegistryComesLater(t *testing.T) {
	school(t, func(t *testing.T, s *schooled) {
		a := s.pupil()
		s.teach(12*time.Second, 1, 2, 3)
		if waits, plain := a.passed(framed), a.passed(requests); waits != 0 || plain < s.ends[0]+s.ends[1]-50 {
			t.Errorf("%d framed records passed, want none before there is a schema; %d of %d others", waits, plain, s.ends[0]+s.ends[1])
		}
		b := s.pupil()
		s.teach(8*time.Second, 1, 2, 3)
		s.up()
		s.teach(30*time.Second, 1, 2, 3)
		s.teach(30*time.Second, 1, 2, 3, 9) // of which there is no 9
		a.leave(t)
		s.teach(30*time.Second, 1, 2, 3)
		before := s.asked
		s.teach(30*time.Second, 1, 2, 3)
		s.askMu.Lock()
		if s.asked != before || before > 20 {
			t.Errorf("the registry was asked %d times, and %d times once all was known", before, s.asked-before)
		}
		s.askMu.Unlock()
		ends := s.ends
		s.ends = nil // partitions of two topics have the same numbers
		s.exact(b)
		if got, want := b.passed(requests), ends[0]+ends[1]; got != want {
			t.Errorf("%d of %d plain records", got, want)
		}
		s.sumsUp(b)
		if got := s.counts.of(record.ReasonNoSchema); got != 0 {
			t.Errorf("%d records were given up", got)
		}
		b.leave(t)
	})
}

// TestStoryRegistryStaysAway: a schema that comes up while the registry is away holds its partitions up for 30 s. Then its records
// are refused, which makes the fleet blind and nobody else; once the registry is back they are counted.
func TestStoryRegistryStaysAway(t *testing.T) {
	school(t, func(t *testing.T, s *schooled) {
		s.up()
		a := s.pupil()
		s.teach(time.Minute, 1, 2, 3)
		s.down()
		lost := time.Now()
		s.teach(3*time.Second, 1, 2, 3) // which are known
		time.Sleep(5 * time.Second)
		if got, want := a.passed(framed), s.end[0]+s.end[1]; got != want {
			t.Errorf("%d of %d records whose schema is known", got, want)
		}
		before := s.counts.of(record.ReasonNoSchema)
		s.teach(20*time.Second, 4, 1)
		if waits := s.end[0] + s.end[1] - a.passed(framed); waits < 200 {
			t.Errorf("only %d records wait for their schema", waits)
		}
		s.teach(2*time.Minute, 4, 1)
		time.Sleep(5 * time.Second)
		if got, want := a.passed(framed), s.end[0]+s.end[1]; got != want {
			t.Errorf("counted to %d of %d, want that nobody waits any more", got, want)
		}
		refused := s.counts.of(record.ReasonNoSchema) - before
		if refused == 0 {
			t.Error("no record was given up")
		}
		s.sights.mu.Lock()
		if at, other := s.sights.blind[framed], s.sights.blind["orders"]; !at.After(lost) || !other.IsZero() {
			t.Errorf("blind until %v, and the other fleet until %v; the registry is away since %v", at, other, lost)
		}
		s.sights.mu.Unlock()
		s.up()
		time.Sleep(time.Minute)
		s.number = map[int64]float64{}
		asOf := s.counts.of(record.ReasonNoSchema)
		s.teach(time.Minute, 4, 1)
		time.Sleep(time.Minute)
		if got := s.counts.of(record.ReasonNoSchema) - asOf; got != 0 {
			t.Errorf("%d records were given up with the registry back", got)
		}
		a.leave(t)
	})
}
