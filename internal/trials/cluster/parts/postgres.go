package parts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/pakli/pakli/internal/trials/cluster/process"
)

// Database is one node of PostgreSQL.
type Database struct {
	*process.Process
	name, dir, bin string
	port           int
	user           *process.User
}

// databaseSettings are settings without which a cluster loses its promises or stands still.
var databaseSettings = []string{
	"listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "wal_level=replica", "hot_standby=on",
	"synchronous_commit=on",
	"idle_in_transaction_session_timeout=700ms", "lock_timeout=5s",
	"tcp_keepalives_idle=5", "tcp_keepalives_interval=1", "tcp_keepalives_count=5", "tcp_user_timeout=5s",
	"wal_sender_timeout=5s", "wal_receiver_timeout=5s", "wal_retrieve_retry_interval=500ms",
	"autovacuum_naptime=10s", "autovacuum_analyze_threshold=500", "autovacuum_analyze_scale_factor=0.05",
}

// newDatabase returns a node without files. initdb and postgres refuse to run as root.
func newDatabase(dir, logs, name string) (*Database, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return nil, errors.Join(errors.New("no PostgreSQL here: apt-get install postgresql"), err)
	}
	d := &Database{name: name, dir: filepath.Join(dir, name), bin: filepath.Dir(slices.Max(found))}
	if os.Getuid() == 0 {
		if d.user, err = lookup("postgres"); err != nil {
			return nil, err
		}
	}
	if d.port, err = freePort(); err != nil {
		return nil, err
	}
	args := []string{"-D", d.dir, "-p", strconv.Itoa(d.port)}
	for _, s := range databaseSettings {
		args = append(args, "-c", s)
	}
	d.Process = process.New(logs, process.Command{Name: name, Path: filepath.Join(d.bin, "postgres"), Args: args, User: d.user, Stop: syscall.SIGINT, Death: syscall.SIGQUIT})
	return d, nil
}

func lookup(name string) (*process.User, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &process.User{UID: uint32(uid), GID: uint32(gid)}, err
}

// Addr returns the node's own address.
func (d *Database) Addr() string { return fmt.Sprintf("127.0.0.1:%d", d.port) }

// runProgram runs one of PostgreSQL's programs as the user of the node.
func (d *Database) runProgram(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(d.bin, program), args...)
	cmd.Dir = filepath.Dir(d.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if d.user != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: d.user.UID, Gid: d.user.GID}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return nil
}

// Dir is the node's directory.
func (d *Database) Dir() string { return d.dir }

// empty makes the node's directory again. A mount point stays.
func (d *Database) empty() error {
	_ = os.RemoveAll(d.dir) // fails for a mount point
	if err := errors.Join(os.MkdirAll(d.dir, 0o700), os.Chmod(d.dir, 0o700)); err != nil || d.user == nil {
		return err
	}
	return os.Chown(d.dir, int(d.user.UID), int(d.user.GID))
}

// BeginPrimary makes a new primary with Trillian's tables and starts it.
func (d *Database) BeginPrimary(ctx context.Context, schema string) error {
	if err := d.empty(); err != nil {
		return err
	}
	if err := d.runProgram(ctx, "initdb", "-k", "-D", d.dir, "-U", "trillian", "-A", "trust", "-N", "--locale=C", "-E", "UTF8"); err != nil {
		return err
	}
	if err := d.StartReady(ctx); err != nil {
		return err
	}
	tables, err := os.ReadFile(schema)
	if err != nil {
		return err
	}
	return d.Exec(ctx, string(tables))
}

// BeginStandby makes the node again as a copy of the primary, which it follows at an address, and
// starts it.
func (d *Database) BeginStandby(ctx context.Context, primary string) error {
	d.Kill()
	if err := d.copyPrimary(ctx, primary); err != nil {
		return err
	}
	alone, err := os.OpenFile(filepath.Join(d.dir, "postgresql.auto.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = alone.WriteString("synchronous_standby_names = ''\n")
	if err := errors.Join(err, alone.Close()); err != nil {
		return err
	}
	return d.StartReady(ctx)
}

// copyPrimary copies the primary. It tries again if the primary's tcp_user_timeout ended the copy
// because the machine was busy.
func (d *Database) copyPrimary(ctx context.Context, primary string) (err error) {
	for range 5 {
		if err = d.empty(); err != nil {
			return err
		}
		err = d.runProgram(ctx, "pg_basebackup", "-D", d.dir, "-R", "-X", "stream", "-c", "fast", "-d", uri(primary, "postgres")+"?application_name="+d.name)
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// StartReady starts the node and waits until it answers.
func (d *Database) StartReady(ctx context.Context) error {
	_ = os.Remove(filepath.Join(d.dir, "postmaster.pid")) // of a killed process, whose number may have been reused
	if err := d.Start(); err != nil {
		return err
	}
	return d.Await(ctx, func(ctx context.Context) error { return d.Exec(ctx, "SELECT 1") })
}

// Synchronous sets whether every commit waits for a standby. If so, it waits until a standby is
// there.
func (d *Database) Synchronous(ctx context.Context, on bool) error {
	names := map[bool]string{true: "ANY 1 (*)"}[on]
	if err := errors.Join(d.Exec(ctx, "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'"), d.Exec(ctx, "SELECT pg_reload_conf()")); err != nil || !on {
		return err
	}
	return d.Await(ctx, func(ctx context.Context) error {
		n, err := d.Number(ctx, "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')")
		if err == nil && n == 0 {
			err = errors.New("no synchronous standby")
		}
		return err
	})
}

// Promote makes a standby the primary, which waits for no standby.
func (d *Database) Promote(ctx context.Context) error {
	if err := d.Exec(ctx, "SELECT pg_promote(true, 60)"); err != nil {
		return err
	}
	return d.Await(ctx, func(ctx context.Context) error {
		n, err := d.Number(ctx, "SELECT pg_is_in_recovery()::int")
		if err == nil && n != 0 {
			err = errors.New("it is still a standby")
		}
		return err
	})
}

// Exec runs statements.
func (d *Database) Exec(ctx context.Context, statements string) error {
	return d.withConnection(ctx, func(c *pgx.Conn) error {
		_, err := c.PgConn().Exec(ctx, statements).ReadAll()
		return err
	})
}

// Number returns the result of a query for one number.
func (d *Database) Number(ctx context.Context, query string) (n int64, err error) {
	err = d.withConnection(ctx, func(c *pgx.Conn) error { return c.QueryRow(ctx, query).Scan(&n) })
	return n, err
}

func (d *Database) withConnection(ctx context.Context, do func(*pgx.Conn) error) error {
	c, err := pgx.Connect(ctx, uri(d.Addr(), "postgres")+"?connect_timeout=20&sslmode=disable")
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	return do(c)
}

func uri(hosts, database string) string { return "postgresql://trillian@" + hosts + "/" + database }
