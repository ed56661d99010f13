// Package dynamo is the other side of tests: a server that speaks DynamoDB's protocol, JSON 1.0, as far as firebreak and its examples
// use it, and refuses what it does not know loudly, with an error that DynamoDB does not have. It keeps tables with a partition key and
// a sort key, both texts; it counts calls and capacity units; and it makes the faults that a test asks for.
//
// It is stricter than DynamoDB in one point: expressions name attributes by #names only, so that no reserved word can slip in.
//
// .ci/dynamo holds it against dynalite: the same calls get the same answers.
package dynamo
