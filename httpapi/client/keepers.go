package client

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
)

// Keeper is a keeper of messages at a URL (docs/spec/66-cosigners.md, 66.8).
type Keeper struct {
	// Name is the keeper's name, and Lines the verifier key of its lines.
	Name, Lines string
	server      Server
}

// NewKeeper returns the keeper at a URL. A nil Carrier means the default one.
func NewKeeper(name, base, lines string, carry Carrier) (*Keeper, error) {
	s, err := newServer(base, carry)
	return &Keeper{name, lines, s}, err
}

func (k *Keeper) String() string { return "keeper " + k.Name }

// keeperLine bounds an answer of a keeper, in bytes.
const keeperLine = 1 << 10

// Hold gives the keeper a message and returns its verified line.
func (k *Keeper) Hold(ctx context.Context, r exchange.Request) (line []byte, err error) {
	m, err := keeper.NewMessage(r.Message)
	if err != nil {
		return nil, err
	}
	if line, err = k.askLine(ctx, "/hold", r); err == nil {
		_, err = keeper.VerifyHold(k.Lines, line, m.Place, m.Entry)
	}
	return line, err
}

// Silence asks the keeper for a silence and returns its verified line.
func (k *Keeper) Silence(ctx context.Context, r exchange.Request) (line []byte, err error) {
	if line, err = k.askLine(ctx, "/silence", r); err == nil {
		_, err = keeper.VerifySilence(k.Lines, line, keeper.Place{Table: wire.HashEntry(r.Genesis), Parent: r.Parent, Seat: r.Seat})
	}
	return line, err
}

// Present tells the keeper where a seat is.
func (k *Keeper) Present(ctx context.Context, r exchange.Request) error {
	_, _, err := k.server.sendOnce(ctx, request{path: "/present", entry: r.Marshal(), limit: keeperLine})
	return err
}

func (k *Keeper) askLine(ctx context.Context, path string, r exchange.Request) ([]byte, error) {
	answer, _, err := k.server.sendOnce(ctx, request{path: path, entry: r.Marshal(), limit: keeperLine})
	if err != nil {
		return nil, err
	}
	_, line, err := exchange.ParseLine(string(answer))
	return line, err
}

// HeldMessages returns what the keeper shows of a table after an index, unverified.
func (k *Keeper) HeldMessages(ctx context.Context, table wire.Hash, after int64) (s exchange.KeeperView, err error) {
	answer, _, err := k.server.sendOnce(ctx, request{path: fmt.Sprintf("/held/%s?after=%d", table, after), limit: maxDocument})
	if err == nil {
		err = json.Unmarshal(answer, &s)
	}
	return s, err
}
