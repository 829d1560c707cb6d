package bulletin

import (
	"errors"
	"fmt"
	"net/url"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/wire"
)

// PushFormat is the format of a Push, which is no entry and in no log.
const PushFormat = "push/v1"

// Bounds of a subscription (RFC 8291, sections 2 and 3.2): an uncompressed point of P-256, and a
// secret.
const (
	maxEndpoint   = 1024
	pushKeyBytes  = 65
	pushAuthBytes = 16
)

// Push is the subscription by which a browser learns what concerns its seat in an event (70.16), in
// the terms of its push service.
type Push struct {
	Format   string    `json:"pakli"`
	Event    wire.Hash `json:"event"`
	By       string    `json:"by"`
	Endpoint string    `json:"endpoint"`
	Key      []byte    `json:"key"`  // messages are encrypted to it
	Auth     []byte    `json:"auth"` // the secret that authenticates messages
	Language string    `json:"language"`

	Text []byte `json:"-"` // as it was signed
}

// Sign signs a subscription.
func (p Push) Sign(seat note.Signer) ([]byte, error) {
	p.Format = PushFormat
	return wire.SignChecked(p, seat, func(doc []byte) error { _, err := ParsePush(doc); return err })
}

// ParsePush reads a subscription and verifies that its seat has signed it.
func ParsePush(doc []byte) (*Push, error) {
	p := new(Push)
	d, err := wire.ParseDocument(doc, wire.MaxDocument, PushFormat, p)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	v, err := wire.ParseVerifier(p.By)
	if err == nil {
		err = d.Verify(v)
	}
	p.Text = d.Bytes()
	return p, err
}

func (p *Push) check() error {
	at, err := url.Parse(p.Endpoint)
	switch {
	case err != nil || len(p.Endpoint) > maxEndpoint || at.Scheme != "https" || at.Host == "" || at.User != nil:
		return fmt.Errorf("the endpoint must be an https address of at most %d bytes", maxEndpoint)
	case len(p.Key) != pushKeyBytes || len(p.Auth) != pushAuthBytes:
		return fmt.Errorf("key and auth must have %d and %d bytes", pushKeyBytes, pushAuthBytes)
	case len(p.Language) != 2:
		return errors.New("the language must have two letters")
	}
	return nil
}
