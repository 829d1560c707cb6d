package tablelog

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// OtherServer is another server of the log: one of pakli, or any that shows the log as in
// docs/spec/65-log.md, all of which is read then.
type OtherServer struct {
	url      string
	client   *client.Client
	threads  map[wire.Hash]*client.Thread
	keys     []note.Verifier
	unlisted bool // it lists no messages
}

// NewOtherServer returns the server at a URL. A nil Carrier means the default one.
func NewOtherServer(url string, carry client.Carrier, key note.Verifier, also ...note.Verifier) (*OtherServer, error) {
	c, err := client.New(url, key, carry, also...)
	return &OtherServer{url: url, client: c, threads: map[wire.Hash]*client.Thread{}, keys: append([]note.Verifier{key}, also...)}, err
}

func (e *OtherServer) String() string { return e.url }

func (e *OtherServer) thread(id wire.Hash) *client.Thread {
	if e.threads[id] == nil {
		e.threads[id] = e.client.Thread(id)
	}
	return e.threads[id]
}

// Blob implements tlog.BlobReader.
func (e *OtherServer) Blob(ctx context.Context, hash [32]byte) ([]byte, error) {
	return e.client.Blob(ctx, hash)
}

// Look implements Place.
func (e *OtherServer) Look(ctx context.Context, id wire.Hash, believed tlog.Checkpoint) (tlog.Checkpoint, []client.Message, error) {
	if e.unlisted {
		return readWhole(ctx, e.client, id, believed, e.keys)
	}
	signed, err := e.client.ShownCheckpoint(ctx, 0, 0)
	if err == nil {
		_, err = e.client.BelieveProof(ctx, signed)
	}
	if err != nil {
		return tlog.Checkpoint{}, nil, err
	}
	list, err := readAll(ctx, e.thread(id))
	p, refused := errors.AsType[*client.Problem](err)
	switch {
	case refused && p.Type == client.ProblemBase+client.UnknownTable:
		list, err = nil, nil
	case refused && p.Status == 404 && !errors.Is(err, tlog.ErrRange):
		e.unlisted = true
		return readWhole(ctx, e.client, id, believed, e.keys)
	}
	// Not the checkpoint that was shown first: the list is under a tree that extends it and
	// everything believed here before.
	cp := e.client.BelievedCheckpoint()
	if err == nil && cp.Size > believed.Size && believed.Size > 0 {
		_, err = e.client.BelieveProof(ctx, believed.Note)
	}
	return cp, list, err
}

func readAll(ctx context.Context, t *client.Thread) (list []client.Message, err error) {
	for {
		more, err := t.Messages(ctx, len(list), 0)
		if err != nil || len(more) == 0 {
			return list, err
		}
		list = append(list, more...)
	}
}

// Mirror is a copy of the log in a directory.
type Mirror struct {
	tiles.Directory
	Keys []note.Verifier // of the log
}

func (m Mirror) String() string { return string(m.Directory) }

// Look implements Place.
func (m Mirror) Look(ctx context.Context, id wire.Hash, believed tlog.Checkpoint) (tlog.Checkpoint, []client.Message, error) {
	return readWhole(ctx, m.Directory, id, believed, m.Keys)
}

// readWhole reads all entries of a log and returns those of a table from its genesis entry on, after
// comparing the tree with the signed ones.
func readWhole(ctx context.Context, src tlog.EntryReader, id wire.Hash, believed tlog.Checkpoint, keys []note.Verifier) (cp tlog.Checkpoint, list []client.Message, err error) {
	if cp, err = src.Checkpoint(ctx); err != nil {
		return cp, nil, err
	}
	if err = cp.Verify(keys...); err != nil {
		return cp, nil, err
	}
	h := tlog.History{Signed: []tlog.Checkpoint{believed}}
	contradiction, err := h.ReadTree(src.Entries(ctx, 0, cp.Size), cp, func(index uint64, _ tlog.Hash, entry []byte) {
		var genesis []byte
		if len(list) > 0 {
			genesis = []byte(list[0].Entry)
		}
		if wire.Concerns(entry, id, genesis) {
			list = append(list, client.Message{N: len(list), Index: index, Entry: string(entry)})
		}
	})
	if err = cmp.Or(err, contradiction); err != nil {
		return cp, nil, err
	}
	return cp, list, nil
}

// Cosigner is a cosigner of the log that shows the newest checkpoint it has signed.
type Cosigner struct {
	Name   string
	URL    string
	Server *client.Client // has to prove that its log contains what the cosigner has seen
}

func (c Cosigner) String() string { return "cosigner " + c.Name }

// Look implements Place. A cosigner shows no entries.
func (c Cosigner) Look(ctx context.Context, _ wire.Hash, believed tlog.Checkpoint) (tlog.Checkpoint, []client.Message, error) {
	signed, err := client.AskCosigner(ctx, c.URL, believed.Origin)
	if err != nil {
		return tlog.Checkpoint{}, nil, err
	}
	cp, err := c.Server.BelieveProof(ctx, signed)
	if errors.Is(err, tlog.ErrRange) {
		err = fmt.Errorf("it has seen %d entries of the log, and the server does not show as many: it is an old copy, or hides something: %w", cp.Size, err)
	}
	return cp, nil, err
}
