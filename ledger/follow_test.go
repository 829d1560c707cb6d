package ledger_test

import (
	"crypto/rand"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// cluster is what front ends of one log share.
type cluster struct {
	key      ledger.Key
	order    *ledgertest.Order
	register *ledgertest.Register
	stores   *ledgertest.Stores
}

const follows = "tree 1 register /pakli/test/promise"

func newCluster(t testing.TB) *cluster {
	t.Helper()
	key := testmust.Have(ledger.CreateKey(t.TempDir(), origin, rand.Reader))(t)
	return &cluster{key: key, order: ledgertest.NewOrder(), register: ledgertest.NewRegister(), stores: new(ledgertest.Stores)}
}

func (c *cluster) options() ledger.Options {
	return ledger.Options{Signer: c.key.Signer, Store: c.stores, Order: c.order, Register: c.register, Follows: follows}
}

// directory makes one for a front end.
func (c *cluster) directory(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	testmust.Do(t, ledger.Create(dir, c.options()))
	return dir
}

// join opens a front end with a directory of its own.
func (c *cluster) join(t testing.TB) *ledger.Ledger {
	t.Helper()
	l := testmust.Have(ledger.Open(c.directory(t), c.options()))(t)
	t.Cleanup(func() { l.Close() })
	return l
}

// A log whose order others decide keeps every promise of a log.
func TestFollowingIsALog(t *testing.T) {
	ledgertest.RunInMemory(t, func(t *testing.T) (tlog.Log, note.Verifier) {
		c := newCluster(t)
		return c.join(t), c.key.Verifier
	})
}
