// Package tlog holds the formats of pakli's transparency log and every check of them that needs no
// network: a player, a jury or the verifier makes these checks with the log's public key alone.
//
// The log is an RFC 6962 Merkle tree over SHA-256: the hash of an entry is
// SHA-256(0x00 || entry), of an inner node SHA-256(0x01 || left || right), and
// the root of the empty tree is SHA-256(""). An entry is 1 to 65,535 opaque
// bytes (Trillian knows no empty ones, C2SP no longer ones); its index is its
// place in the log, from 0.
//
// The formats are those of C2SP, byte for byte, so that anybody's tools can
// read, mirror and audit a log of pakli:
//
//   - [Checkpoint], a size and a root signed by the log (c2sp.org/tlog-checkpoint,
//     itself a c2sp.org/signed-note);
//   - [VerifierKey] and [Policy], the keys of logs and of cosigners
//     (c2sp.org/tlog-cosignature), and which of them have to have signed
//     (c2sp.org/tlog-policy);
//   - [Receipt], the proof that one entry is in the log (c2sp.org/tlog-proof);
//   - [Tile] paths, hash tiles and entry tiles, the read surface of a log
//     (c2sp.org/tlog-tiles).
//
// [Inclusion] and [Consistency] are the two proofs of RFC 6962 §2.1; [Tree]
// computes a root from entries alone, and [ReadAll] holds all entries of a log against
// its checkpoint. [History] holds what a log signed against what it signed besides:
// contradiction.go has all that contradicts a log.
//
// Parsers are strict: what they accept encodes to the same bytes again, and
// nothing follows it. Failed checks fall in three classes, told apart with
// [errors.Is]:
//
//   - [ErrMalformed]: the bytes are not in the format. Nothing was checked.
//   - [ErrUnsigned]: the checkpoint does not carry the log's signature. It is
//     nobody's promise, and no evidence against the log.
//   - [ErrBroken]: what the log signed and what is shown contradict each other. Who
//     altered it, the log or somebody on the way, that does not tell. Only two things
//     that the log signed convict it, and are [ErrForked] as well.
//
// Every other error, of a [Reader] say, means "cannot check".
//
// [Reader] and [Log] are declared here and not in package ledger, so that those
// who only read and verify a log (the verifier, the HTTP client, a bundle on
// disk) share the interface with the ledger without linking its store.
//
// The package computes and compares; it does no I/O, stores no keys and has
// no clock of its own. What entries mean is none of its business.
package tlog
