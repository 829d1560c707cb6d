package logbench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
)

// Posters post signed entries over REST and verify the receipts. A server bounds the requests of one
// address, so they use several: 127.0.1.1 and so on, which Linux answers without configuration.
//
// Each poster writes to and reads from its own connection. Connections of net/http's transport have
// two goroutines more, and a poster would take a fifth of what it measures.
type Posters struct {
	address  string // of the server
	receipts *Receipts
	posters  []*poster
}

// poster is one connection, made with the first post.
type poster struct {
	dialer net.Dialer
	conn   net.Conn
	stop   func() bool // the close when the context of the first post ends
	in     *bufio.Reader
	out    []byte
}

// clientsPerAddress is below the number of waiting requests that a server allows one address.
const clientsPerAddress = 64

// NewPosters returns n posters to a server on this machine.
func NewPosters(url string, r *Receipts, n int) *Posters {
	p := &Posters{address: strings.TrimPrefix(url, "http://"), receipts: r}
	for i := range n {
		each := &poster{}
		if n > clientsPerAddress {
			each.dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+i/clientsPerAddress))}
		}
		p.posters = append(p.posters, each)
	}
	return p
}

// Close closes the connections.
func (p *Posters) Close() error {
	var errs []error
	for _, each := range p.posters {
		if each.conn != nil && each.stop() {
			errs = append(errs, each.conn.Close())
		}
	}
	return errors.Join(errs...)
}

// Client returns the i-th poster. It posts these entries one after another.
func (p *Posters) Client(i int, entries [][]byte) Client {
	return func(ctx context.Context) (bool, error) {
		if len(entries) == 0 {
			return false, nil
		}
		entry := entries[0]
		entries = entries[1:]
		return true, p.postEntry(ctx, p.posters[i], entry)
	}
}

// postEntry posts one entry, which must be new and be applied.
func (p *Posters) postEntry(ctx context.Context, by *poster, entry []byte) error {
	status, body, err := by.send(ctx, p.address, entry)
	if err != nil {
		return err
	}
	if status != http.StatusCreated {
		return fmt.Errorf("logbench: status %d: %.300s", status, body)
	}
	var posted struct { // of client.PostedEntry
		Class   client.Class `json:"class"`
		Receipt string       `json:"receipt"`
	}
	if err := json.Unmarshal(body, &posted); err != nil {
		return err
	}
	if posted.Class != client.Applied {
		return fmt.Errorf("logbench: a move was %s", posted.Class)
	}
	receipt, err := tlog.ParseReceipt([]byte(posted.Receipt))
	if err != nil {
		return err
	}
	return p.receipts.Verify(receipt, entry)
}

// send posts one entry and returns the status and the body of the answer.
func (by *poster) send(ctx context.Context, address string, entry []byte) (status int, body []byte, err error) {
	if by.conn == nil {
		if by.conn, err = by.dialer.DialContext(ctx, "tcp", address); err != nil {
			return 0, nil, err
		}
		by.in = bufio.NewReader(by.conn)
		by.stop = context.AfterFunc(ctx, func() { _ = by.conn.Close() })
	}
	by.out = fmt.Appendf(by.out[:0], "POST /v1/entries HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", address, len(entry))
	by.out = append(by.out, entry...)
	if _, err := by.conn.Write(by.out); err != nil {
		return 0, nil, err
	}
	resp, err := http.ReadResponse(by.in, nil)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}
