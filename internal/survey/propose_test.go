package survey

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/internal/config"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// sampled makes a sample of one file.
func sampled(t testing.TB, text string) *Sample {
	t.Helper()
	s := NewSample(Limit{}, 1)
	if err := s.Add("log", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return s
}

func proposed(t testing.TB, text string) *Proposal {
	t.Helper()
	p, err := Propose(sampled(t, text), "orders")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// request is one line of a drawn log.
type request struct {
	at                  time.Time
	tenant, item, shard int
	op                  string
	n                   int
}

// drawn writes n requests in a form; tenants own their items, and an item lives on one shard.
func drawn(n int, header string, form func(r request) string) string {
	random := rand.New(rand.NewPCG(7, 11))
	at := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	var b strings.Builder
	b.WriteString(header)
	for i := range n {
		item := min(random.IntN(400), random.IntN(400))
		r := request{at: at, tenant: item % 40, item: item, shard: item % 8, op: []string{"GET", "GET", "PUT"}[random.IntN(3)], n: i}
		at = at.Add(time.Duration(random.IntN(300)) * time.Millisecond)
		b.WriteString(form(r) + "\n")
	}
	return b.String()
}

// guessed is what a proposal comes to, as far as a case says it.
type guessed struct {
	Record    record.Config
	Placement config.Placement
	Sampling  policy.Sampling
	Decide    string // the entry of the line to decide
}

func byKey() config.Placement { return config.Placement{Bytes: "key", Function: routing.XXH64} }

func getPut() []record.OpRule {
	return []record.OpRule{{Value: "GET", Op: "read"}, {Value: "PUT", Op: "write"}}
}

// field is a place without more.
func field(path string) record.Field { return record.Field{Path: path} }

// proposal is a log and what it should be read as.
type proposal struct {
	name, header string
	form         func(r request) string
	want         guessed
	checks       []string // parts of what is to be checked, one each; nil = not counted
}

// unix is seconds since 1970.
func unix(r request) float64 { return float64(r.at.UnixMilli()) / 1000 }

// nestedCases are logs that are objects or pairs.
func nestedCases() []proposal {
	yes := true
	return []proposal{
		{
			name: "nested JSON with a trace id, a retry count and a level",
			form: func(r request) string {
				return fmt.Sprintf(`{"level":"info","ctx":{"traceId":"%016x","org":"o-%d"},"http":{"method":"%s","url":"/items/%d?page=%d","statusCode":200},"time":"%s","retry_count":%d,"durationMs":%d,"tags":["a"],"ok":true}`,
					r.n, r.tenant, r.op, r.item, r.n%3, r.at.Format(time.RFC3339Nano), r.n%2+1, 3+r.n%5)
			},
			want: guessed{
				Record: record.Config{
					Format: "json", Time: record.TimeConfig{Layout: "RFC3339"}, Ops: getPut(), StripQuery: &yes, LatencyUnit: "ms",
					Fields: record.Fields{
						Time: field("time"), Tenant: field("ctx.org"), Key: field("http.url"), Op: field("http.method"), Latency: field("durationMs"), Status: field("http.statusCode"),
					},
				},
				Placement: byKey(), Decide: "shards: 16",
			},
			checks: []string{"none, independent or by_trace", `"retry_count" looks like a count`},
		},
		{
			name: "logfmt, one in 100 on every line, tenant in the key",
			form: func(r request) string {
				return fmt.Sprintf(`t=%d verb=%s key="tenant:t%d:item:%d" sample_rate=100 took=0.%03d`, r.at.UnixMilli(), r.op, r.tenant, r.item, 1+r.n%900)
			},
			want: guessed{
				Record: record.Config{
					Format: "logfmt", Time: record.TimeConfig{Unit: "ms"}, Ops: getPut(), Rate: 0.01, LatencyUnit: "s",
					Fields: record.Fields{
						Time: field("t"), Op: field("verb"), Key: field("key"), Latency: field("took"),
						Tenant: record.Field{Path: "key", Regex: `^(?:t|tenant|org|account|acct|customer|shop|workspace|project|team)[:=/|]([^:/|]+)[:/|]`},
					},
				},
				Placement: byKey(), Decide: "shards: 16",
			},
			checks: []string{"none, independent or by_trace", "is this part of the key the tenant?", "no name says the unit"},
		},
		{
			name: "days before months, dashes for nothing, two names of one field",
			form: func(r request) string {
				name := []string{"uri", "path"}[r.n%2]
				return fmt.Sprintf(`{"when":"%s","customer":"%s","%s":"/p/%d","bytes":%d}`, r.at.AddDate(0, 0, 20).Format("02/01/2006 15:04:05"),
					[]string{"-", fmt.Sprint("c", r.tenant)}[min(1, r.n%5)], name, r.item, 40+r.n%9)
			},
			want: guessed{
				Record: record.Config{
					Format: "json", Time: record.TimeConfig{Layout: dayFirst}, Absent: []string{"-"},
					Fields: record.Fields{
						Time: field("when"), Tenant: field("customer"), Key: record.Field{Path: "uri", Or: []string{"path"}}, Bytes: field("bytes"),
					},
				},
				Placement: byKey(), Decide: "shards: 16",
			},
			checks: []string{"none, independent or by_trace", "no zone is logged"},
		},
		{
			name: "the request line of HTTP holds key and op",
			form: func(r request) string {
				return fmt.Sprintf(`{"ts":"%s","client_ip":"10.0.0.%d","request":"%s /a/%d?x=1 HTTP/1.1"}`, r.at.Format(time.RFC3339), r.tenant, r.op, r.item)
			},
			want: guessed{
				Record: record.Config{
					Format: "json", Time: record.TimeConfig{Layout: "RFC3339"}, Ops: getPut(),
					Fields: record.Fields{
						Time: field("ts"), Tenant: field("client_ip"), Key: record.Field{Path: "request", Regex: `^[A-Z]+ ([^ ?]+)`},
						Op: record.Field{Path: "request", Regex: `^([A-Z]+) `},
					},
				},
				Placement: byKey(), Decide: "shards: 16",
			},
			checks: []string{"none, independent or by_trace"},
		},
	}
}

// tableCases are tables, with a header and without.
func tableCases() []proposal {
	return []proposal{
		{
			name: "CSV that names shard, rate and count", header: "timestamp,account_id,cache_key,command,shard,sample_rate,op_count\n",
			form: func(r request) string {
				return fmt.Sprintf("%.3f,%d,item:%d,%s,s%d,0.01,%d", unix(r), r.tenant, r.item, r.op, r.shard, 1+r.n%4)
			},
			want: guessed{
				Record: record.Config{
					Format: "csv", Time: record.TimeConfig{Unit: "s"}, Ops: getPut(),
					Fields: record.Fields{
						Time: field("timestamp"), Tenant: field("account_id"), Key: field("cache_key"), Op: field("command"), Shard: field("shard"),
						Rate: field("sample_rate"), Count: field("op_count"),
					},
				},
				Placement: config.Placement{Map: routing.Explicit},
			},
			checks: []string{"none, independent or by_trace"},
		},
		{
			name: "the node is the shard if keys stay on it", header: "ts,node,key\n",
			form: func(r request) string { return fmt.Sprintf("%d,db-%d,item:%d", r.at.UnixMicro(), r.shard, r.item) },
			want: guessed{
				Record: record.Config{
					Format: "csv", Time: record.TimeConfig{Unit: "us"}, Fields: record.Fields{Time: field("ts"), Key: field("key"), Shard: field("node")},
				},
				Placement: config.Placement{Map: routing.Explicit}, Decide: "placement: {map: explicit}",
			},
			checks: []string{"none, independent or by_trace"},
		},
		{
			name: "a node that was chosen at random is no shard", header: "ts,node,key\n",
			form: func(r request) string { return fmt.Sprintf("%d,web-%d,item:%d", r.at.UnixNano(), r.n%8, r.item) },
			want: guessed{
				Record:    record.Config{Format: "csv", Time: record.TimeConfig{Unit: "ns"}, Fields: record.Fields{Time: field("ts"), Key: field("key")}},
				Placement: byKey(), Decide: "shards: 16",
			},
			checks: []string{"none, independent or by_trace"},
		},
		{
			name: "TSV without a header",
			form: func(r request) string {
				return fmt.Sprintf("%s\tc%d\t%s\titem/%d\t%d", r.at.Format("2006-01-02 15:04:05"), r.tenant, r.op, r.item, 100+r.n%7)
			},
			want: guessed{
				Record: record.Config{
					Format: "tsv", NoHeader: true, Time: record.TimeConfig{Layout: "2006-01-02 15:04:05"}, Ops: getPut(),
					Fields: record.Fields{Time: field("1"), Tenant: field("2"), Op: field("3"), Key: field("4")},
				},
				Placement: byKey(), Decide: "shards: 16",
			},
		},
		{
			name: "verbs that begin words, one that nobody knows, and a rate of 1", header: "ts,user,key,op,rate\n",
			form: func(r request) string {
				return fmt.Sprintf("%d,u%d,k%d,%s,1", r.at.Unix(), r.tenant, r.item, []string{"getChunk.A", "getChunk.B", "putChunk.A", "defrag"}[r.n%4])
			},
			want: guessed{
				Record: record.Config{
					Format: "csv", Time: record.TimeConfig{Unit: "s"},
					Fields: record.Fields{Time: field("ts"), Tenant: field("user"), Key: field("key"), Op: field("op"), Rate: field("rate")},
					Ops: []record.OpRule{
						{Value: "defrag", Op: "unknown"}, {Pattern: "^get([^a-z]|$)", Op: "read"}, {Pattern: "^put([^a-z]|$)", Op: "write"},
					},
				},
				Placement: byKey(), Sampling: policy.SamplingNone, Decide: "shards: 16",
			},
			checks: []string{"25 % of the lines: read or write?"},
		},
	}
}

// presetCases are logs that have the names of a preset.
func presetCases() []proposal {
	return []proposal{
		{
			name: "Envoy's JSON",
			form: func(r request) string {
				return fmt.Sprintf(`{"start_time":"%s","method":"%s","path":"/i/%d","response_code":200,"bytes_sent":12,"duration":3,"downstream_remote_address":"10.0.0.%d:%d"}`,
					r.at.Format(time.RFC3339), r.op, r.item, r.tenant, 4000+r.n)
			},
			want:   guessed{Record: record.Config{Preset: "envoy-json", Ops: getPut()}, Placement: byKey(), Decide: "shards: 16"},
			checks: []string{"none, independent or by_trace"},
		},
		{
			name: "nginx' JSON with a time of its own",
			form: func(r request) string {
				return fmt.Sprintf(`{"msec":"%.3f","remote_addr":"10.0.0.%d","request_method":"%s","request_uri":"/i/%d","status":"200","request_time":"0.004"}`,
					unix(r), r.tenant, r.op, r.item)
			},
			want: guessed{
				Record:    record.Config{Preset: "nginx-json", Ops: getPut(), Time: record.TimeConfig{Unit: "s"}, Fields: record.Fields{Time: field("msec")}},
				Placement: byKey(), Decide: "shards: 16",
			},
			checks: []string{"none, independent or by_trace"},
		},
		{
			name: "the canonical names in JSON",
			form: func(r request) string {
				return fmt.Sprintf(`{"ts_ms":%d,"tenant":"t%d","key":"k%d","op":"%s","weight":2,"rate":0.5}`, r.at.UnixMilli(), r.tenant, r.item, r.op)
			},
			want:   guessed{Record: record.Config{Preset: "canonical", Format: "json", Ops: getPut()}, Placement: byKey(), Decide: "shards: 16"},
			checks: []string{"none, independent or by_trace"},
		},
	}
}

// TestPropose: logs of many forms, and what they should be read as.
func TestPropose(t *testing.T) {
	for _, tt := range slices.Concat(nestedCases(), tableCases(), presetCases()) {
		t.Run(tt.name, func(t *testing.T) { tt.run(t) })
	}
}

func (tt *proposal) run(t *testing.T) {
	t.Helper()
	log := drawn(800, tt.header, tt.form)
	p := proposed(t, log)
	base := record.Default()
	if tt.want.Record.Rate == 0 {
		tt.want.Record.Rate = base.Rate
	}
	tt.want.Record.MaxLine = base.MaxLine
	got := guessed{Record: p.Fleet.Record, Placement: p.Fleet.Placement, Sampling: p.Fleet.Sampling}
	if p.Decide != nil {
		got.Decide = p.Decide.Entry
	}
	if diff := cmp.Diff(tt.want, got); diff != "" {
		t.Errorf("want (-), got (+): %s\n%s", diff, p.YAML)
	}
	if p.Read != 800 || p.Lines != 800 {
		t.Errorf("%d of %d lines are read", p.Read, p.Lines)
	}
	for _, want := range tt.checks {
		if !strings.Contains(checksOf(p), want) {
			t.Errorf("nothing to check says %q:\n%s", want, checksOf(p))
		}
	}
	if tt.checks != nil && len(p.Checks) != len(tt.checks) {
		t.Errorf("%d lines to check, want %d:\n%s", len(p.Checks), len(tt.checks), checksOf(p))
	}
	if again := proposed(t, log); !bytes.Equal(p.YAML, again.YAML) {
		t.Errorf("the same log gives another proposal")
	}
}

func checksOf(p *Proposal) string {
	var b strings.Builder
	for _, c := range p.Checks {
		fmt.Fprintf(&b, "%d: %s: %s\n", c.Line, c.Entry, c.Text)
	}
	return b.String()
}

// TestRatesThatAreNotMapped: one in so many beside a count, and the same probability on every line, are said to be left out.
func TestRatesThatAreNotMapped(t *testing.T) {
	checks := checksOf(proposed(t, drawn(200, "", func(r request) string {
		return fmt.Sprintf(`{"time":%d,"url":"/item/%d","client":"c%d","method":"GET","num_requests":%d,"sampleRate":%d,"sampled_fraction":0.1}`,
			r.at.UnixMilli(), r.item, r.tenant, 1+r.n%5, 10+90*(r.n%2))
	})))
	for _, want := range []string{`"num_requests" counts already: it is not mapped`, `"sampled_fraction" looks like a sampling rate`} {
		if !strings.Contains(checks, want) {
			t.Errorf("no word of %q in\n%s", want, checks)
		}
	}
}

// TestNamesOfMessages: a member that is called like a part of a Kafka message is proposed as a member.
func TestNamesOfMessages(t *testing.T) {
	log := drawn(400, "", func(r request) string {
		return fmt.Sprintf(`{"@time":%d,"@key":"/item/%d","@header":{"tenant":"t%d"},"method":"%s"}`, r.at.UnixMilli(), r.item, r.tenant, r.op)
	})
	p := proposed(t, log)
	want := record.Fields{Time: field(`\@time`), Tenant: field(`\@header.tenant`), Key: field(`\@key`), Op: field("method")}
	if diff := cmp.Diff(want, p.Fleet.Record.Fields); diff != "" || p.Read != 400 {
		t.Errorf("%d lines are read; want (-), got (+): %s\n%s", p.Read, diff, p.YAML)
	}
	c, err := config.Parse("proposed.yml", p.YAML)
	if err != nil || !cmp.Equal(c.Fleets[0].Record.Fields, want) {
		t.Errorf("what is proposed does not read back: %v\n%s", err, p.YAML)
	}
}
