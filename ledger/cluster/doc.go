// Package cluster holds the shared state of a log with several front ends: the order of its entries
// in a stock Trillian cluster ([Tree], a ledger.Order), its promise in etcd or in a file ([Etcd],
// [File], each a ledger.Register), and checks that the PostgreSQL below is set so that nothing
// promised is lost ([Database]). The ledger that follows a tree and register checks their answers
// (package ledger).
//
// The tree (github.com/google/trillian v1.8.0, gRPC) is of type LOG. LeafIdentityHash is the leaf
// hash of the entry (docs/spec/10-encoding.md, 10.2), so that the tree takes the same bytes once;
// LeafValue is the entry, ExtraData its blobs, each u32(length) || bytes. max_root_duration is 0. A
// lost connection is tried again within a third of a second.
//
// The promise of the log called origin is at /pakli/<hex SHA-256(origin)>/promise (etcd, v3 API),
// as
//
//	pakli promise v1
//	<origin>
//	<size, decimal>
//	<root, base64>
//	left <who>         absent while the log is kept here
//
// and its newest cosigned checkpoint, a note, at …/cosigned. A swap is one transaction that
// compares the bytes. It may be made twice, since sizes only grow. Reads are linearizable. Nothing
// has a lease, and no clock decides anything.
//
// Interchangeable servers, the log servers of one tree or the members of etcd, are asked as
// [Peers]: one, and the next as soon as the first has failed or taken long. So a killed server
// costs a call nothing, and a hanging one costs it the wait for the second try. A call of one etcd
// member takes at most one second.
//
// One URI names all nodes of a database, as Trillian's processes have it (libpq:
// postgresql://user@node-1:5432,node-2:5432/database). Each node is asked separately. Settings are
// those of a session of this user in this database, so the URI should name the user that Trillian
// has. docs/guide/cluster.md lists the required settings; the package changes nothing but
// statistics. The password comes from PGPASSFILE or PGPASSWORD, never from the URI, which every
// list of processes shows. Whether a connection over a network may be unencrypted is for the
// operator to say (sslmode): there is no default.
package cluster
