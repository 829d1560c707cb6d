package main

import (
	"context"
	"crypto/rand"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// cheat posts what a seat owes next with a proof that is wrong.
func cheat(ts *testscript.TestScript, args []string) {
	ctx := context.Background()
	tableID, err := wire.ParseHash(args[0])
	ts.Check(err)
	c := logClient(ts)
	id, err := seatfile.Open(ts.MkAbs(args[1]), "")
	ts.Check(err)
	defer func() { ts.Check(id.Close()) }()
	s, err := replayed(ctx, c, tableID)
	ts.Check(err)
	secret, err := id.Secret(tableID, s.Suite(), rand.Reader)
	ts.Check(err)
	for seat := range table.Seat(s.Seats()) {
		if s.Holder(seat) != id.VerifierKey() {
			continue
		}
		owed := s.Owed(seat)
		if len(owed) == 0 {
			ts.Fatalf("the seat owes nothing")
		}
		entry, err := player.Hand{Seat: seat, Secret: secret, Signer: id.Signer()}.Message(s, owed[0], nil, rand.Reader)
		ts.Check(err)
		e, err := wire.Parse(entry)
		ts.Check(err)
		e.Message.Proofs[0][5] ^= 1
		entry, err = wire.Sign(e.Message, id.Signer())
		ts.Check(err)
		_, err = c.Post(ctx, tableID, entry)
		ts.Check(err)
	}
}
