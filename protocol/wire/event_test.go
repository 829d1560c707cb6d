package wire_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

const (
	zeros  = "0000000000000000000000000000000000000000000000000000000000000000"
	eventA = "00000000000000000000000000000000000000000000000000000000000000ee"
	entryD = "00000000000000000000000000000000000000000000000000000000000000dd"
)

// event is one with everything that an event may have.
func (k *keys) event() string {
	return `{"pakli":"event/v1","name":"F%C5%91v%C3%A1rosi kupa","venue":"Budapest","from":"2031-05-03","to":"2031-05-04","page":"https://cards.example/cup","regulations":"` + zeros + `",` +
		`"game":"whist/v1","suite":"ristretto255-bayergroth/v1","options":{"a":"1"},"deals":8,"rounds":3,"sizes":[4,3],"seating":["plan","random","ranked"],"window":4,` +
		`"draw":"table","drawers":15,"commit":"","score":"places","places":[3,1,0],"bye":"average","ties":["won","lost","last","best","direct","opponents","lot","shared"],"substitute":"own",` +
		`"fouls":"warn","ends":{"late":"forfeit","forfeit":20,"resign":true,"agree":true},` + noClock + `,"registration":{"door":"` + k.vkeys[4] + `","max":1000,"late":2},"protest":1800,` +
		`"arbiters":["` + k.vkeys[1] + `"],"jury":["` + k.vkeys[2] + `","` + k.vkeys[3] + `"],"organiser":"` + k.vkeys[0] + `","nonce":"AAECAwQFBgcICQoLDA0ODw=="}`
}

func (k *keys) notice(by int, kind, body string) string {
	return `{"pakli":"notice/v1","event":"` + eventA + `","seen":"` + entryD + `","by":"` + k.vkeys[by] + `","kind":"` + kind + `","body":` + body + `}`
}

func (k *keys) decision(by int, kind, body string) string {
	return `{"pakli":"decision/v1","event":"` + eventA + `","parent":"` + entryD + `","by":"` + k.vkeys[by] + `","kind":"` + kind + `","body":` + body + `}`
}

// Bodies of all kinds of notices and decisions.
const (
	about  = `{"table":"` + eventA + `","deal":3,"player":17,"round":2,"entry":"` + entryD + `"}`
	ruling = `{"about":` + about + `,"do":"adjust","points":[[17,-20],[18,20]],"instead":"","grounds":["` + entryD + `"],"reason":"Seat A left."}`
)

var noticeBodies = map[string]string{
	"register": `{"name":"Kov%C3%A1cs B%C3%A9la","club":"","draw":true,"ticket":""}`,
	"withdraw": `{"round":2}`,
	"skip":     `{"round":1000}`,
	"appeal":   `{"ruling":"` + entryD + `","reason":""}`,
	"call":     `{"table":"` + entryD + `","reason":"Nobody plays."}`,
}

var decisionBodies = map[string]string{
	"roster":   `{"upto":412,"accept":[[1,"` + entryD + `"],[2,"` + eventA + `"]],"refuse":[["` + zeros + `","too late"]]}`,
	"plan":     `{"round":1,"part":1,"parts":2,"tables":[[1,2,3],[4,5,6,7]]}`,
	"groups":   `{"groups":[[1,2],[3,65535,4]]}`,
	"draw":     `{"table":"` + entryD + `","secret":""}`,
	"round":    `{"round":3,"upto":9007199254740991,"part":64,"parts":64,"tables":[[1,65535]],"byes":[3]}`,
	"ruling":   ruling,
	"arbiters": `{"arbiters":[],"jury":[]}`,
	"remark":   `{"text":"Lunch at noon."}`,
	"cancel":   `{"text":""}`,
	"final":    `{"upto":0,"standings":"` + zeros + `"}`,
}

// events are vectors of events, notices and decisions.
func (k *keys) events() []vector {
	list := []vector{
		{"event", "success", "", "an event (10.12)", k.signed(0, k.event())},
		{"event-apart", "success", "", "an event that keeps players apart (10.12)", k.signed(0, strings.Replace(k.event(), `"window":4`, `"window":4,"apart":true`, 1))},
		{"notice-signature", "signature", "signature", "a notice signed by another key than it names (10.12)", k.signed(1, k.notice(5, "skip", `{"round":1}`))},
		{"decision-signature", "signature", "signature", "a decision signed by another key than it names (10.12)", k.signed(1, k.decision(0, "remark", `{"text":""}`))},
	}
	for _, kind := range slices.Sorted(maps.Keys(noticeBodies)) {
		list = append(list, vector{"notice-" + kind, "success", "", "a notice (10.12)", k.signed(5, k.notice(5, kind, noticeBodies[kind]))})
	}
	for _, kind := range slices.Sorted(maps.Keys(decisionBodies)) {
		list = append(list, vector{"decision-" + kind, "success", "", "a decision (10.12)", k.signed(0, k.decision(0, kind, decisionBodies[kind]))})
	}
	return list
}

// A ticket for another key, for another event or by another door.
func TestTickets(t *testing.T) {
	k := newKeys()
	event := wire.HashEntry([]byte("event"))
	ticket := testmust.Have(bulletin.SignTicket(event, k.vkeys[5], k.signers[4]))(t)
	testmust.Hold(t, bulletin.CheckTicket(ticket, event, k.vkeys[5], k.vkeys[4]), "a good ticket is refused")
	if bulletin.CheckTicket(ticket, wire.Hash{}, k.vkeys[5], k.vkeys[4]) || bulletin.CheckTicket(ticket, event, k.vkeys[6], k.vkeys[4]) ||
		bulletin.CheckTicket(ticket, event, k.vkeys[5], k.vkeys[6]) || bulletin.CheckTicket("", event, k.vkeys[5], k.vkeys[4]) || bulletin.CheckTicket(ticket, event, k.vkeys[5], "") {
		t.Error("a ticket is good for what its door did not sign")
	}
}

// An entry of an event that is taken for another one's, or for a table's.
func TestEventNamed(t *testing.T) {
	k := newKeys()
	for _, entry := range []string{k.notice(5, "skip", noticeBodies["skip"]), k.decision(0, "remark", decisionBodies["remark"])} {
		id, ok := bulletin.EventNamed([]byte(entry))
		testmust.Holdf(t, ok && id.String() == eventA, "%.40s names %v", entry, id)
		_, ok = wire.TableNamed([]byte(entry))
		testmust.Holdf(t, !ok && !wire.BeginsTable([]byte(entry)) && !bulletin.BeginsEvent([]byte(entry)), "%.40s is a table's", entry)
	}
	for _, entry := range []string{message, k.event(), k.genesis2(), `{"pakli":"notice/v1","event":"00`, ""} {
		id, ok := bulletin.EventNamed([]byte(entry))
		testmust.Holdf(t, !ok, "%.40s names the event %v", entry, id)
	}
	testmust.Fail(t, testmust.ErrorOf(bulletin.ParseEvent(k.signed(1, k.event()))), "an event signed by another than its organiser")
}

// A code that names another hash than its own, or that crashes who reads it.
func TestCodes(t *testing.T) {
	one, other := wire.HashEntry([]byte("one")), wire.HashEntry([]byte("other"))
	if len(one.Code()) != 52 || (wire.Hash{0: 0xff, 4: 0x1f}).Code()[:8] != "ZW00000Z" {
		t.Fatalf("codes are %s, %s", one.Code(), (wire.Hash{0: 0xff, 4: 0x1f}).Code())
	}
	for n := wire.MinCode; n <= 52; n++ {
		code, err := wire.ReadCode(" "+strings.ToLower(one.Code()[:4])+"-"+strings.NewReplacer("0", "o", "1", "i").Replace(one.Code()[4:n]), wire.MinCode)
		testmust.Requiref(t, err == nil && code == one.Code()[:n] && one.HasCode(code) && !other.HasCode(code), "%d letters: %s: %v", n, code, err)
	}
	for _, typed := range []string{"", "-", "ABCDEFG", "ABCDEFGU", "ABCDEF+H", "ABCDÉFGH", strings.Repeat("A", 53)} {
		testmust.Fail(t, testmust.ErrorOf(wire.ReadCode(typed, wire.MinCode)), typed, "is read")
	}
}

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
		testmust.Holdf(t, err == nil && len(whole.Message.Blobs()) == blobs && !whole.Message.IsDetached() && !whole.Message.HasLongCards() && bytes.Equal(whole.Parcel(), parcel),
			"cards of %d bytes: %v", each, err)
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
