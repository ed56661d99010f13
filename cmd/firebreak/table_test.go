package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/big"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/dynamo"
)

// tableRig is a DynamoDB that the command reaches by its flags, and signs for by the environment.
func tableRig(t *testing.T) (server *fake.Server, endpoint string) {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-west-1", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
	} {
		t.Setenv(name, value)
	}
	server = fake.New(time.Now)
	socket := httptest.NewServer(server)
	t.Cleanup(socket.Close)
	return server, socket.URL
}

// createdTable runs the command and gives its code and what it said.
func createdTable(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	return asTable(t, append([]string{"create"}, args...)...)
}

func asTable(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	err := run(t.Context(), append([]string{"table"}, args...), nil, &out, &errs)
	said = out.String() + errs.String()
	if err != nil {
		said += err.Error() + "\n"
	}
	return exitCode(err), said
}

// TestTableCreate makes a table, adopts a fleet, and changes nothing when it is run again.
func TestTableCreate(t *testing.T) {
	server, endpoint := tableRig(t)
	code, said := createdTable(t, "--table", "firebreak", "--endpoint", endpoint, "--fleet", "orders", "--from", "md5:32")
	want := "table firebreak: created, billed on demand, with point-in-time recovery\n" +
		"fleet orders: adopted as version 1: md5 of key mod 32, 10240 virtual shards, 0 keys moved\n"
	if code != exitOK || said != want || !server.Backups("firebreak") {
		t.Fatalf("code %d:\n%s", code, said)
	}
	code, said = createdTable(t, "--table", "firebreak", "--endpoint", endpoint, "--fleet", "orders", "--from", "md5:64")
	want = "table firebreak: it is there and has the right keys\n" +
		"fleet orders: table firebreak has another state of it, at epoch 0, version 1: md5 of key, mod-n, mod 32, and not md5 of key, mod-n, mod 64 " +
		"(placement: the base map differs, and keys lie by it); nothing was changed\n"
	if code != exitError || said != want {
		t.Errorf("again: code %d:\n%s", code, said)
	}
	source, err := dynamo.OpenSource(dynamo.Client(aws.Config{
		Region: "eu-west-1", Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}),
	}, endpoint), dynamo.Config{Table: "firebreak", Fleet: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := source.Document(t.Context(), control.Head{Version: 1})
	if err != nil {
		t.Fatal(err)
	}
	places, err := routing.NewTable(d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 { // as int(hexdigest, 16) % 32 says
		key := fmt.Sprintf("user:%d", i)
		digest := md5.Sum([]byte(key))
		sum, _ := new(big.Int).SetString(hex.EncodeToString(digest[:]), 16)
		want := routing.ShardID(new(big.Int).Mod(sum, big.NewInt(32)).Int64())
		if got := places.Owner(places.VShard(nil, []byte(key))); got != want {
			t.Fatalf("%s lies on %d, and lay on %d", key, got, want)
		}
	}
}

// TestTableHome: a fleet's home is the region that it was adopted in, which is said where the table is replicated; it is moved where the old
// one is named, by a person who means it.
func TestTableHome(t *testing.T) {
	server, endpoint := tableRig(t)
	if code, said := createdTable(t, "--table", "t", "--endpoint", endpoint); code != exitOK {
		t.Fatal(said)
	}
	server.Describe("t", "Replicas", []map[string]string{{"RegionName": "us-east-1"}})
	code, said := createdTable(t, "--table", "t", "--endpoint", endpoint, "--fleet", "f", "--from", "xxh64:4", "--bytes", "{tenant}:{key}")
	want := "table t: it is there and has the right keys\n" +
		"fleet f: adopted as version 1: xxh64 of {tenant}:{key} mod 4, 10240 virtual shards, 0 keys moved\n" +
		"fleet f: its home is eu-west-1: the table is replicated, and only there the fleet is written\n"
	if code != exitOK || said != want {
		t.Errorf("code %d:\n%s", code, said)
	}
	home := func(args ...string) (int, string) {
		return asTable(t, append([]string{"home", "--table", "t", "--endpoint", endpoint, "--fleet", "f", "--region", "us-east-1"}, args...)...)
	}
	for _, c := range []struct {
		args []string
		code int
		said string
	}{
		{nil, exitUsage, "--from is missing"},
		{[]string{"--from", "eu-west-1"}, exitOK, `its home is "eu-west-1" by the copy of us-east-1`},
		{[]string{"--from", "eu-west-2"}, exitError, `its home is "eu-west-1" by the copy of us-east-1, and not "eu-west-2"`},
		{[]string{"--from", "eu-west-2", "--yes"}, exitError, `its home is "eu-west-1", and not "eu-west-2"`},
		{[]string{"--from", "eu-west-1", "--yes"}, exitOK, "its home is us-east-1, and it stands at "},
		{[]string{"--from", "eu-west-1", "--yes"}, exitError, `its home is "us-east-1", and not "eu-west-1"`},
	} {
		if code, said := home(c.args...); code != c.code || !strings.Contains(said, c.said) {
			t.Errorf("%q: code %d: %s", c.args, code, said)
		}
	}
}

// TestTableTells: backups that are refused do not stop it, and what is refused is said on one line.
func TestTableTells(t *testing.T) {
	server, endpoint := tableRig(t)
	server.Break(fake.Fault{Op: "UpdateContinuousBackups", Say: fake.AccessDenied})
	code, said := createdTable(t, "--table", "t", "--endpoint", endpoint)
	if code != exitOK || !strings.HasPrefix(said, "table t: created, billed on demand; point-in-time recovery could not be switched on: ") || strings.Count(said, "\n") != 1 {
		t.Errorf("code %d: %s", code, said)
	}
	server.Break(fake.Fault{Op: "PutItem", Say: fake.AccessDenied})
	code, said = createdTable(t, "--table", "t", "--endpoint", endpoint, "--fleet", "f", "--from", "jump:7")
	if code != exitError || !strings.Contains(said, "fleet f: write the state: ") || !strings.Contains(said, fake.AccessDenied) || strings.Count(said, "\n") != 2 {
		t.Errorf("code %d: %s", code, said)
	}
}

// TestTableUsage: wrong flags are named, with what is wanted, and nothing is sent.
func TestTableUsage(t *testing.T) {
	server, endpoint := tableRig(t)
	for said, args := range map[string][]string{
		"--table is missing":    {"--endpoint", endpoint},
		"--endpoint nowhere":    {"--table", "t", "--endpoint", "nowhere"},
		"--fleet is missing":    {"--table", "t", "--endpoint", endpoint, "--from", "md5:32"},
		"--from is missing":     {"--table", "t", "--endpoint", endpoint, "--fleet", "f"},
		"--from md5":            {"--table", "t", "--endpoint", endpoint, "--fleet", "f", "--from", "md5"},
		"--from sha1:3":         {"--table", "t", "--endpoint", endpoint, "--fleet", "f", "--from", "sha1:3"},
		"--from md5:0":          {"--table", "t", "--endpoint", endpoint, "--fleet", "f", "--from", "md5:0"},
		"--from md5:2049":       {"--table", "t", "--endpoint", endpoint, "--fleet", "f", "--from", "md5:2049"},
		"placement.bytes":       {"--table", "t", "--endpoint", endpoint, "--fleet", "f", "--from", "md5:3", "--bytes", "{shoe}"},
		"fleet: 256 bytes":      {"--table", "t", "--endpoint", endpoint, "--fleet", strings.Repeat("f", 256), "--from", "md5:3"},
		"firebreak table creat": nil,
	} {
		code, got := createdTable(t, args...)
		if args == nil {
			err := run(t.Context(), []string{"table"}, nil, &bytes.Buffer{}, &bytes.Buffer{})
			code, got = exitCode(err), err.Error()+"\n"
		}
		if code != exitUsage || !strings.Contains(got, said) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: code %d: %s", said, code, got)
		}
	}
	t.Setenv("AWS_REGION", "")
	if code, got := createdTable(t, "--table", "t", "--endpoint", endpoint); code != exitUsage || !strings.Contains(got, "--region") {
		t.Errorf("no region: code %d: %s", code, got)
	}
	if n := len(server.Calls()); n > 0 {
		t.Errorf("%d calls were sent", n)
	}
}
