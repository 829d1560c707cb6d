package badgerstore

import (
	"context"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/google/trillian"
	"github.com/google/trillian/storage"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// AdminStorage returns the store as Trillian's storage of tree descriptions.
func (s *Store) AdminStorage() storage.AdminStorage { return adminStorage{s} }

type adminStorage struct{ *Store }

// CheckDatabaseAccessible returns an error if the store has failed.
func (s adminStorage) CheckDatabaseAccessible(context.Context) error { return s.Err() }

// Snapshot begins a transaction that only reads.
func (s adminStorage) Snapshot(context.Context) (storage.ReadOnlyAdminTX, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	return &adminTX{store: s.Store, txn: s.db.NewTransaction(false)}, nil
}

// ReadWriteTransaction runs f and commits what it wrote, once.
func (s adminStorage) ReadWriteTransaction(ctx context.Context, f storage.AdminTXFunc) error {
	s.adminWrite.Lock()
	defer s.adminWrite.Unlock()
	if err := s.Err(); err != nil {
		return err
	}
	tx := &adminTX{store: s.Store, txn: s.db.NewTransaction(true)}
	defer tx.Close()
	if err := f(ctx, tx); err != nil {
		return err
	}
	return s.commitDurably(tx.txn, nil)
}

// adminTX implements storage.AdminTX.
type adminTX struct {
	store *Store
	txn   *badger.Txn
}

// Commit ends a transaction that only read.
func (tx *adminTX) Commit() error { return tx.store.Err() }

// Close releases the transaction.
func (tx *adminTX) Close() error {
	tx.txn.Discard()
	return nil
}

// GetTree returns a tree, deleted or not.
func (tx *adminTX) GetTree(_ context.Context, id int64) (*trillian.Tree, error) {
	b, err := getValue(tx.txn, treeKey(prefixTree, id))
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, status.Errorf(codes.NotFound, "no tree %d", id)
	}
	return decodeTree(b)
}

func decodeTree(b []byte) (*trillian.Tree, error) {
	t := &trillian.Tree{}
	if err := proto.Unmarshal(b, t); err != nil {
		return nil, fmt.Errorf("stored tree: %w", err)
	}
	return t, nil
}

// ListTrees returns all trees.
func (tx *adminTX) ListTrees(_ context.Context, includeDeleted bool) ([]*trillian.Tree, error) {
	return listTrees(tx.txn, includeDeleted)
}

func (s *Store) listTrees(includeDeleted bool) (trees []*trillian.Tree, err error) {
	err = s.readOnly(func(txn *badger.Txn) error {
		trees, err = listTrees(txn, includeDeleted)
		return err
	})
	return trees, err
}

func listTrees(txn *badger.Txn, includeDeleted bool) ([]*trillian.Tree, error) {
	var trees []*trillian.Tree
	it := txn.NewIterator(badger.IteratorOptions{Prefix: []byte{prefixTree}})
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		b, err := it.Item().ValueCopy(nil)
		if err != nil {
			return nil, err
		}
		if len(b) == 0 {
			continue
		}
		t, err := decodeTree(b)
		if err != nil {
			return nil, err
		}
		if includeDeleted || !t.Deleted {
			trees = append(trees, t)
		}
	}
	return trees, nil
}

// CreateTree stores a new tree and gives it its id.
func (tx *adminTX) CreateTree(ctx context.Context, t *trillian.Tree) (*trillian.Tree, error) {
	if err := storage.ValidateTreeForCreation(ctx, t); err != nil {
		return nil, err
	}
	if t.StorageSettings != nil {
		return nil, status.Error(codes.InvalidArgument, "there are no storage settings")
	}
	id, err := storage.NewTreeID()
	if err != nil {
		return nil, err
	}
	created := proto.CloneOf(t)
	created.TreeId = id
	created.CreateTime = timestamppb.New(time.Now())
	created.UpdateTime = created.CreateTime
	return tx.putTree(created)
}

func (tx *adminTX) putTree(t *trillian.Tree) (*trillian.Tree, error) {
	b, err := proto.Marshal(t)
	if err != nil {
		return nil, err
	}
	return t, tx.txn.Set(treeKey(prefixTree, t.TreeId), b)
}

// A ledger never changes the description of its tree and never deletes the tree.

func (tx *adminTX) UpdateTree(context.Context, int64, func(*trillian.Tree)) (*trillian.Tree, error) {
	return nil, errUnasked
}
func (tx *adminTX) SoftDeleteTree(context.Context, int64) (*trillian.Tree, error) {
	return nil, errUnasked
}
func (tx *adminTX) UndeleteTree(context.Context, int64) (*trillian.Tree, error) {
	return nil, errUnasked
}
func (tx *adminTX) HardDeleteTree(context.Context, int64) error { return errUnasked }
