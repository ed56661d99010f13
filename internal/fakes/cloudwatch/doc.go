// Package cloudwatch is GetMetricData of CloudWatch as an http.Handler, for tests by the real SDK: the wire (RPC v2 on CBOR), the
// limits, pages, metric math as far as firebreak's tests use it, and the errors that a test asks for.
//
// What CloudWatch takes and this server does not is refused as Unknown, never guessed. Statistics are not computed: a series has one
// value a minute, whatever the statistic; the call that asked for it is noted.
package cloudwatch
