package client

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// Log returns the server's log with its keys.
func (s *Server) Log(ctx context.Context) (LogInfo, error) {
	return readAs[LogInfo](ctx, s, request{path: "/v1/log"})
}

// CreateTable posts a genesis entry and verifies its receipt.
func (c *Client) CreateTable(ctx context.Context, genesis []byte) (PostedEntry, error) {
	p, _, err := c.postVerified(ctx, "/v1/tables", genesis)
	return p, err
}

// Tables lists up to limit tables that pass the filter and whose genesis entries have indexes above
// after. A nil after lists from the first.
func (s *Server) Tables(ctx context.Context, filter TableFilter, after *uint64, limit int) (TableList, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if after != nil {
		query.Set("after", strconv.FormatUint(*after, 10))
	}
	for name, value := range map[string]string{"id": filter.ID, "state": string(filter.State), "player": filter.Player, "game": filter.Game, "event": filter.Event} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for name, value := range map[string]int{"round": filter.Round, "people": filter.People} {
		if value > 0 {
			query.Set(name, strconv.Itoa(value))
		}
	}
	return readAs[TableList](ctx, s, request{path: "/v1/tables?" + query.Encode()})
}

// Table returns the server's view of a table.
func (s *Server) Table(ctx context.Context, id wire.Hash) (Table, error) {
	return readAs[Table](ctx, s, request{path: "/v1/tables/" + id.String()})
}

// Post posts a message to a table and verifies its receipt. The error is a *Conflict if the message
// does not follow the head.
func (c *Client) Post(ctx context.Context, id wire.Hash, message []byte) (PostedEntry, error) {
	p, _, err := c.postVerified(ctx, "/v1/tables/"+id.String()+"/messages", message)
	return p, err
}

// ListedMessages returns entries of a table as the server lists them, from number n on, or none if
// there are no more.
func (s *Server) ListedMessages(ctx context.Context, id wire.Hash, n int) ([]Message, error) {
	page, err := s.messagePage(ctx, id, n, 0, "")
	return page.Messages, err
}

// FindCode returns what has a code of at least eight letters. The server may leave things out.
func (s *Server) FindCode(ctx context.Context, code string) (FoundList, error) {
	return readAs[FoundList](ctx, s, request{path: "/v1/find/" + url.PathEscape(code)})
}

// Mark returns a good mark of the log. It is proved to be in the log under a believed checkpoint, and
// its own checkpoint to belong to the same history. The server cannot prove that there is no mark.
func (c *Client) Mark(ctx context.Context, hash wire.Hash) (m keeper.Mark, err error) {
	p, err := readAs[ProvenMark](ctx, &c.Server, request{path: "/v1/marks/" + hash.String()})
	if err != nil {
		return m, err
	}
	cp, err := c.BelieveProof(ctx, []byte(p.Checkpoint))
	if err != nil {
		return m, err
	}
	of, err := marks.ReadMark(p.Index, []byte(p.Entry), c.keys)
	if err != nil {
		return m, err
	}
	in := tlog.Inclusion{Index: p.Index, Size: cp.Size, Hashes: treeHashes(p.Inclusion)}
	if err := in.Verify(tlog.Hash(hash), cp.Root); err != nil {
		return m, err
	}
	grown := tlog.Consistency{Old: of.Size, Size: cp.Size, Hashes: treeHashes(p.Consistency)}
	if wire.HashEntry([]byte(p.Entry)) != hash {
		return m, fmt.Errorf("%w mark: the server answers with another one than %s", tlog.ErrMalformed, hash)
	}
	return marks.MarkOf(p.Index, of), grown.Verify(of.Root, cp.Root)
}

func treeHashes(list []wire.Hash) []tlog.Hash {
	hashes := make([]tlog.Hash, len(list))
	for i, h := range list {
		hashes[i] = tlog.Hash(h)
	}
	return hashes
}

// Clock returns the state of a table's clock, as the server says.
func (s *Server) Clock(ctx context.Context, id wire.Hash) (Clock, error) {
	return readAs[Clock](ctx, s, request{path: "/v1/tables/" + id.String() + "/clock"})
}
