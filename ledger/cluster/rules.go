package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// rule is the requirement for one setting.
type rule struct {
	name    string
	good    func(setting) bool
	want    string
	without string // what happens otherwise
	set     string // a value that satisfies the rule
	begun   string // what to do if setting a value is not enough
	primary bool   // for the primary only: a standby's value matters once it is promoted
	network bool   // for connections over a network only
}

func (r rule) howToMend(s setting) string {
	if r.begun != "" {
		return r.begun
	}
	if s.fixed {
		return fmt.Sprintf("It is set where postgres is started: let it be %s there", r.set)
	}
	return fmt.Sprintf("ALTER SYSTEM SET %s = '%s'; SELECT pg_reload_conf()", r.name, r.set)
}

const standbyNames = "synchronous_standby_names"

// rules apply to every node, since a standby may become the primary.
var rules = []rule{
	mustBeOn("fsync", "a machine that loses power loses promised entries"),
	mustBeOn("full_page_writes", "a page that was being written when power failed is lost"),
	{name: "data_checksums", good: isAnyOf("on"), want: "on", without: "a page that the disk has altered is served as it is",
		begun: "Stop the node, run pg_checksums --enable, start it"},
	{name: "synchronous_commit", good: isAnyOf("on", "remote_apply"), want: "on", set: "on",
		without: "a standby that is promoted lacks promised entries, and the front ends stop until a person has brought them back"},
	{name: standbyNames, good: func(s setting) bool { return s.value != "" }, want: "'ANY 1 (*)' or names of standbys", set: "ANY 1 (*)", primary: true,
		without: "no commit waits for the standby, which lacks promised entries when it is promoted"},
	timeWithin("idle_in_transaction_session_timeout", 5*time.Second, "700ms", "a signer that is paused in a transaction keeps its locks, and nothing is integrated until it goes on"),
	timeWithin("lock_timeout", 5*time.Second, "5s", "what waits for the locks of a signer that was cut off waits for ever"),
	cutConnection("tcp_keepalives_idle", "5"),
	cutConnection("tcp_keepalives_interval", "1"),
	cutConnection("tcp_user_timeout", "5s"),
	mustBeOn("autovacuum", "plans grow old, and what was integrated keeps its space"),
	timeWithin("autovacuum_naptime", 10*time.Second, "10s", "the plans of a young log are quadratic"),
	{name: "autovacuum_analyze_threshold", good: atMost(500), want: "500 or less", set: "500", without: "the plans of a young log are quadratic"},
	{name: "autovacuum_analyze_scale_factor", good: atMost(0.05), want: "0.05 or less", set: "0.05", without: "the plans of a young log are quadratic"},
}

func mustBeOn(name, without string) rule {
	return rule{name: name, good: isAnyOf("on"), want: "on", set: "on", without: without}
}

func isAnyOf(values ...string) func(setting) bool {
	return func(s setting) bool { return slices.Contains(values, s.value) }
}

// timeWithin is the rule of a setting that is a time. The value 0 means no limit and is not good.
func timeWithin(name string, limit time.Duration, value, without string) rule {
	good := func(s setting) bool {
		took, err := s.asTime()
		return err == nil && took > 0 && took <= limit
	}
	return rule{name: name, good: good, want: fmt.Sprintf("more than 0 and at most %v", limit), set: value, without: without}
}

// cutConnection is the rule of a time-out that ends a connection that was cut off.
func cutConnection(name, value string) rule {
	r := timeWithin(name, 10*time.Second, value, "a connection that was cut off keeps its locks")
	r.network = true
	return r
}

func (s setting) asTime() (time.Duration, error) {
	n, err := strconv.Atoi(s.value)
	unit := map[string]time.Duration{"ms": time.Millisecond, "s": time.Second}[s.unit]
	return time.Duration(n) * unit, err
}

func atMost(limit float64) func(setting) bool {
	return func(s setting) bool {
		n, err := strconv.ParseFloat(s.value, 64)
		return err == nil && n <= limit
	}
}
