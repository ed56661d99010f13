package cloudwatch

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"
)

// request is what a call asks for.
type request struct {
	start, end time.Time
	token      string
	ascending  bool
	queries    []query
}

// query is one of it: a metric, or an expression.
type query struct {
	id, expression string
	shown          bool
	metric, name   string // as key makes it; and its name alone
	stat           string
	period         int64
}

// mostQueries is the limit of a call: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
const mostQueries = 500

func invalid(format string, args ...any) *failure {
	return &failure{Invalid, fmt.Sprintf(format, args...)}
}

// reader takes what it needs from CBOR; the first thing that is missing, or too much, is its failure.
type reader struct{ failed *failure }

func (r *reader) fail(f *failure) {
	if r.failed == nil {
		r.failed = f
	}
}

// of is a map whose members are known.
func (r *reader) of(v cbor.Value, known ...string) cbor.Map {
	m, ok := v.(cbor.Map)
	if !ok {
		r.fail(invalid("want a structure"))
	}
	for name := range m {
		if !slices.Contains(known, name) {
			r.fail(&failure{Unknown, "the member " + name})
		}
	}
	return m
}

func (r *reader) text(v cbor.Value) string {
	s, ok := v.(cbor.String)
	if !ok && v != nil {
		r.fail(invalid("want a text"))
	}
	return string(s)
}

func (r *reader) list(v cbor.Value) cbor.List {
	l, ok := v.(cbor.List)
	if !ok && v != nil {
		r.fail(invalid("want a list"))
	}
	return l
}

func (r *reader) time(v cbor.Value) time.Time {
	t, err := cbor.AsTime(v)
	if err != nil {
		r.fail(invalid("want a time: %v", err))
	}
	return t.UTC()
}

// read reads the input strictly.
func read(body []byte) (*request, *failure) {
	v, err := cbor.Decode(body)
	if err != nil {
		return nil, invalid("%v", err)
	}
	var r reader
	m := r.of(v, "StartTime", "EndTime", "NextToken", "ScanBy", "MetricDataQueries")
	in := &request{start: r.time(m["StartTime"]), end: r.time(m["EndTime"]), token: r.text(m["NextToken"]), ascending: r.text(m["ScanBy"]) == "TimestampAscending"}
	for _, v := range r.list(m["MetricDataQueries"]) {
		in.queries = append(in.queries, r.query(v))
	}
	r.judge(in)
	return in, r.failed
}

// query reads one.
func (r *reader) query(v cbor.Value) query {
	m := r.of(v, "Id", "Expression", "ReturnData", "Period", "MetricStat")
	q := query{id: r.text(m["Id"]), expression: r.text(m["Expression"]), shown: true}
	if shown, ok := m["ReturnData"].(cbor.Bool); ok {
		q.shown = bool(shown)
	}
	if m["MetricStat"] == nil {
		return q
	}
	stat := r.of(m["MetricStat"], "Metric", "Period", "Stat")
	metric := r.of(stat["Metric"], "Namespace", "MetricName", "Dimensions")
	dimensions := map[string]string{}
	for _, v := range r.list(metric["Dimensions"]) {
		d := r.of(v, "Name", "Value")
		dimensions[r.text(d["Name"])] = r.text(d["Value"])
	}
	q.name = r.text(metric["MetricName"])
	q.metric, q.stat = key(r.text(metric["Namespace"]), q.name, dimensions), r.text(stat["Stat"])
	if p, err := cbor.AsInt64(stat["Period"]); err == nil {
		q.period = p
	}
	return q
}

// judge refuses what CloudWatch refuses.
func (r *reader) judge(in *request) {
	switch {
	case len(in.queries) == 0 || len(in.queries) > mostQueries:
		r.fail(invalid("%d queries: want 1 to %d", len(in.queries), mostQueries))
	case !in.start.Before(in.end):
		r.fail(invalid("the end is not after the start"))
	}
	form := regexp.MustCompile(`^[a-z][A-Za-z0-9_]*$`)
	seen := map[string]bool{}
	for _, q := range in.queries {
		switch {
		case !form.MatchString(q.id) || seen[q.id]:
			r.fail(invalid("the id %q is not valid, or stands twice", q.id))
		case (q.expression == "") == (q.metric == ""):
			r.fail(invalid("%s: want an expression or a metric", q.id))
		case q.metric != "" && (q.period < 60 || q.period%60 != 0):
			r.fail(invalid("%s: a period of %d s", q.id, q.period))
		}
		seen[q.id] = true
	}
}
