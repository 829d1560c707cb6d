package wire_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"
)

var errLost = errors.New("lost")

// A message whose blobs come apart from it, or come to another message: what is
// attached is what was signed, all of it or nothing.
func TestBlobs(t *testing.T) {
	k := newKeys()
	e := parsed(t, k.signed(2, message))
	long, longer := bytes.Repeat([]byte{1}, wire.MaxInline+1), bytes.Repeat([]byte{2}, 2*wire.MaxInline)
	m := *e.Message
	m.Proofs = [][]byte{{3}, long, bytes.Repeat([]byte{4}, wire.MaxInline), longer}
	parcel := signed(t, &m, k.signers[2])
	entry, attached := wire.CutParcel(parcel)
	testmust.Requiref(t, len(entry) <= wire.MaxEntry && bytes.Equal(attached, append(bytes.Clone(long), longer...)),
		"entry of %d bytes, %d attached", len(entry), len(attached))

	whole := parsed(t, parcel)
	alone := parsed(t, entry)
	testmust.Hold(t, whole.Hash == alone.Hash && whole.Hash == wire.HashEntry(entry) && bytes.Equal(whole.Bytes(), entry), "blobs change the entry or its hash")
	testmust.Hold(t, !whole.Message.IsDetached() && alone.Message.IsDetached() && bytes.Equal(alone.Parcel(), entry),
		"it is not seen whether the blobs are at hand")
	for i, p := range m.Proofs {
		testmust.Hold(t, bytes.Equal(whole.Message.Proofs[i], p), "proof", i, "is not the one that was signed")
	}

	for name, get := range map[string]func(wire.Blob) ([]byte, error){
		"one lost": func(b wire.Blob) ([]byte, error) {
			if b.Size == len(long) {
				return long, nil
			}
			return nil, errLost
		},
		"exchanged": func(b wire.Blob) ([]byte, error) { return bytes.Repeat([]byte{5}, b.Size), nil },
		"cut short": func(b wire.Blob) ([]byte, error) { return long[:b.Size/2], nil },
	} {
		err := alone.Message.AttachBlobs(get)
		testmust.Holdf(t, errors.Is(err, wire.ErrDetached) && (name != "one lost" || errors.Is(err, errLost)), "%s: %v, want ErrDetached", name, err)
		testmust.Holdf(t, alone.Message.Proofs[1] == nil && alone.Message.IsDetached(), "%s: some blobs were attached", name)
		testmust.FailBy(t, testmust.ErrorOf(wire.CompleteParcel(entry, get)), wire.ErrDetached, name, "complete")
	}
	byName := func(b wire.Blob) ([]byte, error) {
		return map[int][]byte{len(long): long, len(longer): longer}[b.Size], nil
	}
	got, err := wire.CompleteParcel(entry, byName)
	testmust.Holdf(t, err == nil && bytes.Equal(got, parcel), "complete: %d bytes (%v), want the parcel of %d", len(got), err, len(parcel))
	err = alone.Message.AttachBlobs(byName)
	testmust.Holdf(t, err == nil && !alone.Message.IsDetached() && bytes.Equal(alone.Parcel(), parcel), "attached: %v", err)
}

// Cards that are too long for an entry: written in two ways, after the proofs, or by a name
// that is not quite one; and such of which some bytes are lost.
func TestLongCards(t *testing.T) {
	k := newKeys()
	e := parsed(t, k.signed(2, message))
	m := *e.Message
	body := func(each int) []byte {
		return testmust.Have(wire.EncodeBody(wire.CardsBody{Cards: [][]byte{bytes.Repeat([]byte{1}, each), bytes.Repeat([]byte{2}, each)}}))(t)
	}
	for each, blobs := range map[int]int{wire.MaxCards / 2: 1, wire.MaxCards/2 + 1: 2} {
		m.Body, m.Proofs = body(each), [][]byte{bytes.Repeat([]byte{3}, wire.MaxInline+1)}
		parcel := signed(t, &m, k.signers[2])
		whole, err := wire.Parse(parcel)
		if err != nil || len(whole.Message.Blobs()) != blobs || whole.Message.IsDetached() || whole.Message.HasLongCards() || !bytes.Equal(whole.Parcel(), parcel) {
			t.Errorf("cards of %d bytes: %v", each, err)
		}
		_, attached := wire.CutParcel(parcel)
		testmust.Hold(t, blobs != 2 || attached[0] == 1, "the proofs come before the cards")
		again, err := wire.Sign(whole.Message, k.signers[2])
		testmust.Holdf(t, err == nil && bytes.Equal(again, parcel), "cards of %d bytes are written in another way: %v", each, err)
		entry, _ := wire.CutParcel(parcel)
		alone, err := wire.Parse(entry)
		_, named := wire.NamesCards(alone.Message.Body)
		testmust.Holdf(t, err == nil && named == (blobs == 2), "cards of %d bytes: %v", each, err)
		lost := func(b wire.Blob) ([]byte, error) {
			if b.Size == wire.MaxInline+1 {
				return m.Proofs[0], nil
			}
			return nil, errLost
		}
		err = alone.Message.AttachBlobs(lost)
		testmust.Holdf(t, errors.Is(err, errLost) == (blobs == 2) && alone.Message.IsDetached() == (blobs == 2), "cards that are lost: %v", err)
	}
	for _, near := range []string{
		`{"cards":"sha256:` + strings.Repeat("a", 64) + `:48384"}`, `{"cards":"sha256:` + strings.Repeat("a", 64) + `:16777217"}`,
		`{"cards":"sha256:` + strings.Repeat("A", 64) + `:50000"}`, `{"cards":"sha256:` + strings.Repeat("a", 64) + `:50000","x":1}`,
		`{"card":"sha256:` + strings.Repeat("a", 64) + `:50000"}`,
	} {
		m.Body, m.Proofs = []byte(near), nil
		_, named := wire.NamesCards(m.Body)
		testmust.Holdf(t, !named, "%s names cards", near)
	}
}

// A message with longer blobs than its table's suite allows, which some readers count and some
// do not.
func TestAttachable(t *testing.T) {
	k := newKeys()
	e := parsed(t, k.signed(2, message))
	m := *e.Message
	for size, want := range map[int][2]bool{wire.MaxAttached: {true, true}, wire.MaxAttached + 1: {false, true}, wire.MaxResidues: {false, true}} {
		m.Proofs = [][]byte{make([]byte, size)}
		parcel := signed(t, &m, k.signers[2])
		entry, _ := wire.CutParcel(parcel)
		for i, suite := range []string{"ristretto255-bayergroth/v1", "schindelhauer2048-cutandchoose/v1"} {
			genesis := k.signed(0, strings.Replace(k.genesis(), "ristretto255-bayergroth/v1", suite, 1))
			testmust.Equal(t, wire.Concerns(entry, e.Message.Table, genesis), want[i], size, "bytes of blobs at a table of", suite, "concern it", !want[i])
		}
	}
}

func parsed(t *testing.T, entry []byte) *wire.Entry {
	t.Helper()
	return testmust.Have(wire.Parse(entry))(t)
}

func signed(t *testing.T, m *wire.Message, by note.Signer) []byte {
	t.Helper()
	return testmust.Have(wire.Sign(m, by))(t)
}
