package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// connectTime bounds how long a node may take to answer.
const connectTime = 5 * time.Second

// Database is a PostgreSQL database of one or more nodes.
type Database struct {
	nodes []*pgconn.Config
}

// OpenDatabase reads a URI and connects to nothing yet.
func OpenDatabase(uri string) (*Database, error) {
	if hasPassword(uri) { // checked first: an error of ParseConfig quotes what it could not read
		return nil, errors.New("--database has a password in it, which whoever lists processes can read: put it into a file that PGPASSFILE names")
	}
	all, err := pgconn.ParseConfig(uri)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	all.ValidateConnect, all.ConnectTimeout = nil, connectTime // accept every node, whether or not it takes writes
	d := &Database{nodes: []*pgconn.Config{nodeOf(all, all.Host, all.Port)}}
	for _, f := range all.Fallbacks { // includes the same node without TLS
		if last := d.nodes[len(d.nodes)-1]; f.Host != last.Host || f.Port != last.Port {
			d.nodes = append(d.nodes, nodeOf(all, f.Host, f.Port))
		}
	}
	return d, d.checkEncryption(uri)
}

// saysMode matches a URI that says whether connections are encrypted.
var saysMode = regexp.MustCompile(`\bsslmode\s*=`)

// checkEncryption refuses nodes over a network unless the operator has said whether connections to
// them are encrypted. By default the client accepts an unencrypted one if somebody on the way
// claims that the server has no other.
func (d *Database) checkEncryption(uri string) error {
	if saysMode.MatchString(uri) || os.Getenv("PGSSLMODE") != "" {
		return nil
	}
	for _, c := range d.nodes {
		if !isLocal(c.Host) {
			return fmt.Errorf("--database: a connection to %s may be in the clear, and whoever is in between can ask for the password: end the URI with ?sslmode=verify-full&sslrootcert=FILE, "+
				"or with ?sslmode=disable if nobody else reaches the way", nameOf(c))
		}
	}
	return nil
}

// isLocal reports whether a host is this machine: a directory of sockets or a loopback address.
func isLocal(host string) bool {
	return strings.HasPrefix(host, "/") || host == "localhost" || net.ParseIP(host).IsLoopback()
}

// named matches a password in a query or in a string of keywords, where spaces may precede the
// sign.
var named = regexp.MustCompile(`password\s*=`)

// hasPassword reports whether a URI or a string of keywords contains a password.
func hasPassword(uri string) bool {
	_, rest, ok := strings.Cut(uri, "://")
	user, _, at := strings.Cut(rest, "@")
	return ok && at && strings.Contains(user, ":") || named.MatchString(uri)
}

// nodeOf returns the configuration of one node with all ways to connect to it, in their order.
func nodeOf(all *pgconn.Config, host string, port uint16) *pgconn.Config {
	c := all.Copy()
	c.Host, c.Port, c.Fallbacks = host, port, nil
	first := host == all.Host && port == all.Port
	for _, f := range all.Fallbacks {
		if f.Host != host || f.Port != port {
			continue
		}
		if first {
			c.Fallbacks = append(c.Fallbacks, f)
			continue
		}
		c.TLSConfig, first = f.TLSConfig, true
	}
	return c
}

// FindWrong lists the faults of the database, each with its remedy. The error is about nodes that
// cannot be asked.
func (d *Database) FindWrong(ctx context.Context) (list []error, err error) {
	var nodes []*node
	for _, c := range d.nodes {
		n, failed := askNode(ctx, c)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("PostgreSQL at %s: %w", nameOf(c), failed))
			continue
		}
		nodes = append(nodes, n)
		list = append(list, n.wrongSettings()...)
	}
	return append(list, d.wrongRoles(nodes)...), err
}

func (d *Database) wrongRoles(nodes []*node) (list []error) {
	var primaries []string
	for _, n := range nodes {
		if !n.standby {
			primaries = append(primaries, n.name)
		}
	}
	switch {
	case len(primaries) > 1:
		list = append(list, fmt.Errorf("%s all take writes: stop all but the one that has most, and make the others anew as its standbys (pg_basebackup -R)", strings.Join(primaries, " and ")))
	case len(primaries) == 0 && len(nodes) == len(d.nodes):
		list = append(list, errors.New("no node takes writes: promote a standby (SELECT pg_promote())"))
	}
	if len(d.nodes) < 2 {
		list = append(list, fmt.Errorf("only %s is named: with one URI for both nodes and target_session_attrs=read-write, here and for Trillian, a standby takes over", nameOf(d.nodes[0])))
	}
	return list
}

// Analyze updates the planner's statistics of Trillian's tables, which are missing after the tables
// were made or filled at once: without them, plans for a young log are quadratic.
func (d *Database) Analyze(ctx context.Context) error {
	var errs []error
	for _, c := range d.nodes {
		done, err := analyzeAt(ctx, c)
		if done {
			return nil
		}
		errs = append(errs, err)
	}
	return fmt.Errorf("ANALYZE: %w", errors.Join(append(errs, errors.New("no node takes writes"))...))
}

func analyzeAt(ctx context.Context, c *pgconn.Config) (done bool, err error) {
	conn, err := pgconn.ConnectConfig(ctx, c)
	if err != nil {
		return false, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	standby, err := queryRows(ctx, conn, "SELECT pg_is_in_recovery()")
	if err != nil || standby[0][0] == "t" {
		return false, err
	}
	_, err = queryRows(ctx, conn, "ANALYZE "+strings.Join(tables, ", "))
	return err == nil, err
}

// tables are those of Trillian's tables that grow.
var tables = []string{"trees", "treehead", "subtree", "leafdata", "sequencedleafdata", "unsequenced"}

func nameOf(c *pgconn.Config) string { return net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) }

// queryRows returns the rows of one query.
func queryRows(ctx context.Context, c *pgconn.PgConn, query string) (list [][]string, err error) {
	results, err := c.Exec(ctx, query).ReadAll()
	if err != nil || len(results) == 0 {
		return nil, err
	}
	for _, r := range results[0].Rows {
		var row []string
		for _, v := range r {
			row = append(row, string(v))
		}
		list = append(list, row)
	}
	return list, nil
}
