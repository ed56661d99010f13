package dynamo

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cespare/xxhash/v2"

	"firebreak/routing"
)

const (
	partitionKey = "pk"
	sortKey      = "sk"

	documentSort = "document"
	headSort     = "head"

	// spread is over how many partition keys the clients of a fleet lie: 10,000 of them that confirm every 20 s are 31 writes a second
	// on each, where one takes 1,000.
	spread = 16
)

// keys are the partition keys of a fleet. No two fleets share one.
type keys struct{ fleet, requests, clients string }

func keysOf(fleet string) keys {
	name := strings.ReplaceAll(routing.Escape(fleet), "/", `\x2f`)
	return keys{fleet: "fleet/" + name, requests: "requests/" + name, clients: "clients/" + name + "/"}
}

// clientsAt is one of the partition keys of clients.
func (k keys) clientsAt(i int) string { return k.clients + strconv.Itoa(i) }

// ofClient is the partition key of a client.
func (k keys) ofClient(name string) string {
	return k.clientsAt(int(xxhash.Sum64String(name) % spread))
}

// key names an item. The sort key is escaped bytes: 255 of them are at most 1,020.
func key(partition, sort string) attributes {
	return attributes{partitionKey: text(partition), sortKey: text(routing.Escape(sort))}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n uint64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatUint(n, 10)}
}
