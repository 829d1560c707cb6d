package tablelog

import (
	"context"
	"slices"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

// presentEvery is the interval at which a program reports its presence and asks for others': several
// times while a server remembers it.
const presentEvery = 10 * time.Second

// Attend reports to a server that a seat's program is at a table or open table, until the context
// ends, and calls tell with who is present, as the server says (70.17). Without a signer it only
// asks. It asks an unresponsive server again.
func Attend(ctx context.Context, c *client.Client, id wire.Hash, key string, signer note.Signer, tell func(present []string)) {
	challenge := make([]byte, wire.NonceBytes)
	for ctx.Err() == nil {
		if now, err := sayPresence(ctx, c, id, challenge, key, signer); err == nil {
			challenge = now.Challenge
			tell(now.Present)
		}
		select {
		case <-time.After(presentEvery):
		case <-ctx.Done():
		}
	}
}

// sayPresence answers a challenge, or the current one if that was old.
func sayPresence(ctx context.Context, c *client.Client, id wire.Hash, challenge []byte, key string, signer note.Signer) (now client.Presence, err error) {
	if signer == nil {
		return c.Presence(ctx, id)
	}
	for range 2 {
		said, err := offer.SignPresent(id, challenge, signer)
		if err != nil {
			return now, err
		}
		if now, err = c.PostSeatPresent(ctx, id, said.Text); err != nil || slices.Contains(now.Present, key) {
			return now, err
		}
		challenge = now.Challenge
	}
	return now, nil
}
