package mover_test

import (
	"testing"

	"go.uber.org/goleak"

	"firebreak/actuator/operation"
	"firebreak/routing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// task is to copy a virtual shard.
func task(t testing.TB) *operation.Task {
	t.Helper()
	d, err := routing.Adopt("orders\xff", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	return &operation.Task{
		Fleet: d.Fleet, Operation: 7, Phase: operation.Copy, Version: 31, Document: d, Ask: operation.AskCopy,
		Carries: []operation.Carry{{Entry: routing.VShardEntry(17), From: []string{"shard-1"}, To: []string{"shard-3"}}},
	}
}
