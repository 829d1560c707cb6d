// Package httpapi is the server: the log and its tables over HTTP
// (docs/spec/65-log.md, docs/spec/70-http.md).
//
// Two surfaces share one address. The C2SP read surface (/checkpoint, /tile/…)
// is byte exact, needs no JSON and is all that verification uses. Under /v1
// there are JSON documents for players, organisers and people; they are
// declared in package httpapi/client. Whoever waits for news
// has a long poll, or a stream of Server-Sent Events that goes on where it was cut. Every
// refusal is an RFC 9457 problem document; errors become problems in one place,
// problem.go.
//
// openapi.json describes both in OpenAPI 3.1 and comes first: the tests hold
// every answer of theirs against it, and the page for people is made from it.
//
// There are no accounts: what a message says is said by the key that signed it. The
// server decides nothing about play, that is for ledger/admission, and it answers a
// post only when the log has promised the entry.
//
// What comes from outside is bounded: headers, bodies, the time to send and to receive
// them, processor time, answers not yet taken, long polls and streams, connections, and
// posts, each of one address too. The bounds are in limits.go. All requests but posts
// take turns, see turn.go. The address of a caller is that of its connection; headers
// that claim another are believed from named proxies only.
//
// echo stays inside routes.go: handlers are plain functions of a request.
package httpapi
