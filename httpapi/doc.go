// Package httpapi is the server: the log and its tables over HTTP
// (docs/spec/65-log.md, docs/spec/70-http.md).
//
// Two surfaces share one address. The C2SP read surface (/checkpoint, /tile/…) is byte exact, needs
// no JSON and is sufficient for verification. Under /v1 there are JSON documents for players,
// organisers and people, declared in package httpapi/client. News comes by long poll, or by a stream
// of Server-Sent Events that can be resumed. Every refusal is an RFC 9457 problem document; errors
// become problems in one place, problem.go.
//
// openapi.json describes both surfaces in OpenAPI 3.1 and is the authority: the tests compare every
// answer with it, and the page for people is made from it.
//
// There are no accounts: the key that signed a message answers for it. The server decides nothing
// about play, which is left to ledger/admission, and it answers a post only when the log has promised
// the entry.
//
// Everything from outside is bounded: headers, bodies, the time to send and to receive them,
// processor time, unsent answers, long polls and streams, connections, and posts, each also for a
// single address. The bounds are in limits.go. All requests except posts take turns, see turn.go. The
// address of a caller is that of its connection; headers that claim another are believed only from
// named proxies.
//
// echo is used only in routes.go: handlers are plain functions of a request.
package httpapi
