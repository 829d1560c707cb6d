// Package parts starts a log's cluster on one machine, on loopback: PostgreSQL's primary and a
// synchronous standby, two log servers and two forced signers of Trillian, three members of etcd,
// front ends (pakli serve), and HAProxy before them. Every connection between two parts goes through
// a relay that faults can cut, unless [Options.Direct] is set. The settings are those of
// docs/guide/cluster.md and of the cluster that docker-compose.yml starts.
//
// PostgreSQL, etcd and HAProxy are Debian's packages (postgresql, etcd-server,
// haproxy); Trillian and pakli are built from their modules.
package parts
