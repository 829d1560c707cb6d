// Package limit bounds what callers may take of a server, so that one of them
// cannot take the share of another (docs/spec/70-http.md §8).
//
//   - [Buckets] are token buckets, one for each key, and [Addresses] for each address;
//   - [Shares] are what is held at the same time, in all and by one address;
//   - [Checks] hands out the processors for proofs, fairly by address and by
//     the time that each has used;
//   - [WrongProofs] makes those wait who send wrong proofs;
//   - [Organisers] are the keys that may begin tables.
//
// What is refused is an [Error], which says why and for how long. A caller is
// an address prefix, see [Prefix], and has a part of what its network may have; it goes with the context of a request
// ([With], [Caller]), so that what lies behind the HTTP surface can be fair too.
//
// Everything remembered is bounded: what is forgotten first is what was used
// least lately, and forgetting is in favour of the caller. Time is a parameter
// or a clock that is given. Which header names the caller behind a proxy is
// decided in package httpapi, not here.
package limit
