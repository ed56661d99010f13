// Package httpsource carries a fleet's routing document over HTTP: a Handler that serves it from any source, and a Source that reads from a
// Handler, for applications that have neither DynamoDB nor Kafka.
//
// Below the address under which the handler is mounted:
//
//	GET head                     the head, as control.Head.Encode writes it, with an ETag; If-None-Match gives 304
//	GET document?epoch=&version= the document, as routing.Document.Encode writes it, at least as late as told where there is one
//	PUT confirmations            a confirmation, as control.Confirmation.Encode writes it: 204
//
// 404 with the header Firebreak-None is a fleet that the source has no state of. 429 and 503 have Retry-After, in seconds. Bodies are bounded on both sides.
package httpsource
