// Package client makes a URL a log: a [tlog.Log] over the REST surface of
// docs/spec/70-http.md and 65-log.md, with the calls for tables besides.
//
// The server is not trusted. With the log's verifier key, everything a Client
// returns about the log has been checked: checkpoints carry the log's
// signature, entries and messages are in the tree of a signed checkpoint,
// proofs are computed from tiles that hash to its root, receipts verify. What the
// methods of its [Server] return, documents about a table for example ([Table], [Summary],
// a message's class), is the server's word, and good for showing to people only: a player
// replays the messages.
//
// Messages of a table are read in two ways: [Client.Messages] reads everything between
// them too, so that nothing is left out, and [Client.Thread] the table alone.
//
// A Client remembers the newest checkpoint it has believed and refuses what
// does not grow out of it. Its errors fall in the classes of package tlog:
//
//   - tlog.ErrBroken: what came contradicts what the log signed. The server may have
//     altered it, or somebody on the way. Only tlog.ErrForked, which is one too,
//     accuses the log: it signed two histories.
//   - tlog.ErrUnsigned, tlog.ErrMalformed: it is not signed, or in no format.
//   - [RollbackError]: an older checkpoint than was shown before, consistent
//     with it. Old copies do that, and so do servers that hide something.
//   - [Conflict] and [Problem]: the server refused, and says why.
//   - [ErrNoAnswer], and everything else, means "cannot check".
//
// Requests that get no answer, or 429 or 503, are sent again, later and later, as long as
// the context allows and the server does not ask for too much patience. That is safe for
// posts as well: the same bytes are logged once. A proxy that answers 502, 503 or 504
// for a server that is away is taken for no answer.
//
// How a request travels is a [Carrier]'s business: net/http, or the fetch of a browser
// when this is built for js/wasm, where it links neither net/http nor TLS.
package client
