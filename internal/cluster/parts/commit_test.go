package parts

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
)

// The design rests on it that a commit which waits for the standby and is cancelled is committed, and seen by
// others, though the standby does not have it: who takes what PostgreSQL shows for what two machines have promises what may be lost.
func TestCancelledCommitIsCommitted(t *testing.T) {
	dir := t.TempDir()
	testmust.Do(t, errors.Join(os.Chmod(dir, 0o711), os.Chmod(dir+"/..", 0o711)))
	d, err := newDatabase(dir, dir, "alone")
	if err != nil {
		t.Skip("NOT RUN: ", err)
	}
	defer d.Kill()
	ctx, schema := t.Context(), dir+"/schema"
	testmust.Do(t, os.WriteFile(schema, []byte("CREATE TABLE promised (n int)"), 0o644))
	testmust.Do(t, errors.Join(d.BeginPrimary(ctx, schema), d.Exec(ctx, "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'"), d.Exec(ctx, "SELECT pg_reload_conf()")))
	seen := func() int64 {
		t.Helper()
		return testmust.Have(d.Number(ctx, "SELECT count(*) FROM promised"))(t)
	}
	caller, giveUp := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- d.Exec(caller, "INSERT INTO promised VALUES (1)") }()
	d.await(t, "the commit waits", "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	if n := seen(); n != 0 {
		t.Errorf("%d rows are seen while the commit waits", n)
	}
	giveUp()
	testmust.Fail(t, <-ended, "the caller was told that it is committed")
	d.await(t, "it is seen", "SELECT count(*) FROM promised")
}

// await returns when a number is not 0.
func (d *Database) await(t *testing.T, what, query string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if n, err := d.Number(t.Context(), query); err != nil {
			t.Fatal(err)
		} else if n > 0 {
			return
		}
	}
	t.Fatalf("waited for a minute until %s", what)
}
