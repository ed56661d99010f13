// Package routing says where a key lives: the control document of a fleet, the table compiled from it, the
// placement functions of existing stores, the pieces of a salted key, and the footprint of a plan.
//
// It is pure: no I/O, clock, context or log. It may be called from anywhere, the policy core and the clients of
// an application alike; a Table is immutable and safe for any number of goroutines.
//
// Invariants:
//
//  1. Every virtual shard has exactly one owner, whatever exceptions a valid document holds.
//  2. A key lies on the owner of its virtual shard unless it is salted or its tenant is placed.
//  3. Adopting an existing fleet moves no key: V is a multiple of N, or the map is taken over as it is.
//  4. The base map of a document never changes; everything firebreak does is an exception beside it.
//  5. Keys and tenants are bytes. No two different ones are ever merged, in memory, on the wire or in a digest.
//  6. A Document handed to a Table is copied; what Table.Document returns must not be modified.
package routing
