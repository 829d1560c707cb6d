// Package qr3072 is keys, decks and batches over the classes of squares modulo the 3072-bit
// prime of RFC 3526: what suites over package group share. Its relations are those of
// ristretto255, made from the same source (go generate ./protocol/suite).
//
// Normative text: docs/spec/31-masking-qr.md.
package qr3072
