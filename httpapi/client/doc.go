// Package client makes a URL a log: a [tlog.Log] over the REST surface of docs/spec/70-http.md and
// 65-log.md. It also has the calls for tables.
//
// The server is not trusted. With the log's verifier key, a Client checks everything that it returns
// about the log: checkpoints carry the log's signature, entries and messages are in the tree of a
// signed checkpoint, proofs are computed from tiles that hash to its root, receipts verify. The
// results of methods of its [Server], such as documents about a table ([Table], [Summary]) or the
// class of a message, are only the server's word, to be shown to people: a player replays the
// messages.
//
// There are two ways to read the messages of a table: [Client.Messages] also reads everything between
// them, so that nothing is left out, and [Client.Thread] reads only the table.
//
// A Client remembers the newest checkpoint it has believed and refuses one that does not extend it.
// Its errors have the classes of package tlog:
//
//   - tlog.ErrBroken: an answer contradicts what the log signed. The server, or somebody on the way,
//     may have altered it. Only tlog.ErrForked, which is also ErrBroken, accuses the log: it signed
//     two histories.
//   - tlog.ErrUnsigned, tlog.ErrMalformed: an answer is not signed, or not in the format.
//   - [RollbackError]: the checkpoint is older than one shown before, and consistent with it. Old
//     copies show such checkpoints, and so do servers that hide something.
//   - [Conflict] and [Problem]: the server refused, and says why.
//   - [ErrNoAnswer], and every other error, means "cannot check".
//
// Requests without an answer, or with 429 or 503, are sent again after growing pauses, as long as the
// context allows and the server does not ask for too long a wait. This is safe for posts as well: the
// same bytes are logged once. 502, 503 or 504 of a proxy whose server is away count as no answer.
//
// A [Carrier] transports requests: net/http, or a browser's fetch if this is built for js/wasm, where
// it links neither net/http nor TLS.
package client
