// Package admin serves what those who run firebreak ask of a process: metrics,
// health and profiles, on a listener of their own.
//
//	/metrics          all metrics: text, OpenMetrics, or protobuf with native histograms
//	/-/healthy        200 as long as the process serves
//	/-/ready          200 if every condition holds, else 503; ?verbose lists them
//	/debug/pprof/     profiles of the Go runtime
//	/                 a short index
//
// Invariants:
//
//  1. It only reads: GET and HEAD, nothing changes what firebreak does.
//  2. It has no authentication: profiles and metrics are for whoever reaches the
//     listener, which is on the loopback interface unless the configuration says
//     otherwise. No other listener serves any of it.
//  3. A slow or silent client holds a connection for a bounded time.
//  4. No answer may be cached or sniffed.
package admin
