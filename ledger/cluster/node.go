package cluster

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

type node struct {
	name     string
	standby  bool
	local    bool // asked over a socket of this machine, which does not show the settings for a network
	settings map[string]setting
	synced   int             // connected synchronous standbys; -1 if this user may not see them
	counted  map[string]bool // Trillian's tables, with whether the planner has statistics of each
	old      bool            // there are tree heads of more than two days
}

// setting is a value as in pg_settings.
type setting struct {
	value, unit string
	fixed       bool // set on the command line, which ALTER SYSTEM does not override
}

func askNode(ctx context.Context, c *pgconn.Config) (*node, error) {
	conn, err := pgconn.ConnectConfig(ctx, c)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	n := &node{name: nameOf(c), local: strings.HasPrefix(c.Host, "/"), settings: map[string]setting{}, counted: map[string]bool{}}
	for _, ask := range []func(context.Context, *pgconn.PgConn) error{n.askSettings, n.askRole, n.askTables, n.askHeads} {
		if err := ask(ctx, conn); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (n *node) askSettings(ctx context.Context, c *pgconn.PgConn) error {
	var names []string
	for _, r := range rules {
		names = append(names, "'"+r.name+"'")
	}
	list, err := queryRows(ctx, c, "SELECT name, setting, coalesce(unit, ''), source = 'command line' FROM pg_settings WHERE name IN ("+strings.Join(names, ",")+")")
	for _, r := range list {
		n.settings[r[0]] = setting{r[1], r[2], r[3] == "t"}
	}
	return err
}

// askRole asks whether the node is a standby and how many synchronous standbys it has. A user who
// may not inspect other users' connections sees them without their state.
func (n *node) askRole(ctx context.Context, c *pgconn.PgConn) error {
	list, err := queryRows(ctx, c, "SELECT pg_is_in_recovery(), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')), count(*) FILTER (WHERE sync_state IS NULL) FROM pg_stat_replication")
	if err != nil {
		return err
	}
	n.standby = list[0][0] == "t"
	if n.synced, err = strconv.Atoi(list[0][1]); err == nil && n.synced == 0 && list[0][2] != "0" {
		n.synced = -1
	}
	return err
}

func (n *node) askTables(ctx context.Context, c *pgconn.PgConn) error {
	list, err := queryRows(ctx, c, "SELECT relname, reltuples >= 0 FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid) AND relname IN ('"+strings.Join(tables, "','")+"')")
	for _, r := range list {
		n.counted[r[0]] = r[1] == "t"
	}
	return err
}

// askHeads looks for tree heads that were replaced two days ago.
func (n *node) askHeads(ctx context.Context, c *pgconn.PgConn) error {
	if _, ok := n.counted["treehead"]; !ok {
		return nil
	}
	list, err := queryRows(ctx, c, `SELECT EXISTS (SELECT 1 FROM Trees t, LATERAL (SELECT 1 FROM TreeHead h
		WHERE h.TreeId = t.TreeId AND h.TreeHeadTimestamp < (extract(epoch FROM now() - interval '2 days') * 1e9)::bigint
		OFFSET 1 LIMIT 1) old)`)
	n.old = err == nil && list[0][0] == "t"
	return err
}

func (n *node) wrongSettings() (list []error) {
	for _, r := range rules {
		if s, ok := n.settings[r.name]; ok && !r.good(s) && !(r.primary && n.standby) && !(r.network && n.local) {
			list = append(list, fmt.Errorf("PostgreSQL at %s: %s is %s, must be %s, or %s. %s", n.name, r.name, s, r.want, r.without, r.howToMend(s)))
		}
	}
	list = append(list, n.wrongTables()...)
	if n.standby {
		return list
	}
	if names := n.settings[standbyNames]; names.value != "" && n.synced == 0 {
		list = append(list, fmt.Errorf("PostgreSQL at %s: no synchronous standby is connected, and commits wait for one. Bring it back, or take it out of %s until it is", n.name, standbyNames))
	}
	return list
}

func (n *node) wrongTables() (list []error) {
	if len(n.counted) < len(tables) {
		return []error{fmt.Errorf("PostgreSQL at %s: the database does not have Trillian's tables: is it the one that Trillian uses?", n.name)}
	}
	unknown := slices.DeleteFunc(slices.Clone(tables), func(t string) bool { return n.standby || n.counted[t] })
	if len(unknown) > 0 {
		list = append(list, fmt.Errorf("PostgreSQL at %s: nothing is known of how full Trillian's tables are, so the plans of a young log are quadratic. Run ANALYZE %s", n.name, strings.Join(unknown, ", ")))
	}
	if n.old && !n.standby {
		list = append(list, fmt.Errorf("PostgreSQL at %s: tree heads of more than two days are kept, a row for each batch for ever. Let deploy/cluster/prune.sql run once a day", n.name))
	}
	return list
}

// String returns the setting as a person writes it.
func (s setting) String() string {
	if s.value == "" {
		return "empty"
	}
	if _, err := strconv.Atoi(s.value); err != nil {
		return s.value
	}
	return s.value + s.unit
}
