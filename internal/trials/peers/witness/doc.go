// Package witness has a log of pakli cosigned by the witness that others run
// (transparency-dev/witness, as its omniwitness serves it), and pakli's cosigner
// fed by that project's client, with proofs made by Tessera's from the tiles that
// the log serves, as its feeder makes them. Both speak c2sp.org/tlog-witness, and
// neither knows of the other.
package witness
