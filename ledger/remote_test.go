package ledger_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/cluster"
	"github.com/pakli/pakli/ledger/cluster/clustertest"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"golang.org/x/mod/sumdb/note"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const remoteOrigin = "example.com/remote"

// createRemote starts two log servers of one tree.
func createRemote(t *testing.T) (s *clustertest.Server, tree *cluster.Tree, stop func()) {
	t.Helper()
	s = clustertest.New()
	first, stop := s.Start(t)
	second, _ := s.Start(t)
	made, id, err := cluster.CreateTree(t.Context(), remoteOrigin, false, cluster.Servers{Addresses: []string{first, second}})
	testmust.Do(t, err)
	made.Close()
	tree = testmust.Have(cluster.OpenTree(id, cluster.Servers{Addresses: []string{first, second}}))(t)
	t.Cleanup(func() { tree.Close() })
	return s, tree, stop
}

func leaves(t *testing.T, tree *cluster.Tree, start, end uint64) (list []ledger.Leaf) {
	t.Helper()
	for l, err := range tree.Leaves(t.Context(), start, end) {
		testmust.Do(t, err)
		list = append(list, l)
	}
	return list
}

// An entry that is altered, lost or taken twice on its way to the tree and back, or blobs
// that get into each other.
func TestQueue(t *testing.T) {
	_, tree, _ := createRemote(t)
	blobs := [][]byte{{1, 2, 3}, {}, bytes.Repeat([]byte{7}, 1<<20)}
	for range 2 {
		for i := range 3 {
			testmust.Do(t, tree.Queue(t.Context(), ledgertest.Entry(i), blobs[:i]))
		}
	}
	size, root, err := tree.Head(t.Context())
	var want tlog.Tree
	for i, l := range leaves(t, tree, 0, 10) {
		want.Append(tlog.LeafHash(l.Entry))
		testmust.Holdf(t, bytes.Equal(l.Entry, ledgertest.Entry(i)) && len(l.Blobs) == i, "leaf %d is %q with %d blobs", i, l.Entry, len(l.Blobs))
		for n, b := range l.Blobs {
			testmust.Hold(t, bytes.Equal(b, blobs[n]), "blob", n, "of leaf", i, "is another one")
		}
	}
	testmust.Holdf(t, err == nil && size == 3 && root == want.Root(), "head: %d, %v, %v; want 3, %v", size, root, err, want.Root())
	testmust.FailBy(t, tree.Queue(t.Context(), nil, nil), tlog.ErrEmpty, "an empty entry")
	err = tree.Queue(t.Context(), []byte{1}, slices9())
	testmust.FailBy(t, err, tlog.ErrTooLarge, "more blobs than a message has room for")
}

func slices9() (blobs [][]byte) {
	for range 9 {
		blobs = append(blobs, make([]byte, 1<<20))
	}
	return blobs
}

// A client that is served by one log server alone, though the other goes on.
func TestLogServerDies(t *testing.T) {
	_, tree, stop := createRemote(t)
	testmust.Do(t, tree.Queue(t.Context(), ledgertest.Entry(0), nil))
	stop()
	for i := range 20 {
		testmust.Do(t, tree.Queue(t.Context(), ledgertest.Entry(i), nil), "entry", i)
		_, _, err := tree.Head(t.Context())
		testmust.Do(t, err, "head after entry", i)
	}
	testmust.Equal(t, len(leaves(t, tree, 0, 100)), 20, "leaves")
}

// A piece that does not fit into a message ends the following for good.
func TestLeavesHalve(t *testing.T) {
	s, tree, _ := createRemote(t)
	for i := range 40 {
		testmust.Do(t, tree.Queue(t.Context(), ledgertest.Entry(i), nil))
	}
	refusals := 0
	s.Fault = func(call string) error {
		if strings.HasSuffix(call, "GetLeavesByRange") && refusals < 4 {
			refusals++
			return status.Error(codes.ResourceExhausted, "larger than max")
		}
		return nil
	}
	got := len(leaves(t, tree, 0, 40))
	testmust.Holdf(t, got >= 2 && got < 40, "%d leaves after four refusals of 40", got)
}

// A tree with which a log is not safe, or none at all, is served.
func TestTreeIsWrong(t *testing.T) {
	s := clustertest.New()
	address, _ := s.Start(t)
	made, id, err := cluster.CreateTree(t.Context(), remoteOrigin, true, cluster.Servers{Addresses: []string{address}})
	testmust.Do(t, err)
	defer made.Close()
	err = made.CheckState(t.Context())
	testmust.FailSaying(t, err, "PREORDERED_LOG", "a tree in which nothing keeps two signers apart")
	testmust.Do(t, made.Release(t.Context()))
	testmust.Do(t, made.CheckState(t.Context()), "after its import")
	other := testmust.Have(cluster.OpenTree(id+1, cluster.Servers{Addresses: []string{address}}))(t)
	defer other.Close()
	testmust.FailSaying(t, other.CheckState(t.Context()), "--trillian-tree", "a tree that is not there")
	testmust.Do(t, made.Freeze(t.Context(), func(context.Context) error { return nil }))
	err = made.Queue(t.Context(), []byte{1}, nil)
	testmust.Holdf(t, errors.Is(err, cluster.ErrFrozen) && errors.Is(err, tlog.ErrReadOnly), "an entry for a log that was closed: %v", err)
}

// What a log promises, over the wire.
func TestLogOverTrillian(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) (tlog.Log, note.Verifier) {
		_, tree, _ := createRemote(t)
		dir := t.TempDir()
		key := testmust.Have(ledger.CreateKey(dir, remoteOrigin, rand.Reader))(t)
		o := ledger.Options{Signer: key.Signer, Store: new(ledgertest.Stores), Order: tree, Register: ledgertest.NewRegister(), Follows: "test", Poll: 20 * time.Millisecond}
		testmust.Do(t, ledger.Create(dir, o))
		l := testmust.Have(ledger.Open(dir, o))(t)
		t.Cleanup(func() { l.Close() })
		return l, key.Verifier
	})
}
