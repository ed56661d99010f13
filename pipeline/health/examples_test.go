package health_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"firebreak/internal/config"
	"firebreak/internal/fakes/cloudwatch"
	"firebreak/pipeline/health"
)

// example is a fleet of docs/health.md.
func example(t *testing.T, name string) *config.Fleet {
	t.Helper()
	text, err := os.ReadFile("../../docs/health.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
		c, err := config.Parse("health.md", block[1])
		if err != nil {
			t.Fatal(err)
		}
		if c.Fleets[0].Name == name {
			return &c.Fleets[0]
		}
	}
	t.Fatalf("there is no example %s", name)
	return nil
}

// checked is what doctor says of a fleet, a line for each query.
func checked(t *testing.T, f *config.Fleet, from health.AWS) (lines []string) {
	t.Helper()
	doc, _, err := f.Adopt()
	if err != nil {
		t.Fatal(err)
	}
	of, err := health.New(&f.Health, f.Name, config.ClosedShards(doc), from, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for _, c := range of.Check(ctx) {
		line := fmt.Sprintf("%s %s: %s", c.Source, c.Metric, c.Detail)
		if c.Err != nil {
			line += c.Err.Error()
		}
		lines = append(lines, line)
	}
	return lines
}

// TestExamplesOnCloudWatch: the examples of RDS and DynamoDB read what they say, by the real SDK.
func TestExamplesOnCloudWatch(t *testing.T) {
	s := cloudwatch.New()
	server := httptest.NewServer(s)
	defer server.Close()
	from := func(region string) (aws.Config, error) {
		keys := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKIA", SecretAccessKey: "secret"}, nil
		})
		return aws.Config{Region: region, Credentials: keys, BaseEndpoint: aws.String(server.URL)}, nil
	}
	minute := time.Now().Truncate(time.Minute).Add(-2 * time.Minute)
	put := func(namespace, name string, value float64, dimensions ...string) {
		of := map[string]string{}
		for i := 0; i < len(dimensions); i += 2 {
			of[dimensions[i]] = dimensions[i+1]
		}
		s.Put(namespace, name, of, cloudwatch.Point{At: minute, Value: value})
	}
	for i, db := range []string{"ledger-db-0", "ledger-db-1"} {
		v := float64(i + 1)
		put("AWS/RDS", "CPUUtilization", 30*v, "DBInstanceIdentifier", db)
		put("AWS/RDS", "FreeStorageSpace", v*float64(25<<30), "DBInstanceIdentifier", db)
		put("AWS/RDS", "DatabaseConnections", 100*v, "DBInstanceIdentifier", db)
		put("AWS/RDS", "ReplicaLag", v/4, "DBInstanceIdentifier", db)
	}
	want := []string{
		"rds utilization: 2 of 2 shards, 0.3 to 0.6", "rds storage: 2 of 2 shards, 0.5 to 0.75",
		"rds connection_pool: 2 of 2 shards, 0.2 to 0.4", "rds replica_lag: 2 of 2 shards, 0.25 to 0.5 s",
	}
	if diff := cmp.Diff(want, checked(t, example(t, "ledger"), from)); diff != "" {
		t.Errorf("RDS (-want +got):\n%s", diff)
	}
	for _, table := range []string{"carts-0", "carts-1"} {
		put("AWS/DynamoDB", "ConsumedWriteCapacityUnits", 120000, "TableName", table)
		put("AWS/DynamoDB", "SuccessfulRequestLatency", 12, "TableName", table, "Operation", "PutItem")
	}
	put("AWS/DynamoDB", "WriteThrottleEvents", 30000, "TableName", "carts-1")
	want = []string{"tables utilization: 2 of 2 shards, 0.5 to 0.5", "tables throttled: 2 of 2 shards, 0 to 0.2", "puts latency_p99: 2 of 2 shards, 0.012 to 0.012 s"}
	if diff := cmp.Diff(want, checked(t, example(t, "carts"), from)); diff != "" {
		t.Errorf("DynamoDB (-want +got):\n%s", diff)
	}
}

// TestRights: the policy of deploy/iam allows the one call that is made, and no other.
func TestRights(t *testing.T) {
	b, err := os.ReadFile("../../deploy/iam/health.json")
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Version   string
		Statement []struct {
			Sid, Effect string
			Action      []string
			Resource    string
		}
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		t.Fatal(err)
	}
	// GetMetricData knows no resources: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html
	if len(p.Statement) != 1 || p.Statement[0].Effect != "Allow" || strings.Join(p.Statement[0].Action, " ") != "cloudwatch:GetMetricData" || p.Statement[0].Resource != "*" {
		t.Errorf("%+v", p)
	}
}
