// Package console is what every instance serves for people: the live page and, with the same facts, an HTTP API. docs/console.md
// says what is on it.
//
//	watcher --Judged--> .-------.
//	journal --Entry---> | Model | ---> page, /api/v1
//	history --Minute--> '-------'
//	                     Source ---> search, what-if, status
//	                   Reporter ---> reports on demand
//	                      Actor <--> actions, routing
//
// GET and HEAD change nothing. POST hands what a person says to who decides, through [Actor], and is the only way here to have anything
// changed. Whoever runs the loop feeds the [Model] and implements [Source], [Reporter] and [Actor]; the package knows no broker and no
// store, and takes the time from what it is told.
//
// Invariants:
//
//  1. Memory is bounded whatever the input: 24 hours of minutes, a fixed number of hotspots, of shards, of events, of changes of
//     routing and of reports; one report is made at a time, and 16 people wait for an answer at most.
//  2. Names are untrusted bytes. On the page they pass through internal/words and html/template only; in JSON they are escapes that
//     routing.Unescape takes back, and where names are to be hidden ([actuator.Redact]) no form of them is kept but in what
//     people said, which stands as they said it.
//  3. No answer has inline script, may be framed, cached or sniffed, or refers to another host; a report alone has inline style, under
//     the policy of package report.
//  4. Beyond the loopback interface nobody is answered whom a token or a trusted proxy does not name.
//  5. What is changed is changed in the name of a person whom a token or a trusted proxy names, whose role may, with a reason, and never
//     because a page of another site asks.
package console
