// Command play plays tables for the second verifier to judge.
//
//	play < TABLES > LOGS
//
// It reads a JSON object for each table and writes one with the table's entries. One process plays
// all seats (package tabletest): moves and proofs are those of `pakli play`, but nothing is sent or
// verified twice, so it is several times as fast. By default the seats make any move that the game
// offers, even those that bots never would.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

type playRequest struct {
	Genesis   []byte   `json:"genesis"`   // the entry, signed
	Organiser string   `json:"organiser"` // private key, in the format of package note
	Seats     []string `json:"seats"`     // private keys
	Seed      uint64   `json:"seed"`      // determines everything
	Bots      bool     `json:"bots"`      // play sensibly
	Most      int      `json:"most"`      // messages, after which the table stays unfinished
}

// playResult has a table's entries with the blobs that they name, or the reason why it does not open.
type playResult struct {
	Entries [][]byte `json:"entries,omitempty"`
	Blobs   [][]byte `json:"blobs,omitempty"`
	Refused string   `json:"refused,omitempty"`
}

func main() {
	if err := playAll(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "play:", err)
		os.Exit(1)
	}
}

func playAll(in io.Reader, out io.Writer) error {
	tables, logs := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var a playRequest
		if err := tables.Decode(&a); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		p, err := a.playTable()
		if err != nil {
			return err
		}
		if err := logs.Encode(p); err != nil {
			return err
		}
	}
}

func (a playRequest) playTable() (playResult, error) {
	t, err := a.openTable()
	if err != nil {
		return playResult{Refused: err.Error()}, nil
	}
	for range a.Most {
		if len(t.State.Duties()) == 0 {
			break
		}
		entry, err := a.nextMessage(t)
		if err != nil {
			return playResult{}, err
		}
		if err := t.Add(entry); err != nil {
			return playResult{}, err
		}
	}
	return splitParcels(t.Entries)
}

// openTable opens the table, if its genesis entry is valid.
func (a playRequest) openTable() (*tabletest.Table, error) {
	e, err := wire.Parse(a.Genesis)
	if err != nil {
		return nil, err
	}
	game, known := games.Lookup(e.Table.Game)
	s, proved := suite.Lookup(e.Table.Suite)
	if !known || !proved {
		return nil, fmt.Errorf("%s with %s is not known", e.Table.Game, e.Table.Suite)
	}
	var signers []note.Signer
	for _, key := range append(a.Seats, a.Organiser) {
		signer, err := note.NewSigner(key)
		if err != nil {
			return nil, err
		}
		signers = append(signers, signer)
	}
	n := len(a.Seats)
	return tabletest.OpenSeated(game, tabletest.Config{Seats: n, Suite: s}, e.Table, signers[n], signers[:n], a.Seed)
}

func (a playRequest) nextMessage(t *tabletest.Table) ([]byte, error) {
	if !a.Bots {
		return t.Next()
	}
	duties := t.State.Duties()
	for _, i := range t.Choice.Perm(len(duties)) {
		d := duties[i]
		for _, j := range t.Choice.Perm(len(d.Seats)) {
			if d.Kind != table.Move {
				return t.HonestMessage(d.Seats[j], d, nil)
			}
			if move, err := t.Choose(d.Seats[j], t.Choice); err != nil || move != nil {
				return message(t, d.Seats[j], d, move, err)
			}
		}
	}
	return nil, errors.New("every bot waits for another")
}

func message(t *tabletest.Table, seat table.Seat, d table.Duty, move json.RawMessage, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return t.HonestMessage(seat, d, move)
}

// splitParcels separates entries from their blobs.
func splitParcels(parcels [][]byte) (p playResult, err error) {
	for _, parcel := range parcels {
		e, err := wire.Parse(parcel)
		if err != nil {
			return p, err
		}
		p.Entries = append(p.Entries, e.Bytes())
		if e.Message != nil {
			p.Blobs = append(p.Blobs, e.Message.BlobBytes()...)
		}
	}
	return p, nil
}
