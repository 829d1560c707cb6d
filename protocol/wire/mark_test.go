package wire_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"
)

// aMark is a mark by a seat. What its note says is not for this package.
func aMark(k *keys) []byte {
	entry, err := wire.SignMark([]byte("a checkpoint\n"), k.vkeys[1], k.signers[1])
	if err != nil {
		panic(err)
	}
	return entry
}

// A mark in a second spelling, without bounds, or signed by another than it says: two
// readers would take one log for two.
func TestParseMark(t *testing.T) {
	k := newKeys()
	good := aMark(k)
	if m, err := wire.ParseMark(good); err != nil || string(m.Note) != "a checkpoint\n" || m.By != k.vkeys[1] || !wire.BeginsMark(good) {
		t.Fatalf("%q is %+v: %v", good, m, err)
	}
	line, _, _ := strings.Cut(string(good), "\n")
	long := strings.Replace(line, `"note":"`, `"note":"`+strings.Repeat("AAAA", wire.MaxMarkNote/3+1), 1)
	for name, c := range map[string]struct{ text, want string }{
		"another signer":   {strings.Replace(line, k.vkeys[1], k.vkeys[2], 1), "must be by"},
		"a log's name":     {strings.Replace(line, "key-1+", "a/b+", 1), "verifier key"},
		"no note":          {line[:strings.Index(line, `,"note"`)] + `,"note":""}`, "must have 1 to"},
		"too long":         {long, "must have 1 to"},
		"another spelling": {strings.Replace(line, `IK"`, `IL"`, 1) + " ", "want"},
		"a field more":     {strings.TrimSuffix(line, "}") + `,"time":1}`, "want"},
		"another version":  {strings.Replace(line, "mark/v1", "mark/v2", 1), "want"},
	} {
		testmust.FailSaying(t, testmust.ErrorOf(wire.ParseMark(k.signed(1, c.text))), c.want, name)
	}
	for name, entry := range map[string][]byte{
		"cut short": good[:len(good)-2], "more behind": append(bytes.Clone(good), '\n'), "too long": append(bytes.Clone(good), make([]byte, wire.MaxEntry)...), "empty": nil,
	} {
		testmust.Fail(t, testmust.ErrorOf(wire.ParseMark(entry)), name, "it is taken")
	}
}

// A mark that is taken for a message or a table, as verifiers without clocks do not: it
// concerns no table.
func TestMarkConcernsNoTable(t *testing.T) {
	entry := aMark(newKeys())
	testmust.Fail(t, testmust.ErrorOf(wire.ParseEntry(entry)), "a mark is parsed as an entry of a table")
	if _, named := wire.TableNamed(entry); named || wire.Concerns(entry, wire.HashEntry(entry), nil) {
		t.Error("a mark names a table")
	}
}

// A mark that is signed and that nobody would read.
func TestSignMark(t *testing.T) {
	k := newKeys()
	testmust.Fail(t, testmust.ErrorOf(wire.SignMark([]byte("c"), k.vkeys[2], k.signers[1])), "signed by another")
	_, err := wire.SignMark(make([]byte, wire.MaxMarkNote+1), k.vkeys[1], k.signers[1])
	testmust.Fail(t, err, "signed with a note that is too long")
}

// A mark that is read and could have been written in another way, or that crashes a reader.
func FuzzParseMark(f *testing.F) {
	k := newKeys()
	f.Add(aMark(k))
	f.Add(k.signed(1, `{"pakli":"mark/v1","by":"`+k.vkeys[1]+`","note":"AQJ="}`))
	f.Fuzz(func(t *testing.T, entry []byte) {
		m, err := wire.ParseMark(entry)
		if err != nil {
			return
		}
		text, _, _ := bytes.Cut(entry, []byte("\n"))
		if again, err := wire.EncodeBody(m); err != nil || !bytes.Equal(text, again) {
			t.Fatalf("read  %q\nwrites %q (%v)", text, again, err)
		}
	})
}
