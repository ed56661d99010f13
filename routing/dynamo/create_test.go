package dynamo

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	fake "firebreak/internal/fakes/dynamo"
)

// TestCreate: a table is made once, with backups; a second call leaves it as it is.
func TestCreate(t *testing.T) {
	server := fake.New(time.Now)
	c := api(server, "http://dynamo.test")
	made, err := Create(t.Context(), c, table)
	if diff := cmp.Diff(Table{Created: true}, made); err != nil || diff != "" || !server.Backups(table) {
		t.Errorf("created: %v, backups %v (-want +got):\n%s", err, server.Backups(table), diff)
	}
	before := len(server.Calls())
	found, err := Create(t.Context(), c, table)
	if diff := cmp.Diff(Table{}, found); err != nil || diff != "" {
		t.Errorf("found: %v (-want +got):\n%s", err, diff)
	}
	if calls := server.Calls()[before:]; len(calls) != 1 || calls[0].Op != "DescribeTable" {
		t.Errorf("calls for a table that is there: %+v", calls)
	}
}

// TestCreateTolerates: backups that cannot be switched on are told of, and a lost reply does not make the table twice.
func TestCreateTolerates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fake.New(time.Now)
		server.Break(fake.Fault{Op: "UpdateContinuousBackups", Say: fake.AccessDenied}, fake.Fault{Op: "CreateTable", Lose: fake.LoseReply})
		made, err := Create(t.Context(), api(server, "http://dynamo.test"), table)
		if err != nil || made.Backups == nil || !strings.Contains(made.Backups.Error(), fake.AccessDenied) {
			t.Errorf("created: %+v, %v", made, err)
		}
	})
}

// TestCheck: a table with other keys is refused, and both are named.
func TestCheck(t *testing.T) {
	server := fake.New(time.Now)
	c := api(server, "http://dynamo.test")
	in := newTable(table)
	in.KeySchema[1].AttributeName = aws.String("range")
	in.AttributeDefinitions[1].AttributeName = aws.String("range")
	if _, err := c.CreateTable(t.Context(), in, once); err != nil {
		t.Fatal(err)
	}
	_, err := Create(t.Context(), c, table)
	if want := "table firebreak has the keys pk HASH S, range RANGE S, want pk HASH S, sk RANGE S"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for status, wait := range map[types.TableStatus]bool{types.TableStatusDeleting: false, types.TableStatusCreating: true} {
		server.Describe(table, "TableStatus", string(status))
		synctest.Test(t, func(t *testing.T) {
			go func() {
				time.Sleep(10 * time.Second)
				server.Describe(table, "TableStatus", string(types.TableStatusActive))
			}()
			from := time.Now()
			_, err := Check(t.Context(), c, table)
			if waited := time.Since(from) >= 10*time.Second; err == nil || waited != wait {
				t.Errorf("%s: %v after %v", status, err, time.Since(from))
			}
			time.Sleep(10 * time.Second)
		})
	}
}

// TestGlobal: the regions of a global table are told.
func TestGlobal(t *testing.T) {
	server, c := created(t)
	server.Describe(table, "Replicas", []map[string]string{{"RegionName": "eu-west-1"}, {"RegionName": "us-east-1"}})
	got, err := Check(t.Context(), c, table)
	want := Table{Replicas: []string{"eu-west-1", "us-east-1"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
