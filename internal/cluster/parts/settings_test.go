package parts

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/postgres"
)

// A PostgreSQL that is as it should be and is complained of, or one whose setting was changed and
// nobody notices: what pakli asks it for is not what it answers.
func TestDatabaseSettings(t *testing.T) {
	dir := t.TempDir()
	testmust.Do(t, errors.Join(os.Chmod(dir, 0o711), os.Chmod(dir+"/..", 0o711)))
	var pair [2]*Database
	for i, name := range []string{"first", "second"} {
		d, err := newDatabase(dir, dir, name)
		if err != nil {
			t.Skip("NOT RUN: ", err)
		}
		pair[i] = d
		defer d.Kill()
	}
	ctx := t.Context()
	schema := dir + "/schema"
	testmust.Do(t, os.WriteFile(schema, []byte(smallSchema), 0o644))
	testmust.Do(t, errors.Join(pair[0].BeginPrimary(ctx, schema), pair[1].BeginStandby(ctx, pair[0].Addr()), pair[0].Synchronous(ctx, true)))
	both := testmust.Have(postgres.Open(uri(pair[0].Addr()+","+pair[1].Addr(), "postgres") + "?sslmode=disable"))(t)
	wrong := func(want string) {
		t.Helper()
		list, err := both.Wrong(ctx)
		if got := errors.Join(list...); err != nil || (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("it says %v, %v; want %q", got, err, want)
		}
	}
	wrong("Run ANALYZE trees, treehead")
	testmust.Do(t, both.Analyze(ctx))
	wrong("")
	testmust.Do(t, pair[0].Exec(ctx, "ALTER ROLE trillian SET synchronous_commit = 'local'"))
	wrong("synchronous_commit is local, must be on, or a standby")
	err := pair[0].Exec(ctx, "ALTER ROLE trillian RESET synchronous_commit; INSERT INTO TreeHead VALUES (1, 1), (1, 2)")
	testmust.Do(t, err)
	wrong("prune.sql")
	prune := testmust.Have(os.ReadFile("../../../deploy/cluster/prune.sql"))(t)
	testmust.Do(t, pair[0].Exec(ctx, string(prune)))
	wrong("")
	if n, err := pair[0].Number(ctx, "SELECT TreeHeadTimestamp FROM TreeHead"); n != 2 || err != nil {
		t.Errorf("of two old heads of a tree %d is left, %v", n, err)
	}
	testmust.Do(t, pair[1].Promote(ctx))
	wrong("all take writes")
}

// smallSchema has Trillian's tables, as far as they are looked at.
const smallSchema = `CREATE TABLE Trees (TreeId BIGINT); INSERT INTO Trees VALUES (1);
CREATE TABLE TreeHead (TreeId BIGINT, TreeHeadTimestamp BIGINT, PRIMARY KEY (TreeId, TreeHeadTimestamp));
CREATE TABLE Subtree (TreeId BIGINT); CREATE TABLE LeafData (TreeId BIGINT); CREATE TABLE SequencedLeafData (TreeId BIGINT); CREATE TABLE Unsequenced (TreeId BIGINT);`
