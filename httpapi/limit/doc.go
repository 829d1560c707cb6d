// Package limit bounds what callers may take of a server, so that one of them
// cannot take the share of another (docs/spec/70-http.md §8).
//
// There are two kinds of bounds. Rates and shares bound what a caller may take in a time, or hold at
// once:
//
//   - [Buckets] are token buckets, one for each key, and [Addresses] for each address;
//   - [Shares] bound what is held at once, in total and by one address.
//
// Processor time is measured. Callers wait for it in the order of how much each address, and each
// range with many of them, has used:
//
//   - [Turns] share it out for everything except posts, and get a part of it all together;
//   - [Checks] hand out the processors for proofs, and make senders of wrong ones wait longer.
//
// [Organisers] are the keys that may begin tables.
//
// A refusal is an [Error], which says why and for how long. A caller is an address prefix, see
// [Prefix], and has a part of its network's bounds. It travels in the context of a request
// ([WithCaller], [Caller]), so that code behind the HTTP surface can be fair too. Package httpapi
// decides which header names the caller behind a proxy.
//
// All memory is bounded. What was unused for longest is forgotten first, in favour of the caller.
package limit
