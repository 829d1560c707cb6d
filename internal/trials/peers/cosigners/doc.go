// Package cosigners lets pakli's cosigner cosign other people's logs: Tessera's own client of
// c2sp.org/tlog-witness sends it the checkpoints of a Tessera log, and Tessera's reading of the
// policy decides when that is enough.
package cosigners
