// Package access says who may reach a listener for people: where it is, how it is encrypted, and who asks.
//
// Invariants:
//
//  1. What listens beyond the loopback interface names tokens, a trusted proxy or networks that it is open to, or the configuration is not valid.
//  2. A token shows up in no error; tokens are compared by their digests, in constant time.
//  3. Without a token or a proxy only requests that mean this machine by name are let in: a page elsewhere whose name was made to lead
//     here (DNS rebinding) is not. Nor is it where a proxy of this machine is trusted: it could send the proxy's header. A token it has not,
//     for a browser gives a token to the name only that it was typed for.
//  4. No network that is an eighth of all addresses or more is trusted or open, alone or together with others.
package access
