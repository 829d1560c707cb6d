package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
)

// Posters post signed entries over REST and verify the receipts. A server bounds
// what one address may do, so they come from several: 127.0.1.1 and so on, which
// Linux has without being told.
type Posters struct {
	url      string
	receipts *Receipts
	clients  []*http.Client
}

// clientsPerAddress is less than a server lets wait of one address.
const clientsPerAddress = 64

// NewPosters returns so many posters to a server on this machine.
func NewPosters(url string, r *Receipts, n int) *Posters {
	p := &Posters{url: url, receipts: r}
	for first := 0; first < n; first += clientsPerAddress {
		d := &net.Dialer{}
		if n > clientsPerAddress {
			d.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+first/clientsPerAddress))}
		}
		p.clients = append(p.clients, &http.Client{Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: clientsPerAddress}})
	}
	return p
}

// Close closes the connections.
func (p *Posters) Close() {
	for _, c := range p.clients {
		c.CloseIdleConnections()
	}
}

// Client is the i-th poster. It posts these entries, one after another.
func (p *Posters) Client(i int, entries [][]byte) Client {
	return func(ctx context.Context) (bool, error) {
		if len(entries) == 0 {
			return false, nil
		}
		entry := entries[0]
		entries = entries[1:]
		return true, p.post(ctx, p.clients[i/clientsPerAddress], entry)
	}
}

// post posts one entry, which must be new and be applied.
func (p *Posters) post(ctx context.Context, c *http.Client, entry []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/v1/entries", bytes.NewReader(entry))
	if err != nil {
		return err
	}
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("load: status %d: %.300s", resp.StatusCode, body)
	}
	var posted client.Posted
	if err := json.Unmarshal(body, &posted); err != nil {
		return err
	}
	if posted.Class != client.Applied {
		return fmt.Errorf("load: a move was %s", posted.Class)
	}
	receipt, err := tlog.ParseReceipt([]byte(posted.Receipt))
	if err != nil {
		return err
	}
	return p.receipts.Verify(receipt, entry)
}
