package browser

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

func decode(t testing.TB, r io.Reader, into any) {
	t.Helper()
	testmust.Do(t, json.NewDecoder(r).Decode(into))
}

// memory is a player.Vault.
type memory map[string][]byte

func (m memory) ReadRecord(name string) ([]byte, error) {
	if record, ok := m[name]; ok {
		return record, nil
	}
	return nil, fs.ErrNotExist
}

func (m memory) ReplaceRecord(name string, data []byte) error { m[name] = data; return nil }
func (m memory) Close() error                                 { return nil }

// begin begins a table, with one seat for each name, and returns the records of the seats.
func (f *front) begin(game string, deals int, names ...string) (id wire.Hash, seats []memory) {
	f.t.Helper()
	g := &wire.Genesis{Format: wire.TableFormat, Game: game, Suite: suite.Default, Options: map[string]string{}, Deals: deals, Fouls: wire.RefuseFouls, Nonce: make([]byte, wire.NonceBytes)}
	maps.Copy(g.Options, f.options)
	rand.Read(g.Nonce)
	var organiser note.Signer
	for _, name := range names {
		v := memory{}
		s := testmust.Have(player.CreateIdentity(v, name))(f.t)
		g.Seats, seats = append(g.Seats, s.VerifierKey()), append(seats, v)
		if organiser == nil {
			g.Organiser, organiser = s.VerifierKey(), s.Signer()
		}
	}
	entry := testmust.Have(wire.Sign(g, organiser))(f.t)
	testmust.Have(f.log().CreateTable(context.Background(), entry))(f.t)
	id = wire.HashEntry(entry)
	for i, v := range seats {
		v["about"] = fmt.Appendf(nil, `{"id":"seat%d","name":%q,"key":%q,"tables":[{"url":%q,"key":%q,"table":%q,"kept":"trifling"}]}`, i, names[i], g.Seats[i], f.URL, f.key, id)
	}
	return id, seats
}

// head is how long the header of a slot is.
const head = sha256.Size + 8

// slot is a record as a slot of httpapi/web/src/vault.mjs.
func slot(number uint64, record []byte) []byte {
	b := append(binary.LittleEndian.AppendUint64(nil, number), record...)
	sum := sha256.Sum256(b)
	return append(sum[:], b...)
}

// bring puts a seat into a browser, as one that was there before: the first slot of every
// record.
func (p *tab) bring(seat string, records memory) {
	p.Helper()
	files := map[string]string{}
	for name, record := range records {
		files[name+".0"] = base64.StdEncoding.EncodeToString(slot(1, record))
	}
	p.write(seat, files)
}

// write writes slots of a seat, in base64; "": the slot is removed.
func (p *tab) write(seat string, files map[string]string) {
	p.Helper()
	text, _ := json.Marshal(files) // strings
	eval[chromedp.Void](p, fmt.Sprintf(`(async () => {
		const seats = await (await navigator.storage.getDirectory()).getDirectoryHandle("seats", { create: true });
		const folder = await seats.getDirectoryHandle(%s, { create: true });
		for (const [name, text] of Object.entries(%s)) {
			if (!text) {
				await folder.removeEntry(name).catch(e => { if (e.name !== "NotFoundError") throw e; });
				continue;
			}
			const w = await (await folder.getFileHandle(name, { create: true })).createWritable();
			await w.write(Uint8Array.from(atob(text), c => c.charCodeAt(0)));
			await w.close();
		}
	})()`, quote(seat), text))
}

// slots are the files of all seats of a browser: of each seat, name to bytes.
func (p *tab) slots() map[string]map[string][]byte {
	p.Helper()
	return eval[map[string]map[string][]byte](p, `(async () => {
		const all = {};
		const seats = await (await navigator.storage.getDirectory()).getDirectoryHandle("seats", { create: true });
		for await (const [id, folder] of seats.entries()) {
			all[id] = {};
			for await (const [name, file] of folder.entries()) {
				const bytes = new Uint8Array(await (await file.getFile()).arrayBuffer());
				all[id][name] = btoa(String.fromCharCode(...bytes));
			}
		}
		return all;
	})()`)
}

// record is what the newest slot of a record holds.
func record(files map[string][]byte, name string) (found []byte) {
	var newest uint64
	for _, s := range []string{".0", ".1"} {
		if b := files[name+s]; len(b) >= head {
			n := binary.LittleEndian.Uint64(b[sha256.Size:])
			if body := b[head:]; bytes.Equal(slot(n, body), b) && n > newest {
				newest, found = n, body
			}
		}
	}
	return found
}

// secrets of a seat.
type secrets struct {
	Key    string
	VKey   string
	Tables map[string][]byte
}

// secretsOf are the secrets of all seats of a browser.
func (p *tab) secretsOf() map[string]secrets {
	p.Helper()
	all := map[string]secrets{}
	for id, files := range p.slots() {
		var s secrets
		err := json.Unmarshal(record(files, player.SeatRecord), &s)
		testmust.Requiref(p, err == nil, "the seat %s: %v", id, err)
		all[id] = s
	}
	return all
}

// history are the states of a table, by how many messages were applied, as the native
// packages replay the log.
func (f *front) history(id wire.Hash) []*table.State {
	f.t.Helper()
	src := tablelog.New(id, tablelog.Options{Server: f.log()})
	var states []*table.State
	for read := 0; ; {
		entries := testmust.Have(src.Messages(context.Background(), id, read, 0))(f.t)
		if len(entries) == 0 {
			return states
		}
		read += len(entries)
		for _, entry := range entries {
			e := testmust.Have(wire.Parse(entry))(f.t)
			if len(states) == 0 {
				s := testmust.Have(table.Open(e, table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}))(f.t)
				states = append(states, s)
			} else if s, err := states[len(states)-1].Apply(e, table.Facts{}); err == nil {
				states = append(states, s)
			}
		}
	}
}

// sound fails unless the native verifier finds a table of the log sound.
func (f *front) sound(id wire.Hash) {
	f.t.Helper()
	a, err := judge.Table(context.Background(), f.log(), id, []string{f.key}, "en")
	testmust.Holdf(f.t, err == nil && a.Verdict == "sound", "the native verifier says %q, %v: %s", a.Verdict, err, a.Headline)
}

// secret parses the card secret of a seat at a table.
func secret(t testing.TB, s *table.State, b []byte) proof.Secret {
	t.Helper()
	prover := testmust.Have(proof.ProverOf(s.Suite()))(t)
	return testmust.Have(prover.ParseSecret(b))(t)
}
