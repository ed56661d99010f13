package kafka

import (
	"strings"
)

// Right is what one resource of a cluster must allow us.
type Right struct {
	Resource   string   `json:"resource"` // topic, group or cluster, as kafka-acls.sh calls them
	Name       string   `json:"name"`     // of the resource
	Operations []string `json:"operations"`
	Why        string   `json:"why"`
}

// RightsOnSources are those on the topics of request logs and on the group that reads them.
func RightsOnSources(group string, topics []string) []Right {
	var all []Right
	for _, topic := range topics {
		all = append(all, Right{"topic", topic, []string{"Describe", "Read"}, "the request log"})
	}
	return append(all, Right{"group", group, []string{"Describe", "Read"}, "members share the partitions"})
}

// RightsOnOurs are those on the cluster that holds our topics. Create may be left out where the topics are made by hand.
func RightsOnOurs(group string, topics []Topic) []Right {
	var all []Right
	for i := range topics {
		all = append(all, Right{
			"topic", topics[i].Name, []string{"Create", "Describe", "DescribeConfigs", "Read", "Write"}, "a log of ours: made, verified, appended to, followed",
		})
	}
	return append(all, Right{"group", DeciderGroup(group), []string{"Describe", "Read"}, "its one owner decides"})
}

// rightOnCluster is what brokers older than 2.8 want beside Write.
func rightOnCluster() Right {
	return Right{"cluster", "kafka-cluster", []string{"IdempotentWrite"}, "brokers before 2.8 want it for appends that are not doubled"}
}

// Command grants the right to a principal, such as User:firebreak.
func (r *Right) Command(brokers Brokers, principal string) string {
	var b strings.Builder
	b.WriteString("kafka-acls.sh --bootstrap-server " + brokers.String() + " --add --allow-principal '" + principal + "'")
	for _, operation := range r.Operations {
		b.WriteString(" --operation " + operation)
	}
	b.WriteString(" --" + r.Resource)
	if r.Resource != "cluster" {
		b.WriteString(" '" + r.Name + "'")
	}
	return b.String()
}

// Principal is who we are for the cluster's ACLs, as far as the configuration tells: the user who signs in. The name in a
// client's certificate and the subject of a token are the broker's to map.
func (c *Cluster) Principal() string {
	if c.SASL.usesPassword() {
		return "User:" + c.SASL.User
	}
	return "User:firebreak"
}
