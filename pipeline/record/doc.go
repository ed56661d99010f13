// Package record turns the bytes of a request log into records: it reads lines out of plain, gzip, zstd and xz input,
// splits a line of JSON, CSV, TSV, combined access log or logfmt, or the value of a Kafka message, which may be Avro or
// Protobuf by the schema of a registry, and maps its fields as the configuration says.
//
// It holds no clock, opens no file and leaves no goroutine behind (only Learn, which compiles a schema, starts any). A
// Decoder and a Lines belong to one goroutine each; the slices of a record and of a line are valid until the next call on
// what gave them.
//
// Invariants:
//  1. No input makes it panic. Memory is bounded by Config.MaxLine whatever the lines; a decompressor adds the window
//     that its format needs (see Lines).
//  2. Every line gives a record or exactly one Reason from a closed list.
//  3. Two different keys never become one. Keys are bytes: nothing is repaired, folded or replaced; what cannot be
//     read exactly (a lone surrogate, an unknown escape, a name twice in one JSON object) is refused. A key above MaxKey
//     bytes becomes a form that no shorter key can have and that other long keys do not share by chance (see Cut).
//  4. What a decoder learned from earlier lines (see step) makes it faster and changes no record and no Reason.
//  5. Nothing is guessed: an unknown op is OpUnknown, a missing rate is 0, a missing time is NoTime.
package record
