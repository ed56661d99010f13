package health

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	fake "firebreak/internal/fakes/cloudwatch"
	"firebreak/policy"
)

// account is a CloudWatch that is asked by the real SDK.
type account struct {
	t *testing.T
	*fake.Server

	url string
}

func newAccount(t *testing.T) *account {
	t.Helper()
	s := fake.New()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return &account{t, s, server.URL}
}

func (a *account) aws(region string) (aws.Config, error) {
	keys := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKIA", SecretAccessKey: "secret"}, nil
	})
	return aws.Config{Region: region, Credentials: keys, BaseEndpoint: aws.String(a.url)}, nil
}

// ago is the start of a whole minute that ended so many minutes ago.
func ago(minutes int) time.Time {
	return time.Now().Truncate(time.Minute).Add(-time.Duration(minutes+1) * time.Minute)
}

// rds puts a point of a database.
func (a *account) rds(name, database string, minutes int, value float64) {
	a.Put("AWS/RDS", name, map[string]string{"DBInstanceIdentifier": database}, fake.Point{At: ago(minutes), Value: value})
}

func rdsConfig(queries ...CloudQuery) Config {
	return Config{Sources: []SourceConfig{{Name: "rds", CloudWatch: &CloudWatch{
		Region: "eu-central-1", Namespace: "AWS/RDS", Dimensions: map[string]string{"DBInstanceIdentifier": "orders-" + shardMark}, Queries: queries,
	}}}}
}

func (a *account) ask(c Config, shards ...string) []Result {
	a.t.Helper()
	f, err := New(&c, "orders", shards, a.aws, nop())
	if err != nil {
		a.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(a.t.Context(), 10*time.Second)
	defer cancel()
	return f.sources[0].asker.ask(ctx)
}

// TestCloudWatch: of each shard the newest whole minute counts, a metric as it is, by its factor, or by an expression over several.
func TestCloudWatch(t *testing.T) {
	got, calls := askDatabases(t)
	want := []Result{
		{Metric: policy.MetricReplicaLag, Readings: []policy.Reading{{Shard: "a", Metric: policy.MetricReplicaLag, Value: 1}, {Shard: "b", Metric: policy.MetricReplicaLag, Value: 2}}},
		{Metric: policy.MetricStorage, Readings: []policy.Reading{{Shard: "a", Metric: policy.MetricStorage, Value: 0.75}, {Shard: "b", Metric: policy.MetricStorage, Value: 0.5}}},
		{Metric: policy.MetricUtilization, Readings: []policy.Reading{{Shard: "a", Metric: policy.MetricUtilization, Value: 0.4}, {Shard: "b", Metric: policy.MetricUtilization, Value: 0.8}}},
		{Metric: policy.MetricThrottled, Readings: []policy.Reading{{Shard: "a", Metric: policy.MetricThrottled, Value: 0.1}, {Shard: "b", Metric: policy.MetricThrottled, Value: 0.1}}},
		{Metric: policy.MetricDisk},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(calls) != 1 || calls[0].Queries != 2*(1+2+1+3+1) || calls[0].End.Sub(calls[0].Start) != lookBack || cmp.Diff([]string{"Maximum", "Average", "Sum"}, calls[0].Stats) != "" {
		t.Errorf("calls %+v", calls)
	}
}

// askDatabases asks for two of them, again should a minute begin meanwhile.
func askDatabases(t *testing.T) (got []Result, calls []fake.Call) {
	t.Helper()
	minute, a := ago(0), newAccount(t)
	for i, db := range []string{"orders-a", "orders-b"} {
		v := float64(i + 1)
		a.rds("ReplicaLag", db, 2, 9)
		a.rds("ReplicaLag", db, 1, v)
		a.rds("ReplicaLag", db, -1, 99) // of the minute that is not over
		a.rds("FreeStorageSpace", db, 1, v*25e9)
		a.rds("CPUUtilization", db, 1, 40*v)
		a.rds("Refused", db, 1, v)
		a.rds("Taken", db, 1, 9*v)
	}
	a.rds("DiskQueueDepth", "orders-a", 8, 1) // older than is asked for
	got = a.ask(rdsConfig(
		CloudQuery{Metric: Metric(policy.MetricReplicaLag), Name: "ReplicaLag", Stat: "Maximum"},
		CloudQuery{Metric: Metric(policy.MetricStorage), Name: "FreeStorageSpace", Expression: "1 - x / 100000000000"},
		CloudQuery{Metric: Metric(policy.MetricUtilization), Name: "CPUUtilization", Factor: 0.01},
		CloudQuery{Metric: Metric(policy.MetricThrottled), Of: map[string]CloudMetric{"r": {"Refused", "Sum"}, "t": {"Taken", "Sum"}}, Expression: "r / (r + t)"},
		CloudQuery{Metric: Metric(policy.MetricDisk), Name: "DiskQueueDepth"},
	), "a", "b")
	if !minute.Equal(ago(0)) {
		return askDatabases(t)
	}
	return got, a.Calls()
}

// TestCloudWatchMapped: only the names that are listed are asked for, and are the shards that they stand for; of several names of one
// shard all count.
func TestCloudWatchMapped(t *testing.T) {
	a := newAccount(t)
	a.rds("ReplicaLag", "orders-pg1", 1, 1)
	a.rds("ReplicaLag", "orders-pg2", 1, 2)
	c := rdsConfig(CloudQuery{Metric: Metric(policy.MetricReplicaLag), Name: "ReplicaLag"})
	c.Sources[0].Shards = map[string]string{"pg1": "a", "pg2": "a"}
	got := a.ask(c, "a", "b")
	if len(got[0].Readings) != 2 || got[0].Readings[0].Shard != "a" || got[0].Readings[1].Shard != "a" || a.Calls()[0].Queries != 2 {
		t.Errorf("%+v, %+v", got, a.Calls())
	}
}

// TestCloudWatchLimits: a large fleet is asked for in calls of at most 500 queries, none of which parts an expression from its metrics,
// and every page is read.
func TestCloudWatchLimits(t *testing.T) {
	a := newAccount(t)
	a.Page(50)
	var shards []string
	for i := range 300 {
		s := fmt.Sprintf("s%03d", i)
		shards = append(shards, s)
		for m := range 2 {
			a.rds("FreeStorageSpace", "orders-"+s, m, float64(i)*1000+float64(m))
		}
	}
	got := a.ask(rdsConfig(
		CloudQuery{Metric: Metric(policy.MetricRows), Name: "FreeStorageSpace"},
		CloudQuery{Metric: Metric(policy.MetricStorage), Name: "FreeStorageSpace", Expression: "x + 0"},
	), shards...)
	for _, r := range got {
		if r.Err != nil || len(r.Readings) != 300 {
			t.Fatalf("%s: %v, %d readings", r.Metric, r.Err, len(r.Readings))
		}
		for i, v := range r.Readings {
			if v.Shard != shards[i] || v.Value != float64(i)*1000 {
				t.Fatalf("%+v: want the newest of %s", v, shards[i])
			}
		}
	}
	var queries []int
	for _, c := range a.Calls() {
		if c.Token == "" {
			queries = append(queries, c.Queries)
		}
	}
	if diff := cmp.Diff([]int{499, 401}, queries); diff != "" || len(a.Calls()) < 20 {
		t.Errorf("%d calls, queries (-want +got):\n%s", len(a.Calls()), diff)
	}
}

// TestCloudWatchFails: what one metric fails of, or a call, is said in one line without secrets; the rest counts. A throttled call is
// tried again.
func TestCloudWatchFails(t *testing.T) {
	lag := CloudQuery{Metric: Metric(policy.MetricReplicaLag), Name: "ReplicaLag"}
	storage := CloudQuery{Metric: Metric(policy.MetricStorage), Name: "FreeStorageSpace"}
	for name, tt := range map[string]struct {
		breaks func(a *account)
		want   [2]string // of both queries; empty = it was answered
	}{
		"one metric":    {func(a *account) { a.Status("FreeStorageSpace", "InternalError") }, [2]string{"", "a: status InternalError"}},
		"forbidden":     {func(a *account) { a.Status("ReplicaLag", "Forbidden") }, [2]string{"a: status Forbidden", ""}},
		"denied":        {func(a *account) { a.Break(fake.Fault{Say: fake.AccessDenied}) }, [2]string{"AccessDenied: as the test", "AccessDenied: as the test"}},
		"once too many": {func(a *account) { a.Break(fake.Fault{Say: fake.Throttled}) }, [2]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			a.rds("ReplicaLag", "orders-a", 1, 1)
			a.rds("FreeStorageSpace", "orders-a", 1, 1)
			tt.breaks(a)
			for i, r := range a.ask(rdsConfig(lag, storage), "a") {
				if tt.want[i] == "" {
					if r.Err != nil || len(r.Readings) != 1 {
						t.Errorf("%s: %v, %d readings", r.Metric, r.Err, len(r.Readings))
					}
				} else if r.Err == nil || !strings.Contains(r.Err.Error(), tt.want[i]) || strings.Contains(r.Err.Error(), "\n") || len(r.Readings) > 0 {
					t.Errorf("%s: %v, %d readings, want %s", r.Metric, r.Err, len(r.Readings), tt.want[i])
				}
			}
		})
	}
}

// TestCloudWatchPageFails: the pages before the one that fails count, and what stood on it says why it is missing.
func TestCloudWatchPageFails(t *testing.T) {
	a := newAccount(t)
	a.Page(1)
	a.rds("ReplicaLag", "orders-a", 1, 1)
	a.rds("ReplicaLag", "orders-b", 1, 2)
	a.Break(fake.Fault{}, fake.Fault{Say: fake.AccessDenied})
	r := a.ask(rdsConfig(CloudQuery{Metric: Metric(policy.MetricReplicaLag), Name: "ReplicaLag"}), "a", "b")[0]
	if r.Err == nil || len(r.Readings) != 1 || r.Readings[0].Shard != "a" {
		t.Errorf("%v, %+v", r.Err, r.Readings)
	}
}

// TestCloudWatchCannot: what it could never ask is told when it is made.
func TestCloudWatchCannot(t *testing.T) {
	a := newAccount(t)
	c := rdsConfig(CloudQuery{Metric: Metric(policy.MetricReplicaLag), Name: "ReplicaLag"})
	if _, err := New(&c, "orders", nil, a.aws, nop()); err == nil || !strings.Contains(err.Error(), "source rds: shards: the log names them") {
		t.Errorf("no shards: %v", err)
	}
	c.Sources[0].CloudWatch.Region = ""
	if _, err := New(&c, "orders", []string{"a"}, a.aws, nop()); err == nil || !strings.Contains(err.Error(), "source rds: region") {
		t.Errorf("no region: %v", err)
	}
	if _, err := New(&c, "orders", []string{"a"}, nil, nop()); err == nil {
		t.Error("no AWS")
	}
}
