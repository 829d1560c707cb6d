package exchange_test

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
)

func keyOf(t testing.TB, name string) (note.Signer, string) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(rand.NewChaCha8(sha256.Sum256([]byte(name))), name)
	testmust.Do(t, err)
	s := testmust.Have(note.NewSigner(skey))(t)
	return s, vkey
}

// A line that passes for another: every byte of it, and every part of the place, is signed, and
// a hold is no silence.
func TestLinesAreOfOnePlace(t *testing.T) {
	s, vkey := keyOf(t, "anna")
	_, other := keyOf(t, "bela")
	at := keeper.Place{Table: wire.Hash{1}, Parent: wire.Hash{2}, Seat: 3}
	entry := wire.Hash{4}
	hold := testmust.Have(keeper.SignHold(s, 1_900_000_000, at, entry))(t)
	silence := testmust.Have(keeper.SignSilence(s, 1_900_000_001, at))(t)
	testmust.Equal(t, testmust.Have(keeper.VerifyHold(vkey, hold, at, entry))(t, "held at"), 1_900_000_000, "held at")
	testmust.Equal(t, testmust.Have(keeper.VerifySilence(vkey, silence, at))(t, "silent at"), 1_900_000_001, "silent at")
	places := []keeper.Place{{Table: wire.Hash{9}, Parent: at.Parent, Seat: 3}, {Table: at.Table, Parent: wire.Hash{9}, Seat: 3}, {Table: at.Table, Parent: at.Parent, Seat: 2}}
	for _, p := range places {
		testmust.Fail(t, testmust.ErrorOf(keeper.VerifyHold(vkey, hold, p, entry)), "held at", p)
		testmust.Fail(t, testmust.ErrorOf(keeper.VerifySilence(vkey, silence, p)), "silent at", p)
	}
	testmust.Fail(t, testmust.ErrorOf(keeper.VerifyHold(vkey, hold, at, wire.Hash{5})), "held another entry")
	testmust.Fail(t, testmust.ErrorOf(keeper.VerifySilence(vkey, hold, at)), "a hold is a silence")
	testmust.Fail(t, testmust.ErrorOf(keeper.VerifyHold(vkey, silence, at, entry)), "a silence is a hold")
	testmust.Fail(t, testmust.ErrorOf(keeper.VerifySilence(other, silence, at)), "another key's")
	for i := range hold {
		for _, line := range [][]byte{bytes.Clone(hold), bytes.Clone(silence)} {
			line[i] ^= 1
			testmust.Fail(t, testmust.ErrorOf(keeper.VerifyHold(vkey, line, at, entry)), "held with byte", i, "altered")
			testmust.Fail(t, testmust.ErrorOf(keeper.VerifySilence(vkey, line, at)), "silent with byte", i, "altered")
		}
	}
	testmust.Fail(t, testmust.ErrorOf(keeper.VerifySilence(vkey, nil, at)), "no line")
}

// Lines and files that can be read in two ways, or written in one that cannot be read.
func FuzzParse(f *testing.F) {
	s, vkey := keyOf(f, "anna")
	line, _ := keeper.SignSilence(s, 1, keeper.Place{})
	text := exchange.FormatLine("anna", line)
	organiser, okey := keyOf(f, "organiser")
	_ = organiser
	f.Add([]byte(text))
	f.Add([]byte(strings.Repeat(text, 2)))
	m := &wire.Message{Format: wire.MessageFormat, Seat: 1, Kind: wire.KindKey, Body: []byte(`{"key":"AAAA"}`), Proofs: [][]byte{}}
	if entry, err := wire.Sign(m, s); err == nil {
		m := testmust.Have(keeper.NewMessage(entry))(f)
		m.Lines, m.Names = [][]byte{line}, []string{"anna"}
		f.Add(exchange.Marshal(m))
	}
	e := exchange.Evidence{Key: vkey, Hold: line, Silence: line}
	f.Add(e.Marshal())
	f.Add([]byte(okey))
	f.Add(exchange.Request{Genesis: []byte("g\n"), Receipt: []byte("r"), Seat: 3}.Marshal())
	f.Add(exchange.Request{Genesis: []byte("g"), Receipt: nil, Message: []byte("m\n")}.Marshal())
	f.Fuzz(func(t *testing.T, file []byte) {
		name, line, err := exchange.ParseLine(string(file))
		testmust.Holdf(t, err != nil || exchange.FormatLine(name, line) == string(file), "another line: %q", file)
		r, err := exchange.ParseRequest(file)
		testmust.Holdf(t, err != nil || bytes.Equal(r.Marshal(), file), "another request: %q", file)
		m, err := exchange.Parse(file)
		testmust.Holdf(t, err != nil || bytes.Equal(exchange.Marshal(m), file), "another file: %q", file)
		e, err := exchange.ParseEvidence(file)
		testmust.Holdf(t, err != nil || bytes.Equal(e.Marshal(), file), "other evidence: %q", file)
	})
}

// An honest keeper that is convicted, or a lying one that is not: of one place, a silence after a
// hold; before it, or at the same second, it is none. (Attack 15)
func TestEvidence(t *testing.T) {
	s, vkey := keyOf(t, "anna")
	stranger, _ := keyOf(t, "bela")
	at, entry := keeper.Place{Table: wire.Hash{1}, Parent: wire.Hash{2}, Seat: 3}, wire.Hash{4}
	make := func(began, silent int64, silence note.Signer, place keeper.Place) *exchange.Evidence {
		e := &exchange.Evidence{Key: vkey, Place: at, Entry: entry}
		e.Hold = testmust.Have(keeper.SignHold(s, began, at, entry))(t)
		e.Silence = testmust.Have(keeper.SignSilence(silence, silent, place))(t)
		return e
	}
	good := make(100, 101, s, at)
	since, silent, err := good.Check()
	testmust.Holdf(t, err == nil && since == 100 && silent == 101, "%d, %d, %v", since, silent, err)
	read := testmust.Have(exchange.ParseEvidence(good.Marshal()))(t)
	_, _, err = read.Check()
	testmust.Hold(t, err == nil, err)
	elsewhere := at
	elsewhere.Seat = 2
	for what, e := range map[string]*exchange.Evidence{
		"silence before the hold": make(101, 100, s, at), "in one second": make(100, 100, s, at),
		"of another keeper": make(100, 101, stranger, at), "of another place": make(100, 101, s, elsewhere),
	} {
		_, _, err := e.Check()
		testmust.Fail(t, err, what, "convicts")
	}
}

// Evidence with any bit changed, which convicts a keeper of something else.
func TestMutantsOfEvidence(t *testing.T) {
	s, vkey := keyOf(t, "anna")
	e := &exchange.Evidence{Key: vkey, Place: keeper.Place{Table: wire.Hash{1}, Parent: wire.Hash{2}, Seat: 3}, Entry: wire.Hash{4}}
	var err, failed error
	e.Hold, err = keeper.SignHold(s, 100, e.Place, e.Entry)
	e.Silence, failed = keeper.SignSilence(s, 101, e.Place)
	testmust.Require(t, err == nil && failed == nil, err, failed)
	file := e.Marshal()
	for i := range file {
		for bit := range 8 {
			altered := bytes.Clone(file)
			altered[i] ^= 1 << bit
			if read, err := exchange.ParseEvidence(altered); err == nil {
				_, _, err := read.Check()
				testmust.Fail(t, err, "byte", i, "bit", bit, "convicts")
			}
		}
	}
}
