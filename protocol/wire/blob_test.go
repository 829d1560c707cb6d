package wire_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/pakli/pakli/protocol/wire"
)

var errLost = errors.New("lost")

// A message whose blobs come apart from it, or come to another message: what is
// attached is what was signed, all of it or nothing.
func TestBlobs(t *testing.T) {
	k := newKeys()
	e, err := wire.Parse(k.signed(2, message))
	if err != nil {
		t.Fatal(err)
	}
	long, longer := bytes.Repeat([]byte{1}, wire.MaxInline+1), bytes.Repeat([]byte{2}, 2*wire.MaxInline)
	m := *e.Message
	m.Proofs = [][]byte{{3}, long, bytes.Repeat([]byte{4}, wire.MaxInline), longer}
	parcel, err := wire.Sign(&m, k.signers[2])
	if err != nil {
		t.Fatal(err)
	}
	entry, attached := wire.Cut(parcel)
	if len(entry) > wire.MaxEntry || !bytes.Equal(attached, append(bytes.Clone(long), longer...)) {
		t.Fatalf("entry of %d bytes, %d attached", len(entry), len(attached))
	}

	whole, err := wire.Parse(parcel)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := wire.Parse(entry)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Hash != alone.Hash || whole.Hash != wire.HashEntry(entry) || !bytes.Equal(whole.Bytes(), entry) {
		t.Error("blobs change the entry or its hash")
	}
	if whole.Message.Detached() || !alone.Message.Detached() || !bytes.Equal(alone.Parcel(), entry) {
		t.Error("it is not seen whether the blobs are at hand")
	}
	for i, p := range m.Proofs {
		if !bytes.Equal(whole.Message.Proofs[i], p) {
			t.Errorf("proof %d is not the one that was signed", i)
		}
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
		if err := alone.Message.Attach(get); !errors.Is(err, wire.ErrDetached) || name == "one lost" && !errors.Is(err, errLost) {
			t.Errorf("%s: %v, want ErrDetached", name, err)
		}
		if alone.Message.Proofs[1] != nil || !alone.Message.Detached() {
			t.Errorf("%s: some blobs were attached", name)
		}
		if _, err := wire.Complete(entry, get); !errors.Is(err, wire.ErrDetached) {
			t.Errorf("%s: complete: %v", name, err)
		}
	}
	byName := func(b wire.Blob) ([]byte, error) {
		return map[int][]byte{len(long): long, len(longer): longer}[b.Size], nil
	}
	if got, err := wire.Complete(entry, byName); err != nil || !bytes.Equal(got, parcel) {
		t.Errorf("complete: %d bytes (%v), want the parcel of %d", len(got), err, len(parcel))
	}
	if err := alone.Message.Attach(byName); err != nil || alone.Message.Detached() || !bytes.Equal(alone.Parcel(), parcel) {
		t.Errorf("attached: %v", err)
	}
}
