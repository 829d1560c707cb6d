package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Thread reads only one table of a log (docs/spec/70-http.md, 70.10). Every message it returns is at
// its index in the tree of a checkpoint that the log has signed, and that tree extends everything
// that the client has believed before. It is not proved that the server has left out nothing between
// two messages; [Client.Messages] reads everything and proves that.
//
// A Thread belongs to one goroutine.
type Thread struct {
	client   *Client
	id       wire.Hash
	messages []Message
	edge     tlog.Tree // of the entries up to and including the last message
}

// Thread returns a thread of a table before anything was read.
func (c *Client) Thread(id wire.Hash) *Thread { return &Thread{client: c, id: id} }

// Messages is [Client.Messages] with the guarantees of a Thread. The caller must not change the list.
func (t *Thread) Messages(ctx context.Context, n int, wait time.Duration) ([]Message, error) {
	if n < len(t.messages) {
		return t.messages[n:], nil
	}
	believed := t.client.BelievedCheckpoint()
	page, err := t.client.messagePage(ctx, t.id, len(t.messages), wait, "&"+t.standingQuery(believed))
	if err != nil {
		return nil, t.behindError(ctx, believed, err)
	}
	if err := t.extendThread(ctx, believed, page); err != nil {
		return nil, err
	}
	return t.messages[min(n, len(t.messages)):], nil
}

// standingQuery returns a query with the client's knowledge of the log.
func (t *Thread) standingQuery(believed tlog.Checkpoint) string {
	return fmt.Sprintf("edge=%d&size=%d", t.edge.Size(), believed.Size)
}

// behindError distinguishes a server that shows less than was believed from one that is away.
func (t *Thread) behindError(ctx context.Context, believed tlog.Checkpoint, err error) error {
	if !errors.Is(err, tlog.ErrRange) {
		return err
	}
	signed, shown := t.client.ShownCheckpoint(ctx, 0, 0)
	if shown != nil {
		return errors.Join(err, shown)
	}
	c, shown := t.client.openCheckpoint(signed)
	if shown != nil || c.Size >= believed.Size {
		return errors.Join(err, shown)
	}
	return &RollbackError{Believed: believed, Shown: c}
}

// extendThread checks a page and appends it.
func (t *Thread) extendThread(ctx context.Context, believed tlog.Checkpoint, page Messages) error {
	if len(page.Messages) == 0 {
		return nil
	}
	for i, m := range page.Messages {
		if m.N != len(t.messages)+i {
			return fmt.Errorf("%w list of messages: number %d is out of order", tlog.ErrMalformed, m.N)
		}
		if m.N == 0 && wire.HashEntry([]byte(m.Entry)) != t.id {
			return fmt.Errorf("%w list of messages: number 0 is not the genesis entry of table %s", tlog.ErrMalformed, t.id)
		}
	}
	cp, err := t.client.openCheckpoint([]byte(page.Checkpoint))
	if err != nil {
		return err
	}
	edge, err := t.growTree(believed, cp, page.Messages, page.Growth)
	if err == nil {
		err = t.client.adoptGrown(ctx, believed, cp) // first: the edge must belong to a believed tree
	}
	if err != nil {
		return err
	}
	t.messages, t.edge = append(t.messages, page.Messages...), edge
	return nil
}

// growTree computes the tree of cp from the edge, the messages and the subtrees between them. On the
// way it compares the tree with the believed one. It returns the edge after the last message.
func (t *Thread) growTree(believed, cp tlog.Checkpoint, messages []Message, growth string) (edge tlog.Tree, err error) {
	hashes, err := tlog.ParseHashes(growth)
	if err != nil {
		return edge, err
	}
	if cp.Origin != believed.Origin {
		return edge, twoLogs(believed, cp)
	}
	if cp.Size < believed.Size {
		return edge, &RollbackError{Believed: believed, Shown: cp}
	}
	if err := tlog.CheckFork(believed, cp); err != nil {
		return edge, err
	}
	tree, began := t.edge.Clone(), tlog.Hash{}
	skip := func(end uint64) {
		if err == nil && tree.Size() <= believed.Size && believed.Size <= end {
			hashes, err = tree.SkipTo(believed.Size, hashes)
			began = tree.Root()
		}
		if err == nil {
			hashes, err = tree.SkipTo(end, hashes)
		}
	}
	for _, m := range messages {
		if m.Index >= cp.Size {
			return edge, fmt.Errorf("%w: message at index %d of %d", tlog.ErrRange, m.Index, cp.Size)
		}
		if skip(m.Index); err != nil {
			return edge, err
		}
		tree.Append(tlog.LeafHash([]byte(m.Entry)))
	}
	edge = tree.Clone()
	if skip(cp.Size); err != nil {
		return edge, err
	}
	if len(hashes) > 0 {
		return edge, fmt.Errorf("%w growth: %d hashes too many", tlog.ErrMalformed, len(hashes))
	}
	if tree.Root() != cp.Root {
		return edge, &tlog.RootError{Check: "growth", Size: cp.Size, Computed: tree.Root(), Expected: cp.Root}
	}
	if began != believed.Root {
		return edge, &tlog.BeginningError{A: believed, B: cp, Root: began}
	}
	return edge, nil
}

// adoptGrown believes cp, which extends old. If another call has believed something else meanwhile,
// it compares that too.
func (c *Client) adoptGrown(ctx context.Context, old, cp tlog.Checkpoint) error {
	if c.replaceBelieved(old, cp) {
		return nil
	}
	return c.believeNewer(ctx, cp)
}

// Post posts a message to the table. If it returns nil, the message is in the log, with a receipt as
// consistent as everything read. The error is a *Conflict if the message does not follow the head.
func (t *Thread) Post(ctx context.Context, parcel []byte) (PostedEntry, error) {
	believed := t.client.BelievedCheckpoint()
	p, r, err := t.client.postUnbelieved(ctx, "/v1/tables/"+t.id.String()+"/messages?"+t.standingQuery(believed), parcel)
	if err != nil {
		return PostedEntry{}, err
	}
	cp, err := t.client.openCheckpoint(r.Checkpoint)
	if err != nil {
		return PostedEntry{}, err
	}
	entry, _ := wire.CutParcel(parcel)
	var own []Message
	if r.Index >= t.edge.Size() {
		own = []Message{{N: p.N, Index: r.Index, Class: p.Class, Fault: p.Fault, Entry: string(entry)}}
	}
	edge, err := t.growTree(believed, cp, own, p.Growth)
	if err == nil {
		err = t.client.adoptGrown(ctx, believed, cp)
	}
	if err != nil {
		return PostedEntry{}, err
	}
	if own != nil && p.N == len(t.messages) && p.N > 0 {
		t.messages, t.edge = append(t.messages, own...), edge // and need not be read again
	}
	return p, nil
}

// BelieveProof is BelieveCheckpoint for callers that read no tiles: the server proves with one short
// proof that one tree is the beginning of the other. If it does not, tiles decide, so that a verdict
// on the log is certain.
func (c *Client) BelieveProof(ctx context.Context, signed []byte) (tlog.Checkpoint, error) {
	cp, err := c.openCheckpoint(signed)
	if err != nil {
		return cp, err
	}
	old := c.BelievedCheckpoint()
	first, last := old, cp
	if first.Size > last.Size {
		first, last = last, first
	}
	if first.Size == 0 || first.Size == last.Size || first.Origin != last.Origin {
		return cp, c.believeNewer(ctx, cp)
	}
	err = c.checkGrowth(ctx, first, last)
	if p, ok := errors.AsType[*Problem](err); ok && p.hasSlug(BeyondLog) {
		return cp, err
	}
	if err != nil {
		return cp, c.believeNewer(ctx, cp)
	}
	if cp.Size < old.Size {
		return cp, nil
	}
	return cp, c.adoptGrown(ctx, old, cp)
}

func (c *Client) checkGrowth(ctx context.Context, older, newer tlog.Checkpoint) error {
	path := fmt.Sprintf("/v1/consistency?old=%d&size=%d", older.Size, newer.Size)
	d, err := readAs[Consistency](ctx, &c.Server, request{path: path, accept: "application/json"})
	if err != nil {
		return err
	}
	return tlog.Consistency{Old: d.Old, Size: d.Size, Hashes: treeHashes(d.Hashes)}.VerifyGrowth(older, newer)
}
