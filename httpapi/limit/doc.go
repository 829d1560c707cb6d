// Package limit bounds what callers may take of a server, so that one of them
// cannot take the share of another (docs/spec/70-http.md §8).
//
// There are two kinds of bounds. A rate says what one may take in a time, or hold at the same time:
//
//   - [Buckets] are token buckets, one for each key, and [Addresses] for each address;
//   - [Shares] are what is held at the same time, in all and by one address.
//
// Processor time is measured, and waited for in the order of what each address, and each
// range with many of them, has used:
//
//   - [Turns] share it out for everything but posts, of which all together have a part;
//   - [Checks] hand out the processors for proofs, and make those wait longer who send wrong ones.
//
// [Organisers] are the keys that may begin tables.
//
// A refusal is an [Error], which says why and for how long. A caller is an address
// prefix, see [Prefix], and has a part of what its network may have. It goes with the
// context of a request ([WithCaller], [Caller]), so that what lies behind the HTTP surface can
// be fair too. Which header names the caller behind a proxy is decided in package httpapi.
//
// Everything remembered is bounded. What was not used for longest is forgotten first, in
// favour of the caller.
package limit
