package client

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Log asks the server whose log it is. Nothing of the answer is verified.
func (c *Client) Log(ctx context.Context) (LogInfo, error) {
	var info LogInfo
	return info, c.document(ctx, request{method: http.MethodGet, path: "/v1/log"}, &info)
}

// Create posts a genesis entry and verifies its receipt.
func (c *Client) Create(ctx context.Context, genesis []byte) (Posted, error) {
	p, _, err := c.post(ctx, "/v1/tables", genesis)
	return p, err
}

// Tables lists up to limit tables whose genesis entries have indexes above
// after; a nil after lists from the first.
func (c *Client) Tables(ctx context.Context, after *uint64, limit int) (TableList, error) {
	path := fmt.Sprintf("/v1/tables?limit=%d", limit)
	if after != nil {
		path += fmt.Sprintf("&after=%d", *after)
	}
	var list TableList
	return list, c.document(ctx, request{method: http.MethodGet, path: path}, &list)
}

// Table asks the server for its view of a table. Nothing of the answer is
// verified.
func (c *Client) Table(ctx context.Context, id wire.Hash) (Table, error) {
	var t Table
	return t, c.document(ctx, request{method: http.MethodGet, path: "/v1/tables/" + id.String()}, &t)
}

// Post posts a message to a table and verifies its receipt. The error is a
// *Conflict if the message does not build on the head.
func (c *Client) Post(ctx context.Context, id wire.Hash, message []byte) (Posted, error) {
	p, _, err := c.post(ctx, "/v1/tables/"+id.String()+"/messages", message)
	return p, err
}

// Messages returns entries of a table from the n-th on, in the order of the
// log; the genesis entry is number 0. It waits up to wait for the first one.
// There may be more. Each entry was found in the log at its index, under a
// believed checkpoint; numbers and classes are the server's word.
func (c *Client) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([]Message, error) {
	path := fmt.Sprintf("/v1/tables/%s/messages?from=%d", id, n)
	if wait > 0 {
		path += fmt.Sprintf("&wait=%.3f", wait.Seconds())
	}
	var page Messages
	if err := c.document(ctx, request{method: http.MethodGet, path: path, wait: wait}, &page); err != nil {
		return nil, err
	}
	return page.Messages, c.checkMessages(ctx, page.Messages, n)
}

// checkMessages finds the messages in the log.
func (c *Client) checkMessages(ctx context.Context, list []Message, n int) error {
	if len(list) == 0 {
		return nil
	}
	indexes, entries := make([]uint64, len(list)), make([][]byte, len(list))
	for i, m := range list {
		if m.N != n+i || i > 0 && m.Index <= list[i-1].Index {
			return fmt.Errorf("%w list of messages: number %d at index %d is out of order", tlog.ErrMalformed, m.N, m.Index)
		}
		indexes[i], entries[i] = m.Index, []byte(m.Entry)
	}
	last := indexes[len(indexes)-1]
	cp, err := c.at(ctx, min(last, maxSize)+1)
	if err != nil {
		return err
	}
	return c.checkLeaves(ctx, cp, indexes, entries)
}
