package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/wire"
)

// begunTable is a table that its organiser has signed. It is kept beside the seat file from
// before it is posted until it is in the log: whoever forgot it could sign a second table of the offer.
type begunTable struct {
	Offer   string `json:"offer"`
	Genesis string `json:"genesis"`
}

const begunSuffix = ".genesis"

func begunFile(seat string, o *offer.Offer) string {
	return seat + "." + o.Hash.String() + begunSuffix
}

func (b begunTable) keepBeside(seat string, o *offer.Offer) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return durable.Replace(begunFile(seat, o), text, 0o600)
}

// postAndForget posts the table of an offer and forgets it. A seat of the organiser's that plays there sits at
// no other table of the offer.
func (b begunTable) postAndForget(ctx context.Context, c *client.Client, seat, key string, o *offer.Offer) (id wire.Hash, err error) {
	e, err := wire.Parse([]byte(b.Genesis))
	if err != nil {
		return id, err
	}
	if _, err := c.CreateTable(ctx, []byte(b.Genesis)); err != nil {
		return id, err
	}
	if slices.Contains(e.Table.Seats, key) {
		if err := sitsAt(seat, o, e.Hash); err != nil {
			return id, err
		}
	}
	return e.Hash, os.Remove(begunFile(seat, o))
}

// postBegun posts the tables of this log that the organiser has signed and that may not have
// come into it, and prints their ids.
func (e env) postBegun(ctx context.Context, c *client.Client, seat, key, log string) (some bool, err error) {
	files, err := os.ReadDir(filepath.Dir(seat))
	if err != nil {
		return false, err
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), filepath.Base(seat)+".") || filepath.Ext(f.Name()) != begunSuffix {
			continue
		}
		file := filepath.Join(filepath.Dir(seat), f.Name())
		var b begunTable
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &b)
		}
		var o *offer.Offer
		if err == nil {
			o, err = offer.Parse([]byte(b.Offer))
		}
		if err != nil {
			return some, fmt.Errorf("%s, which keeps a table that was begun: %w", file, err)
		}
		if filepath.Clean(file) != filepath.Clean(begunFile(seat, o)) || o.Log != log {
			continue // of another seat, or log
		}
		c.PostOffer(ctx, o.Text) // players who wait learn of the table by it; without it the table counts as well
		id, err := b.postAndForget(ctx, c, seat, key, o)
		if err != nil {
			return some, fmt.Errorf("the table that is kept in %s: %w", file, err)
		}
		some = true
		fmt.Fprintf(e.err, "this table was begun before, and is posted again; no new one is offered\n")
		fmt.Fprintln(e.out, id)
	}
	return some, nil
}
