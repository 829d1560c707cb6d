// Package witness has a log of pakli cosigned by the witness that others run
// (transparency-dev/witness, as its omniwitness serves it), and pakli's cosigner fed by that
// project's client, with proofs that Tessera's code makes from the log's tiles, as in that project's
// feeder. Both speak c2sp.org/tlog-witness, and neither knows the other.
package witness
