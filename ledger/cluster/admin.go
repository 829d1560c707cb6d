package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/trillian"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/pakli/pakli/ledger/tlog"
)

// CreateTree makes an empty tree for the log called origin at log servers and returns it with its
// id. If imports is true, the tree takes entries in a given order until [Tree.Release].
func CreateTree(ctx context.Context, origin string, imports bool, at Servers) (*Tree, int64, error) {
	t, err := OpenTree(0, at)
	if err != nil {
		return nil, 0, err
	}
	kind := trillian.TreeType_LOG
	if imports {
		kind = trillian.TreeType_PREORDERED_LOG
	}
	s := t.readers.Members()[0] // only one server: a repeated call would make two trees
	made, err := s.admin.CreateTree(ctx, &trillian.CreateTreeRequest{Tree: &trillian.Tree{
		TreeState: trillian.TreeState_ACTIVE, TreeType: kind, DisplayName: shortText(origin, 20), Description: shortText("pakli log "+origin, 200),
		MaxRootDuration: durationpb.New(0),
	}})
	if err == nil {
		t.id = made.GetTreeId()
		_, err = s.log.InitLog(ctx, &trillian.InitLogRequest{LogId: t.id})
	}
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return nil, 0, errors.Join(withServer(s, err), t.Close())
	}
	return t, t.id, nil
}

func shortText(text string, n int) string { return text[:min(len(text), n)] }

// ErrUnfit is the class of a fault of the tree itself, which does not pass with time.
var ErrUnfit = errors.New("the cluster is none for a log")

// CheckState returns an error of class ErrUnfit if the tree is not fit for a log, or nil. Any other
// error says that the tree could not be asked.
func (t *Tree) CheckState(ctx context.Context) error {
	tree, err := t.getTree(ctx)
	if err != nil {
		return err
	}
	if list := wrongSettings(tree); len(list) > 0 {
		return fmt.Errorf("%w: %w", ErrUnfit, errors.Join(list...))
	}
	return nil
}

func (t *Tree) getTree(ctx context.Context) (*trillian.Tree, error) {
	missing := func(err error) bool { return status.Code(err) == codes.NotFound }
	tree, err := AskPeers(ctx, t.readers, missing, func(ctx context.Context, s *server) (*trillian.Tree, error) {
		tree, err := s.admin.GetTree(ctx, &trillian.GetTreeRequest{TreeId: t.id})
		return tree, withServer(s, err)
	})
	if err != nil && missing(err) {
		return nil, fmt.Errorf("%w: the log servers have no tree %d (--trillian-tree): is it another cluster, or a database that was made anew? %w", ErrUnfit, t.id, err)
	}
	return tree, err
}

// wrongSettings lists the settings of a tree under which a log is not safe or stands still.
func wrongSettings(tree *trillian.Tree) (list []error) {
	id := tree.GetTreeId()
	switch {
	case tree.GetTreeType() == trillian.TreeType_PREORDERED_LOG:
		list = append(list, fmt.Errorf("tree %d is of type PREORDERED_LOG, in which nothing keeps two signers apart: an import was not finished, run pakli cluster import again", id))
	case tree.GetTreeType() != trillian.TreeType_LOG:
		list = append(list, fmt.Errorf("tree %d is of type %v, must be LOG", id, tree.GetTreeType()))
	}
	if tree.GetMaxRootDuration().AsDuration() != 0 {
		list = append(list, fmt.Errorf("tree %d has max_root_duration %v, must be 0: a signer without leaves may store an old size anew", id, tree.GetMaxRootDuration().AsDuration()))
	}
	if tree.GetDeleted() {
		list = append(list, fmt.Errorf("tree %d is deleted: undelete it before it is collected", id))
	}
	return list
}

// IsFrozen reports whether the tree has stopped taking entries for good.
func (t *Tree) IsFrozen(ctx context.Context) (bool, error) {
	tree, err := t.getTree(ctx)
	return tree.GetTreeState() == trillian.TreeState_FROZEN, err
}

// Freeze makes the tree stop taking entries for good. It drains the tree first, so that entries
// handed in before are integrated, and freezes it once settled has returned nil.
func (t *Tree) Freeze(ctx context.Context, settled func(context.Context) error) error {
	if err := t.updateTree(ctx, &trillian.Tree{TreeState: trillian.TreeState_DRAINING}, "tree_state"); err != nil {
		return err
	}
	if err := settled(ctx); err != nil {
		return err
	}
	return t.updateTree(ctx, &trillian.Tree{TreeState: trillian.TreeState_FROZEN}, "tree_state")
}

func (t *Tree) updateTree(ctx context.Context, tree *trillian.Tree, fields ...string) error {
	tree.TreeId = t.id
	_, err := AskPeers(ctx, t.writers, nil, func(ctx context.Context, s *server) (*trillian.Tree, error) {
		tree, err := s.admin.UpdateTree(ctx, &trillian.UpdateTreeRequest{Tree: tree, UpdateMask: &fieldmaskpb.FieldMask{Paths: fields}})
		return tree, withServer(s, err)
	})
	return err
}

// SequencedEntry is an entry for Import with its index and blobs.
type SequencedEntry struct {
	Index uint64
	Entry []byte
	Blobs [][]byte
}

// Import puts entries into a tree that was created for imports. Entries that it has already may be
// put again.
func (t *Tree) Import(ctx context.Context, entries []SequencedEntry) error {
	leaves := make([]*trillian.LogLeaf, len(entries))
	for i, e := range entries {
		hash := tlog.LeafHash(e.Entry)
		leaves[i] = &trillian.LogLeaf{LeafIndex: int64(e.Index), LeafValue: e.Entry, ExtraData: packBlobs(e.Blobs), LeafIdentityHash: hash[:]}
	}
	r, err := AskPeers(ctx, t.writers, nil, func(ctx context.Context, s *server) (*trillian.AddSequencedLeavesResponse, error) {
		r, err := s.log.AddSequencedLeaves(ctx, &trillian.AddSequencedLeavesRequest{LogId: t.id, Leaves: leaves})
		return r, withServer(s, err)
	})
	if err != nil {
		return err
	}
	bad := slices.IndexFunc(r.GetResults(), func(l *trillian.QueuedLogLeaf) bool {
		code := codes.Code(l.GetStatus().GetCode())
		return code != codes.OK && code != codes.AlreadyExists && code != codes.FailedPrecondition
	})
	if bad >= 0 {
		return fmt.Errorf("entry %d: %s", entries[bad].Index, r.GetResults()[bad].GetStatus().GetMessage())
	}
	return nil
}

// Release turns a tree for imports into one that orders its entries itself.
func (t *Tree) Release(ctx context.Context) error {
	for _, change := range []*trillian.Tree{
		{TreeState: trillian.TreeState_FROZEN},
		{TreeType: trillian.TreeType_LOG},
		{TreeState: trillian.TreeState_ACTIVE},
	} {
		field := "tree_state"
		if change.TreeType != 0 {
			field = "tree_type"
		}
		if err := t.updateTree(ctx, change, field); err != nil {
			return err
		}
	}
	return nil
}
