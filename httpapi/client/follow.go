package client

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// followedTable is a table as far as this client has read it.
type followedTable struct {
	turn   chan struct{} // held by the goroutine that asks the server
	called uint64        // number of the last call; guarded by Client.mu
	next   uint64        // every earlier entry of the log was checked; owned by the holder of turn

	mu       sync.Mutex
	messages []Message // only appended to
}

// messagesFrom returns the known messages from the n-th on, and the number of known messages.
func (f *followedTable) messagesFrom(n int) ([]Message, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.messages[min(n, len(f.messages)):]), len(f.messages)
}

func (f *followedTable) addMessages(page []Message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.messages = append(f.messages, page...)
}

// maxFollowed bounds the tables whose messages are kept.
const maxFollowed = 256

// hashesAtOnce is how many leaf hashes are read together: sixteen tiles.
const hashesAtOnce = 16 * tlog.TileWidth

// Messages returns entries of a table from the n-th on, in the order of the log; the genesis entry is
// number 0. It waits up to wait for the first one. There may be more. Classes are only the server's
// word.
//
// The result has all entries of the table up to the last one returned. For that it is not enough to
// prove each entry in the log: Messages also reads the entries that the server does not list, and
// checks that they belong to other tables. A [Thread] does not, and costs a fraction.
func (c *Client) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([]Message, error) {
	f := c.followTable(id)
	if list, _ := f.messagesFrom(n); len(list) > 0 {
		return list, nil
	}
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	list, count := f.messagesFrom(n) // another call may have asked meanwhile
	if len(list) > 0 {
		return list, nil
	}
	page, err := c.messagePage(ctx, id, count, wait, "")
	if err == nil {
		err = c.extendTable(ctx, id, f, count, page.Messages)
	}
	if err != nil {
		return nil, err
	}
	list, _ = f.messagesFrom(n)
	return list, nil
}

func (c *Client) followTable(id wire.Hash) *followedTable {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	f, ok := c.followed[id]
	if !ok {
		if len(c.followed) >= maxFollowed {
			c.forgetOldest()
		}
		f = &followedTable{turn: make(chan struct{}, 1)}
		c.followed[id] = f
	}
	f.called = c.calls
	return f
}

// forgetOldest forgets the table that was asked for longest ago. Calls that are reading it go on;
// later calls read it again.
func (c *Client) forgetOldest() {
	var oldest wire.Hash
	first := uint64(math.MaxUint64)
	for id, f := range c.followed {
		if f.called < first {
			oldest, first = id, f.called
		}
	}
	delete(c.followed, oldest)
}

// messagePage returns the server's list of a table's entries from number n on; query is appended to
// the request.
func (s *Server) messagePage(ctx context.Context, id wire.Hash, n int, wait time.Duration, query string) (Messages, error) {
	path := fmt.Sprintf("/v1/tables/%s/messages?from=%d%s", id, n, query)
	if wait > 0 {
		path += fmt.Sprintf("&wait=%.3f", wait.Seconds())
	}
	return readAs[Messages](ctx, s, request{path: path, wait: wait})
}

// extendTable checks a page and appends it to the first count messages.
func (c *Client) extendTable(ctx context.Context, id wire.Hash, f *followedTable, count int, page []Message) error {
	if len(page) == 0 {
		return nil
	}
	indexes, entries := make([]uint64, len(page)), make([][]byte, len(page))
	next := f.next
	for i, m := range page {
		if m.Index >= maxSize {
			return fmt.Errorf("%w: message at index %d", tlog.ErrRange, m.Index)
		}
		if m.N != count+i || m.Index < next {
			return fmt.Errorf("%w list of messages: number %d at index %d is out of order", tlog.ErrMalformed, m.N, m.Index)
		}
		next = m.Index + 1
		indexes[i], entries[i] = m.Index, []byte(m.Entry)
	}
	cp, err := c.believedAt(ctx, next)
	if err != nil {
		return err
	}
	if err := c.checkLeaves(ctx, cp, indexes, entries); err != nil {
		return err
	}
	if err := c.checkGaps(ctx, cp, id, f, page); err != nil {
		return err
	}
	f.addMessages(page)
	f.next = next
	return nil
}

// checkGaps checks every entry between the listed ones. Before the genesis entry, only an earlier
// copy of it would matter: messages cannot precede it.
func (c *Client) checkGaps(ctx context.Context, cp tlog.Checkpoint, id wire.Hash, f *followedTable, page []Message) error {
	from, last := f.next, page[len(page)-1].Index
	first := page
	if known, _ := f.messagesFrom(0); len(known) > 0 {
		first = known
	}
	genesis := []byte(first[0].Entry)
	for _, m := range page {
		var err error
		if m.N == 0 {
			err = c.checkFirst(ctx, cp, id, m)
		} else {
			err = c.checkGap(ctx, cp, id, genesis, from, m.Index, last)
		}
		if err != nil {
			return err
		}
		from = m.Index + 1
	}
	return nil
}

// checkFirst checks that number 0 is the genesis entry at its first place.
func (c *Client) checkFirst(ctx context.Context, cp tlog.Checkpoint, id wire.Hash, m Message) error {
	if wire.HashEntry([]byte(m.Entry)) != id {
		return fmt.Errorf("%w list of messages: number 0 is not the genesis entry of table %s", tlog.ErrMalformed, id)
	}
	return c.eachLeaf(ctx, cp, m.Index, func(index uint64, hash wire.Hash) error {
		if hash == id {
			return leftOut(id, index)
		}
		return nil
	})
}

// eachLeaf calls see with the hashes of the first entries of a signed tree.
func (c *Client) eachLeaf(ctx context.Context, cp tlog.Checkpoint, end uint64, see func(index uint64, hash wire.Hash) error) error {
	read := c.hashesOf(ctx, cp)
	for from := uint64(0); from < end; from += hashesAtOnce {
		stored := make([]int64, 0, hashesAtOnce)
		for i := from; i < min(from+hashesAtOnce, end); i++ {
			stored = append(stored, sumdb.StoredHashIndex(0, int64(i)))
		}
		hashes, err := read(stored)
		if err != nil {
			return err
		}
		for i, h := range hashes {
			if err := see(from+uint64(i), wire.Hash(h)); err != nil {
				return err
			}
		}
	}
	return nil
}

// EntriesLike returns the indexes of all entries of the log for whose hashes likes returns true. A
// server cannot leave one out.
func (c *Client) EntriesLike(ctx context.Context, likes func(wire.Hash) bool) (list []uint64, err error) {
	cp, err := c.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	err = c.eachLeaf(ctx, cp, cp.Size, func(index uint64, hash wire.Hash) error {
		if likes(hash) {
			list = append(list, index)
		}
		return nil
	})
	return list, err
}

// checkGap checks that the entries from start to end-1 belong to other tables. The last gap ends
// before ahead.
func (c *Client) checkGap(ctx context.Context, cp tlog.Checkpoint, id wire.Hash, genesis []byte, start, end, ahead uint64) error {
	for start < end {
		entries, err := c.entryTile(ctx, cp, start, end, ahead)
		if err != nil {
			return err
		}
		for i, e := range entries {
			if wire.Concerns(e, id, genesis) {
				return leftOut(id, start+uint64(i))
			}
		}
		start += uint64(len(entries))
	}
	return nil
}

// leftOut returns the error for a left-out entry: the fault is the server's, since the log has the
// entry.
func leftOut(id wire.Hash, index uint64) error {
	return fmt.Errorf("%w list of messages: the server leaves out entry %d of table %s", tlog.ErrMalformed, index, id)
}
