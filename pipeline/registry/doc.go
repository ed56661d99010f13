// Package registry asks a schema registry with the API of Confluent's (also Karapace, Redpanda, and the ccompat API of Apicurio)
// for the schemas of records, and keeps what it says.
//
//	who counts -- Schema: at once, what is known --> Asker -- one request at a time --> Client -- HTTP --> registry
//
// A Client asks and keeps nothing. An Asker answers who counts without ever waiting: with a schema, or with why there is none.
//
//  1. No error and no log line holds a secret, or an address beyond its host and port.
//  2. Credentials go to the addresses of the configuration, and nowhere else: a redirect to another host is not followed.
//  3. Whatever ids the records carry, memory and the rate of requests are bounded; an id is asked for by one request at a time.
//  4. A registry that cannot be asked is not one that does not have the schema: only its own word is an answer.
package registry
