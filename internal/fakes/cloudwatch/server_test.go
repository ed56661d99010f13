package cloudwatch

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/google/go-cmp/cmp"
)

// noon is a minute of the tests.
func noon(minute int) time.Time { return time.Date(2026, 3, 2, 12, minute, 0, 0, time.UTC) }

// client is the real SDK in front of a server.
func client(t *testing.T, s *Server) *cloudwatch.Client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	keys := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKIA", SecretAccessKey: "secret"}, nil
	})
	return cloudwatch.New(cloudwatch.Options{Region: "eu-central-1", Credentials: keys, BaseEndpoint: aws.String(server.URL), RetryMaxAttempts: 1})
}

func metric(id, name string) types.MetricDataQuery {
	return types.MetricDataQuery{Id: aws.String(id), MetricStat: &types.MetricStat{
		Metric: &types.Metric{Namespace: aws.String("N"), MetricName: aws.String(name), Dimensions: []types.Dimension{{Name: aws.String("D"), Value: aws.String("v")}}},
		Stat:   aws.String("Average"), Period: aws.Int32(60),
	}}
}

func expression(id, text string) types.MetricDataQuery {
	return types.MetricDataQuery{Id: aws.String(id), Expression: aws.String(text), Period: aws.Int32(60)}
}

func ask(token *string, queries ...types.MetricDataQuery) *cloudwatch.GetMetricDataInput {
	return &cloudwatch.GetMetricDataInput{StartTime: aws.Time(noon(0)), EndTime: aws.Time(noon(5)), MetricDataQueries: queries, NextToken: token}
}

// TestPages: whatever the size of a page, all pages together are the whole answer, each point once, the newest first.
func TestPages(t *testing.T) {
	for page := range 9 {
		s := New()
		api := client(t, s)
		s.Page(page)
		dimensions := map[string]string{"D": "v"}
		for m := range 6 { // the last is outside of what is asked for
			s.Put("N", "a", dimensions, Point{noon(m), float64(m)})
		}
		s.Put("N", "b", dimensions, Point{noon(1), 0}, Point{noon(2), 4})
		got := map[string][]float64{}
		var token *string
		for n := 1; ; n++ {
			out, err := api.GetMetricData(t.Context(), ask(token, metric("a", "a"), metric("none", "none"), metric("b", "b"), expression("e", "(a - 1) * 3 / b + 1"), expression("f", "FILL(b, 7) + 10 * a")))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range out.MetricDataResults {
				got[*r.Id] = append(got[*r.Id], r.Values...)
			}
			if token = out.NextToken; token == nil {
				break
			}
			if n > 20 {
				t.Fatal("the pages do not end")
			}
		}
		want := map[string][]float64{"a": {4, 3, 2, 1, 0}, "none": nil, "b": {4, 0}, "e": {1.75}, "f": {47, 37, 24, 10, 7}}
		for id, values := range want {
			if diff := cmp.Diff(values, got[id]); diff != "" {
				t.Errorf("pages of %d: %s (-want +got):\n%s", page, id, diff)
			}
		}
	}
}

// TestRefuses: what CloudWatch refuses, and what the server does not know.
func TestRefuses(t *testing.T) {
	s := New()
	api := client(t, s)
	var many []types.MetricDataQuery
	for i := range mostQueries + 1 {
		many = append(many, metric(fmt.Sprintf("m%d", i), "a"))
	}
	short := metric("a", "a")
	short.MetricStat.Period = aws.Int32(30)
	unit := metric("a", "a")
	unit.MetricStat.Unit = types.StandardUnitSeconds
	backwards := ask(nil, metric("a", "a"))
	backwards.EndTime = backwards.StartTime
	for want, in := range map[string]*cloudwatch.GetMetricDataInput{
		"501 queries":                ask(nil, many...),
		"0 queries":                  ask(nil, []types.MetricDataQuery{}...),
		"not valid, or stands twice": ask(nil, metric("a", "a"), metric("a", "b")),
		`id "A" is not valid`:        ask(nil, metric("A", "a")),
		`there is no metric "q"`:     ask(nil, expression("e", "q + 1")),
		"want )":                     ask(nil, expression("e", "(1")),
		"unread: )":                  ask(nil, expression("e", "1)")),
		"want FILL(metric, number)":  ask(nil, expression("e", "FILL(1, x)")),
		"a period of 30 s":           ask(nil, short),
		"the member Unit":            ask(nil, unit),
		"the end is not after":       backwards,
		"the token is not valid":     ask(aws.String("x"), metric("a", "a")),
	} {
		if in.MetricDataQueries == nil {
			in.MetricDataQueries = []types.MetricDataQuery{}
		}
		if _, err := api.GetMetricData(t.Context(), in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, fault := range []string{Throttled, AccessDenied, Internal} {
		s.Break(Fault{Say: fault})
		if _, err := api.GetMetricData(t.Context(), ask(nil, metric("a", "a"))); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%v, want %s", err, fault)
		}
	}
	for _, call := range s.Calls() {
		if call.Error == "" {
			t.Errorf("%+v was answered", call)
		}
	}
}

// TestWire: what is not a signed call of the protocol is none.
func TestWire(t *testing.T) {
	for name, change := range map[string]func(*http.Request){
		"another path":     func(r *http.Request) { r.URL.Path = "/" },
		"another protocol": func(r *http.Request) { r.Header.Set("Smithy-Protocol", "rpc-v2-json") },
		"not signed":       func(r *http.Request) { r.Header.Del("Authorization") },
		"no CBOR":          func(*http.Request) {},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, bytes.NewReader([]byte{0xff}))
		r.Header.Set("Smithy-Protocol", "rpc-v2-cbor")
		r.Header.Set("Content-Type", "application/cbor")
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIA")
		change(r)
		w := httptest.NewRecorder()
		if New().ServeHTTP(w, r); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}
