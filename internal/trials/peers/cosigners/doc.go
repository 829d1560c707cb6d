// Package cosigners lets logs of other people be cosigned by pakli's cosigner:
// Tessera's own client of c2sp.org/tlog-witness shows it the checkpoints of a
// Tessera log, and its reading of the policy says when that is enough.
package cosigners
