// Package cluster is what a log that several front ends keep has beyond its own machine: the order
// of its entries in a stock Trillian cluster ([Tree], a ledger.Order), its promise in etcd or in a
// file ([Etcd], [File], each a ledger.Register), and whether PostgreSQL below it is set so that
// nothing that was promised is lost ([Database]). What they show is checked by who follows (ledger).
//
// The tree (github.com/google/trillian v1.8.0, gRPC) is of type LOG. LeafIdentityHash is the leaf
// hash of the entry (docs/spec/10-encoding.md, 10.2), so that the tree takes the same bytes once;
// LeafValue is the entry, ExtraData its blobs, each u32(length) || bytes. max_root_duration is 0.
// Connections are taken up again within a third of a second.
//
// The promise of the log called origin is under /pakli/<hex SHA-256(origin)>/promise (etcd, v3 API), as
//
//	pakli promise v1
//	<origin>
//	<size, decimal>
//	<root, base64>
//	left <who>         in place of this line: nothing, while the log is kept here
//
// and its newest cosigned checkpoint, a note, under …/cosigned. A swap is one transaction, which
// compares the bytes. Reads are linearizable. Nothing has a lease, and no clock decides anything.
// A swap may be made twice, since sizes only grow.
//
// Servers that answer alike, log servers of one tree or members of etcd, are asked as [Peers]: one,
// and another as soon as the first has failed or taken long; so one that is killed costs a call nothing, and
// one that hangs the wait for the second try. At one member of etcd no call takes longer than a second.
//
// A database is named by one URI with all its nodes, as Trillian's processes have it
// (libpq: postgresql://user@node-1:5432,node-2:5432/database). Each node is asked by itself, and
// settings are those of a session of this user in this database: name the user that Trillian has.
// What must be set is in docs/guide/cluster.md; nothing is changed but statistics. A password comes from
// PGPASSFILE or PGPASSWORD, never from the URI, which whoever lists processes reads. Whether a
// connection over a network may be in the clear is for the operator to say (sslmode), not for a default.
package cluster
