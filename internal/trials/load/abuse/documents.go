package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/wire"
)

// Numbers of documents that are signed before the abuse begins.
const (
	registered = 5000 // notices already in the log, which make the event's bundle long
	further    = 4000 // notices posted as abuse, and as many offers
)

func newSigner(name string) (note.Signer, string, error) {
	secret, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return nil, "", err
	}
	s, err := note.NewSigner(secret)
	return s, public, err
}

// prepareEvent posts an event with many registrations, and signs more of them.
func (h *hall) prepareEvent() error {
	s, key, err := newSigner("organiser")
	if err != nil {
		return err
	}
	secret := sha256.Sum256([]byte("secret"))
	announcement, err := bulletin.Sign(&bulletin.Event{
		Format: bulletin.EventFormat, Name: "Cup", Game: "schwarzer-peter/v1", Suite: suite.Default, Options: map[string]string{"pack": "52"}, Deals: 1, Rounds: 1,
		Sizes: []int{3}, Seating: []bulletin.Seating{bulletin.SeatAtRandom}, Draw: bulletin.DrawCommit, Commit: hex.EncodeToString(secret[:]), Score: bulletin.ScoreSum, Places: []int{},
		Ties: []bulletin.Tie{}, Substitute: bulletin.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateUndo}, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Registration: bulletin.Registration{Max: bulletin.MaxPlayers}, Arbiters: []string{}, Jury: []string{}, Organiser: key, Nonce: make([]byte, wire.NonceBytes),
	}, s)
	if err != nil {
		return err
	}
	if err := postAccepted(clientAt("127.0.3.100"), h.URL, announcement); err != nil {
		return err
	}
	id := wire.HashEntry(announcement)
	h.Event = "/v1/events/" + id.String()
	var list [][]byte
	for i := range registered + further {
		s, key, err := newSigner(fmt.Sprint("p", i))
		if err != nil {
			return err
		}
		body, err := wire.EncodeBody(bulletin.RegisterBody{Name: wire.Text(fmt.Sprintf("%s %d", strings.Repeat("é", 40), i)), Club: wire.Text(strings.Repeat("ő", 48))})
		if err != nil {
			return err
		}
		entry, err := bulletin.Sign(&bulletin.Notice{Format: bulletin.NoticeFormat, Event: id, Seen: id, By: key, Kind: bulletin.Register, Body: body}, s)
		if err != nil {
			return err
		}
		list = append(list, entry)
	}
	h.Registrations = list[registered:]
	return postAll(h.URL, list[:registered])
}

// postAll posts entries from some addresses concurrently, within their rates.
func postAll(url string, list [][]byte) error {
	const addresses = 20
	var wg sync.WaitGroup
	var errs [addresses]error
	for i := range addresses {
		wg.Go(func() {
			c := clientAt(fmt.Sprintf("127.0.3.%d", 101+i))
			for at := i; at < len(list) && errs[i] == nil; at += addresses {
				errs[i] = postAccepted(c, url, list[at])
			}
		})
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

// prepareOffers signs offers of tables.
func (h *hall) prepareOffers(log string) error {
	s, key, err := newSigner("host")
	if err != nil {
		return err
	}
	for i := range further {
		o, err := offer.Offer{
			Table:  wire.Genesis{Game: "schwarzer-peter/v1", Suite: suite.Default, Options: map[string]string{"pack": "52"}, Deals: 1, Fouls: wire.RefuseFouls, Organiser: key},
			Places: 3, Title: fmt.Sprint("table ", i), Log: log, Nonce: make([]byte, wire.NonceBytes),
		}.Sign(s)
		if err != nil {
			return err
		}
		h.Offers = append(h.Offers, o.Text)
	}
	return nil
}

// certificate makes a certificate and its key, and returns the server's arguments for them.
func certificate(dir string) ([]string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{"localhost"}}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	var args []string
	for _, f := range []struct {
		flag, kind string
		der        []byte
	}{{"--tls-cert", "CERTIFICATE", cert}, {"--tls-key", "PRIVATE KEY", secret}} {
		path := filepath.Join(dir, f.flag[2:])
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: f.kind, Bytes: f.der}), 0o600); err != nil {
			return nil, err
		}
		args = append(args, f.flag, path)
	}
	return args, nil
}
