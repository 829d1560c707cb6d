package cluster

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
)

// right is a node with correct settings.
func right() *node {
	n := &node{name: "db-1:5432", synced: 1, settings: map[string]setting{
		"idle_in_transaction_session_timeout": {value: "700", unit: "ms"}, "lock_timeout": {value: "5000", unit: "ms"},
		"tcp_keepalives_idle": {value: "5", unit: "s"}, "tcp_keepalives_interval": {value: "1", unit: "s"}, "tcp_user_timeout": {value: "5000", unit: "ms"},
		"autovacuum_naptime": {value: "10", unit: "s"}, "autovacuum_analyze_threshold": {value: "500", unit: ""}, "autovacuum_analyze_scale_factor": {value: "0.05", unit: ""},
		"synchronous_standby_names": {value: "ANY 1 (*)", unit: ""}, "synchronous_commit": {value: "on", unit: ""},
		"fsync": {value: "on", unit: ""}, "full_page_writes": {value: "on", unit: ""}, "data_checksums": {value: "on", unit: ""}, "autovacuum": {value: "on", unit: ""},
	}, counted: map[string]bool{}}
	for _, t := range tables {
		n.counted[t] = true
	}
	return n
}

// A setting that loses promises or stops the log passes, or a correct one is reported.
func TestRules(t *testing.T) {
	got := right().wrongSettings()
	testmust.Requiref(t, len(got) == 0, "of a node that is right: %v", errors.Join(got...))
	bad := map[string][]setting{
		"fsync": {{value: "off", unit: ""}}, "full_page_writes": {{value: "off", unit: ""}}, "data_checksums": {{value: "off", unit: ""}}, "autovacuum": {{value: "off", unit: ""}},
		"synchronous_commit":                  {{value: "off", unit: ""}, {value: "local", unit: ""}, {value: "remote_write", unit: ""}},
		"synchronous_standby_names":           {{value: "", unit: ""}},
		"idle_in_transaction_session_timeout": {{value: "0", unit: "ms"}, {value: "60000", unit: "ms"}},
		"lock_timeout":                        {{value: "0", unit: "ms"}},
		"tcp_keepalives_idle":                 {{value: "7200", unit: "s"}}, "tcp_keepalives_interval": {{value: "75", unit: "s"}}, "tcp_user_timeout": {{value: "0", unit: "ms"}},
		"autovacuum_naptime": {{value: "60", unit: "s"}}, "autovacuum_analyze_threshold": {{value: "501", unit: ""}}, "autovacuum_analyze_scale_factor": {{value: "0.1", unit: ""}},
	}
	testmust.Equal(t, len(bad), len(rules), "rules tried")
	for name, values := range bad {
		for _, v := range values {
			n := right()
			n.settings[name] = v
			got := n.wrongSettings()
			if len(got) != 1 || !strings.Contains(got[0].Error(), name+" is "+v.String()+", must be ") || !strings.HasPrefix(got[0].Error(), "PostgreSQL at db-1:5432: ") {
				t.Errorf("%s = %q: %v", name, v, errors.Join(got...))
			}
		}
	}
}

// A standby is blamed for what only a primary must have, a primary has lost its standby, or a
// database is another one or was never counted or pruned.
func TestNode(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*node)
		want string
	}{
		"a standby waits for nobody":      {func(n *node) { n.standby, n.synced, n.settings[standbyNames] = true, 0, setting{} }, ""},
		"who may not look":                {func(n *node) { n.synced = -1 }, ""},
		"a socket of this machine":        {func(n *node) { n.local, n.settings["tcp_user_timeout"] = true, setting{value: "0", unit: "ms"} }, ""},
		"the standby is gone":             {func(n *node) { n.synced = 0 }, "no synchronous standby is connected"},
		"another database":                {func(n *node) { delete(n.counted, "leafdata") }, "is it the one that Trillian uses"},
		"a table that was never analyzed": {func(n *node) { n.counted["leafdata"] = false }, "Run ANALYZE leafdata"},
		"set on the command line":         {func(n *node) { n.settings["fsync"] = setting{value: "off", fixed: true} }, "set where postgres is started"},
		"heads of a year":                 {func(n *node) { n.old = true }, "prune.sql"},
	} {
		n := right()
		c.do(n)
		got := errors.Join(n.wrongSettings()...)
		testmust.Holdf(t, (got == nil) == (c.want == "") && (got == nil || strings.Contains(got.Error(), c.want)), "%s: %v, want %q", name, got, c.want)
	}
}

// There are two primaries, or none, or only one machine.
func TestRoles(t *testing.T) {
	two, err := OpenDatabase("postgresql://trillian@a:1,b:2/trillian?sslmode=prefer")
	testmust.Requiref(t, err == nil && len(two.nodes) == 2, "%d nodes, %v", len(two.nodes), err)
	one, err := OpenDatabase("postgresql://trillian@a:1/trillian?sslmode=verify-full")
	testmust.Requiref(t, err == nil && len(one.nodes) == 1, "%d nodes, %v", len(one.nodes), err)
	primary, standby := &node{name: "a:1"}, &node{name: "b:2", standby: true}
	for _, c := range []struct {
		d     *Database
		nodes []*node
		want  string
	}{
		{two, []*node{primary, standby}, ""},
		{two, []*node{primary, {name: "b:2"}}, "a:1 and b:2 all take writes"},
		{two, []*node{standby, standby}, "no node takes writes"},
		{one, []*node{primary}, "only a:1 is named"},
	} {
		got := errors.Join(c.d.wrongRoles(c.nodes)...)
		testmust.Holdf(t, (got == nil) == (c.want == "") && (got == nil || strings.Contains(got.Error(), c.want)), "%v, want %q", got, c.want)
	}
}

// A list of processes shows the password, or another part later refuses the URI.
func TestOpen(t *testing.T) {
	for _, uri := range []string{"postgresql://u:secret@a/db", "postgres://u:s@a,b/db", "host=a password=secret", "host=a password = secret", "postgresql://u:se:secret@a:port/db", "postgresql://a:port/db"} {
		_, err := OpenDatabase(uri)
		testmust.Holdf(t, err != nil && !strings.Contains(err.Error(), "secret"), "%s: %v", uri, err)
	}
}

// A password crosses a network in the clear unnoticed, or a connection that nobody else can reach is
// refused.
func TestEncryptionIsSaid(t *testing.T) {
	t.Setenv("PGSSLMODE", "")
	for uri, want := range map[string]string{
		"postgresql://u@db-1/db":                                "db-1:5432",
		"postgresql://u@127.0.0.1,db-2/db":                      "db-2:5432",
		"host=10.0.0.7 user=u dbname=db":                        "10.0.0.7:5432",
		"postgresql://u@db-1/db?application_name=sslmode":       "db-1:5432",
		"postgresql://u@db-1/db?sslmode=disable":                "",
		"postgresql://u@db-1,db-2/db?sslmode=require":           "",
		"host=db-1 user=u sslmode = prefer":                     "",
		"postgresql://u@127.0.0.1:1,[::1]:2,localhost/db":       "",
		"postgresql://u@/db?host=/var/run/postgresql,127.0.0.1": "",
	} {
		_, err := OpenDatabase(uri)
		testmust.Holdf(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want) && strings.Contains(err.Error(), "sslmode=verify-full")),
			"%s: %v, want %q", uri, err, want)
	}
	t.Setenv("PGSSLMODE", "require")
	testmust.Have(OpenDatabase("postgresql://u@db-1/db"))(t)
}

// SetCallTime sets how long a call may take at one member.
func SetCallTime(t *testing.T, d time.Duration) {
	was := registerCallTime
	registerCallTime = d
	t.Cleanup(func() { registerCallTime = was })
}
