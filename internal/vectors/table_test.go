package vectors_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/sra"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// variant is a table, alone in a log: one of the whole tables beside it, with one change.
type variant struct {
	Name    string           `json:"name"`
	Comment string           `json:"comment"`
	Base    string           `json:"base"` // a file of entries
	Change  string           `json:"change,omitempty"`
	At      int              `json:"at,omitempty"`
	Entry   string           `json:"entry,omitempty"` // replaces the entry at At, or comes before it
	Verdict verifier.Verdict `json:"verdict"`         // "": cannot check
	Check   table.Check      `json:"check,omitempty"` // that fails for the entry at At, or for the log
	Seat    *table.Seat      `json:"seat,omitempty"`  // to blame
	Applied int              `json:"applied"`         // messages
	Void    int              `json:"void,omitempty"`  // entries of the table
	Result  []int            `json:"result,omitempty"`
	Report  string           `json:"report,omitempty"` // a file
}

// Changes.
const (
	cut     = "cut"     // only the entries before At
	replace = "replace" // Entry replaces the entry at At
	insert  = "insert"  // Entry before that at At
	altered = "altered" // Entry replaces the entry at At, under the checkpoint of the base
)

// shown is a log with a checkpoint.
type shown struct {
	entries    [][]byte
	checkpoint tlog.Checkpoint
}

func (s shown) Checkpoint(context.Context) (tlog.Checkpoint, error) { return s.checkpoint, nil }

func (s shown) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range s.entries[start:end] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func catalogue() table.Catalogue {
	return table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}
}

var wholeTables = []string{"table/schwarzer-peter.jsonl", "table/tarokk.jsonl", "table/toolbox.jsonl", "table/locks.jsonl", "table/asked.jsonl", "table/asked-false.jsonl"}

// whole makes variants of a whole table, whose file has all its entries, one JSON string on each
// line.
func whole(t *testing.T, base string) *maker {
	t.Helper()
	play := func(name string, c tabletest.Config, seed uint64) *tabletest.Table {
		return testmust.Have(tabletest.Play(game(t, name), c, seed))(t)
	}
	var tb *tabletest.Table
	switch def := theSuite(t); base {
	case "table/schwarzer-peter.jsonl":
		tb = play("schwarzer-peter/v1", tabletest.Config{Seats: 2, Suite: def, Options: map[string]string{"rules": "article"}}, 1)
	case "table/tarokk.jsonl":
		tb = play("tarokk/v1", tabletest.Config{Seats: 4, Suite: def, Options: map[string]string{"seat-draw": "false"}}, 6)
	case "table/toolbox.jsonl":
		tb = testmust.Have(verifiertest.PlayEverything(tabletest.Config{Suite: def}, 1))(t)
	case "table/asked.jsonl":
		tb = play("schwarzer-peter/v1", tabletest.Config{Seats: 3, Suite: asking(t)}, 1)
	case "table/asked-false.jsonl":
		tb = deceived(t, testmust.Have(tabletest.New(game(t, "schwarzer-peter/v1"), tabletest.Config{Seats: 3, Suite: asking(t)}, 2))(t))
	case "table/locks.jsonl":
		locks, _ := suite.Lookup(sra.Name)
		tb = play("five-card-draw/v1", tabletest.Config{Seats: 3, Deals: 2, Suite: locks, Options: map[string]string{"limit": "none", "stack": "4"}}, 1)
	}
	same(t, base, lines(t, tb.Entries))
	return &maker{T: t, Table: tb, base: base}
}

// asking is a suite in which the other seats ask for proofs of shuffles.
func asking(t *testing.T) proof.Suite {
	t.Helper()
	s, ok := suite.Lookup("ristretto255-cutandchoose-chosen40/v1")
	testmust.Require(t, ok, "no suite whose shuffles are asked for")
	return s
}

func game(t *testing.T, name string) table.Game {
	t.Helper()
	g, ok := games.Lookup(name)
	testmust.Requiref(t, ok, "no game %q", name)
	return g
}

func lines(t *testing.T, entries [][]byte) []byte {
	t.Helper()
	var list []any
	for _, e := range entries {
		list = append(list, string(e))
	}
	return encode(t, list...)
}

func entriesOf(t *testing.T, text []byte) [][]byte {
	t.Helper()
	var list [][]byte
	for line := range bytes.Lines(text) {
		list = append(list, []byte(read[string](t, line)))
	}
	return list
}

// maker makes variants of one table.
type maker struct {
	*testing.T
	*tabletest.Table
	base string
	list []any
}

func (m *maker) add(v variant) {
	m.Helper()
	v.Base = m.base
	v.Name = strings.TrimSuffix(strings.TrimPrefix(m.base, "table/"), ".jsonl") + "-" + v.Name
	m.list = append(m.list, v)
}

func (m *maker) message(at int) *wire.Message {
	return testmust.Have(wire.Parse(m.Entries[at]))(m.T).Message
}

// first returns the first message that is wanted, or 0 if there is none.
func (m *maker) first(wanted func(*wire.Message) bool) int {
	for at := range m.Entries[1:] {
		if wanted(m.message(at + 1)) {
			return at + 1
		}
	}
	return 0
}

// wrong adds a message that its seat changed and signed again: foul if check is one of effect, and
// void otherwise.
func (m *maker) wrong(name, comment string, at int, check table.Check, change func(*wire.Message)) {
	m.Helper()
	if at == 0 {
		return // the table has no such message
	}
	entry := testmust.Have(m.Forge(m.Entries[at], change))(m.T)
	v := variant{Name: name, Comment: comment, Change: replace, At: at, Entry: string(entry), Verdict: verifier.Unfinished, Check: check, Applied: at - 1, Void: len(m.Entries) - at}
	switch {
	case check == table.CheckTable:
		v.Void-- // it is of another table
	case check[0] != 'T':
		seat := table.Seat(m.message(at).Seat)
		v.Verdict, v.Seat, v.Void = verifier.Foul, &seat, 0
	}
	m.add(v)
}

func variants(t *testing.T) []any {
	var list []any
	for _, base := range []string{"table/schwarzer-peter.jsonl", "table/tarokk.jsonl"} {
		m := whole(t, base)
		m.whole()
		m.void()
		m.foul()
		m.bodies()
		list = append(list, m.list...)
	}
	return list
}

// kindVariants are tables with kinds of messages or keys that the other tables lack.
func kindVariants(t *testing.T) []any {
	piles, locks, asked := whole(t, "table/toolbox.jsonl"), whole(t, "table/locks.jsonl"), whole(t, "table/asked.jsonl")
	for _, m := range []*maker{piles, locks, asked} {
		m.whole()
	}
	piles.piles()
	locks.locks()
	asked.asked()
	asked.deceived(whole(t, "table/asked-false.jsonl"))
	return slices.Concat(piles.list, locks.list, asked.list)
}

// asked adds faults of tables whose seats ask for proofs of shuffles.
func (m *maker) asked() {
	kind := func(k table.Kind) int { return m.first(func(w *wire.Message) bool { return w.Kind == k }) }
	beacon := func(value []byte) func(*wire.Message) {
		return func(w *wire.Message) {
			w.Body = testmust.Have(wire.EncodeBody(wire.BeaconBody{Value: value}))(m.T)
		}
	}
	shuffle, first, answer := kind(table.Shuffle), kind(table.Beacon), kind(table.Answer)
	seat := m.message(first).Seat
	var value wire.BeaconBody
	testmust.Do(m.T, wire.DecodeBody(m.message(first).Body, &value))
	anchor := func(w *wire.Message) {
		var body wire.AnchoredKeyBody
		testmust.Do(m.T, wire.DecodeBody(w.Body, &body))
		body.Anchor = body.Anchor[1:]
		w.Body = testmust.Have(wire.EncodeBody(body))(m.T)
	}
	m.wrong("anchor", "an anchor of 31 bytes", 1, table.CheckValues, anchor)
	m.wrong("no-anchor", "a key without an anchor", 1, table.CheckBody, func(w *wire.Message) {
		w.Body = append(bytes.Clone(w.Body[:bytes.Index(w.Body, []byte(`,"anchor"`))]), '}')
	})
	m.wrong("commitment", "a commitment of 31 bytes", shuffle, table.CheckShuffle, func(w *wire.Message) { w.Proofs[0] = w.Proofs[0][1:] })
	m.wrong("at-once", "a commitment and another proof", shuffle, table.CheckProofs, func(w *wire.Message) { w.Proofs = append(w.Proofs, w.Proofs[0]) })
	m.wrong("value", "a value that is not what the seat has fixed", first, table.CheckBeacon, beacon(flipped(value.Value, 31)))
	m.wrong("value-short", "a value of 31 bytes", first, table.CheckBeacon, beacon(value.Value[1:]))
	m.wrong("value-before", "the value that was revealed before this one: the anchor", first, table.CheckBeacon, beacon(table.LinkBefore(m.State.ID(), table.Seat(seat), value.Value)))
	m.wrong("value-again", "a value that the seat has revealed", m.first(func(w *wire.Message) bool {
		return w.Kind == table.Beacon && w.Seat == seat && !bytes.Equal(w.Body, m.message(first).Body)
	}), table.CheckBeacon, beacon(value.Value))
	m.wrong("value-other", "the value of another seat", first+1, table.CheckBeacon, beacon(value.Value))
	m.wrong("value-proof", "a value with a proof", first, table.CheckProofs, func(w *wire.Message) { w.Proofs = [][]byte{{1}} })
	m.undue("value-turn", "a value of a seat that is not on turn", first, m.message(first+1).Seat)
	m.undue("value-own", "a value of who has committed", first, m.message(shuffle).Seat)
	m.wrong("early", "an answer before all values are revealed", first, table.CheckDue, func(w *wire.Message) {
		w.Kind, w.Body, w.Proofs = table.Answer, json.RawMessage(`{}`), m.message(answer).Proofs
	})
	m.wrong("shuffled-again", "other cards when the values are known", answer, table.CheckDue, func(w *wire.Message) {
		w.Kind, w.Body, w.Proofs = table.Shuffle, m.message(shuffle).Body, m.message(shuffle).Proofs
	})
	m.wrong("answer", "an answer altered", answer, table.CheckShuffle, lastScalar)
	m.wrong("answer-other", "the answer to what another seat was asked", answer, table.CheckShuffle, func(w *wire.Message) {
		w.Proofs = m.message(m.first(func(o *wire.Message) bool { return o.Kind == table.Answer && o.Seat != w.Seat })).Proofs
	})
	m.wrong("answer-none", "an answer without a proof", answer, table.CheckProofs, func(w *wire.Message) { w.Proofs = [][]byte{} })
	m.wrong("answer-body", "an answer that says something", answer, table.CheckBody, func(w *wire.Message) { w.Body = json.RawMessage(`{"more":1}`) })
}

// deceived adds a table that ends with an answer to another question than its seat had committed to.
func (m *maker) deceived(other *maker) {
	at := len(other.Entries) - 1
	seat := table.Seat(other.message(at).Seat)
	m.list = append(m.list, variant{Name: "asked-false", Comment: "a commitment to no proof: its answer is wrong", Base: other.base, At: at,
		Verdict: verifier.Foul, Check: table.CheckShuffle, Seat: &seat, Applied: at - 1})
}

// deceived is a table whose first shuffle commits to no proof of it, as its answer shows.
func deceived(t *testing.T, tb *tabletest.Table) *tabletest.Table {
	seat := testmust.Have(tb.PlayUntil(table.Shuffle))(t).Seats[0]
	honest := testmust.Have(tb.HonestMessage(seat, tb.State.DutiesOf(seat)[0], nil))(t)
	testmust.Do(t, tb.Add(testmust.Have(tb.Forge(honest, func(w *wire.Message) { w.Proofs[0] = flipped(w.Proofs[0], 0) }))(t)))
	d := testmust.Have(tb.PlayUntil(table.Answer))(t)
	tb.Entries = append(tb.Entries, testmust.Have(tb.HonestMessage(seat, d, nil))(t))
	return tb
}

// piles adds faults of cards that are put back, mixed, cut, inserted and minted.
func (m *maker) piles() {
	of := func(k table.Kind) func(*wire.Message) bool {
		return func(w *wire.Message) bool { return w.Kind == k && bytes.Count(w.Body, []byte(`",`)) > 0 }
	}
	for _, c := range []struct {
		kind  table.Kind
		check table.Check
	}{{table.Mix, table.CheckShuffle}, {table.Cut, table.CheckArrange}, {table.Insert, table.CheckArrange}, {table.Mint, table.CheckMint}} {
		at := m.first(of(c.kind))
		m.wrong(string(c.kind)+"-proof", "a proof altered", at, c.check, lastScalar)
		m.wrong(string(c.kind)+"-order", "two cards exchanged", at, c.check, m.cards(func(l [][]byte) [][]byte { l[0], l[1] = l[1], l[0]; return l }))
		m.wrong(string(c.kind)+"-less", "a card less than is due", at, table.CheckValues, m.cards(func(l [][]byte) [][]byte { return l[1:] }))
	}
	one := m.first(func(w *wire.Message) bool { return w.Kind == table.Mix && !of(table.Mix)(w) })
	m.wrong("mix-one", "one card remasked, a proof altered: that of a cut of one", one, table.CheckArrange, lastScalar)
	back := m.first(func(w *wire.Message) bool { return w.Kind == table.Return })
	m.wrong("return-proof", "a proof altered", back, table.CheckTransfer, lastScalar)
	m.wrong("return-more", "a card more than is due", back, table.CheckValues, m.cards(func(l [][]byte) [][]byte { return append(l, l[0]) }))
	m.wrong("cut-mix", "a pile is mixed that is to be cut", m.first(of(table.Cut)), table.CheckDue, func(w *wire.Message) { w.Kind = table.Mix })
	m.undue("cut-turn", "a pile is cut by a seat that is not on turn", m.first(of(table.Cut)), 1-m.message(m.first(of(table.Cut))).Seat)
}

// locks adds faults of card keys that are for one deal.
func (m *maker) locks() {
	kind := func(k table.Kind) int { return m.first(func(w *wire.Message) bool { return w.Kind == k }) }
	key := func(k []byte) func(*wire.Message) {
		return func(w *wire.Message) { w.Body = testmust.Have(wire.EncodeBody(wire.KeyBody{Key: k}))(m.T) }
	}
	second := kind(table.Shuffle)
	for m.message(second).Kind != table.Key {
		second++
	}
	seat := m.message(second).Seat
	former := m.first(func(w *wire.Message) bool { return w.Kind == table.Key && w.Seat == seat })
	var body wire.KeyBody
	testmust.Do(m.T, wire.DecodeBody(m.message(former).Body, &body))
	m.wrong("former", "in the second deal, the card key of the first", second, table.CheckKey, key(body.Key))
	m.wrong("one", "the key of the lock 1, which locks nothing", former, table.CheckValues, key(group.Ristretto255().Generator().Bytes()))
	m.wrong("lock", "a proof of a shuffle altered", kind(table.Shuffle), table.CheckShuffle, lastScalar)
	m.wrong("twice", "a card of a shuffle is there twice", kind(table.Shuffle), table.CheckShuffle, m.cards(func(l [][]byte) [][]byte { l[0] = l[1]; return l }))
	m.wrong("unlock", "a proof of an unlocking altered", kind(table.Show), table.CheckReveal, lastScalar)
	m.undue("out", "a seat that is not in the deal posts a key", second, 3-seat-m.message(second+1).Seat)
}

// undue adds a message of a seat that does not owe it.
func (m *maker) undue(name, comment string, at, seat int) {
	message := m.message(at)
	message.Seat = seat
	entry := testmust.Have(wire.Sign(message, m.Hands[seat].Signer))(m.T)
	m.add(variant{Name: name, Comment: comment, Change: replace, At: at, Entry: string(entry), Verdict: verifier.Unfinished, Check: table.CheckDue, Applied: at - 1, Void: len(m.Entries) - at})
}

func lastScalar(w *wire.Message) { w.Proofs[0] = flipped(w.Proofs[0], len(w.Proofs[0])-32) }

// cards changes the list of cards in a body.
func (m *maker) cards(change func([][]byte) [][]byte) func(*wire.Message) {
	return func(w *wire.Message) {
		var body wire.CardsBody
		testmust.Do(m.T, wire.DecodeBody(w.Body, &body))
		body.Cards = change(body.Cards)
		w.Body = testmust.Have(wire.EncodeBody(body))(m.T)
	}
}

func (m *maker) whole() {
	result, _ := m.State.Result()
	n := len(m.Entries)
	report := "report/" + strings.TrimPrefix(strings.TrimSuffix(m.base, ".jsonl"), "table/") + "-"
	verdict := verifier.Sound
	if _, asks := m.State.AsksForProofs(); asks {
		verdict = verifier.ForSeats
	}
	m.add(variant{Name: "whole", Comment: "an honest table, to its end", Verdict: verdict, Applied: n - 1, Result: result, Report: report + "sound.json"})
	m.add(variant{Name: "cut", Comment: "the log has the first half", Change: cut, At: n / 2, Verdict: verifier.Unfinished, Applied: n/2 - 1, Report: report + "unfinished.json"})
	m.add(variant{Name: "altered", Comment: "an entry that the log did not sign", Change: altered, At: 2, Entry: string(m.Entries[1]),
		Verdict: verifier.LogBroken, Check: verifier.CheckTree, Report: report + "log-broken.json"})
	deals := m.State.Genesis().Deals
	genesis := bytes.Replace(m.Entries[0], fmt.Appendf(nil, `"deals":%d`, deals), fmt.Appendf(nil, `"deals":%d`, deals+1), 1)
	m.add(variant{Name: "no-genesis", Comment: "the genesis entry is altered: the log has no such table", Change: replace, Entry: string(genesis), Check: verifier.CheckGenesis})
}

func (m *maker) void() {
	entry := m.Entries[2]
	n := len(m.Entries)
	m.unparsed("form", "white space in the text: the entry is of no table", 2, string(bytes.Replace(entry, []byte(`,"seat"`), []byte(`, "seat"`), 1)))
	m.add(variant{Name: "again", Comment: "the genesis entry again", Change: insert, At: 2, Entry: string(m.Entries[0]), Verdict: verifier.Sound, Check: table.CheckForm,
		Applied: n - 1, Void: 1, Result: got2(m.State.Result())})
	m.add(variant{Name: "early", Comment: "a message before the genesis entry: it is void, and not counted", Change: insert, At: 0, Entry: string(m.Entries[1]), Verdict: verifier.Sound,
		Applied: n - 1, Result: got2(m.State.Result())})
	m.wrong("table", "another table", 2, table.CheckTable, func(w *wire.Message) { w.Table[0] ^= 1 })
	m.wrong("parent", "another parent", 2, table.CheckParent, func(w *wire.Message) { w.Parent[0] ^= 1 })
	m.wrong("seat", "a seat that does not exist", 2, table.CheckSeat, func(w *wire.Message) { w.Seat = wire.MaxSeats - 1 })
	message := m.message(2)
	other := testmust.Have(wire.Sign(message, m.Hands[1-min(1, message.Seat)].Signer))(m.T)
	m.add(variant{Name: "signature", Comment: "signed by another seat", Change: replace, At: 2, Entry: string(other), Verdict: verifier.Unfinished, Check: table.CheckSignature, Applied: 1, Void: n - 2})
	m.wrong("due", "a kind that is not due", 2, table.CheckDue, func(w *wire.Message) { w.Kind = table.Shuffle })
	m.add(variant{Name: "repeated", Comment: "an entry that the log has twice", Change: insert, At: 3, Entry: string(m.Entries[2]), Verdict: verifier.Sound, Check: table.CheckParent,
		Applied: n - 1, Void: 1, Result: got2(m.State.Result())})
}

// unparsed adds an entry that does not parse, which belongs to no table and is not counted.
func (m *maker) unparsed(name, comment string, at int, entry string) {
	m.add(variant{Name: name, Comment: comment, Change: replace, At: at, Entry: entry, Verdict: verifier.Unfinished, Check: table.CheckForm, Applied: at - 1, Void: len(m.Entries) - at - 1})
}

func got2(result []int, _ bool) []int { return result }

func (m *maker) foul() {
	kind := func(k table.Kind) int { return m.first(func(w *wire.Message) bool { return w.Kind == k }) }
	body := func(change func(any), into any) func(*wire.Message) {
		return func(w *wire.Message) {
			testmust.Do(m.T, wire.DecodeBody(w.Body, into))
			change(into)
			w.Body = testmust.Have(wire.EncodeBody(into))(m.T)
		}
	}
	m.wrong("body", "a body with a field more", kind(table.Show), table.CheckBody, func(w *wire.Message) {
		w.Body = append(bytes.TrimSuffix(bytes.Clone(w.Body), []byte("}")), `,"more":1}`...)
	})
	m.wrong("values", "a card less than there are", kind(table.Shuffle), table.CheckValues, m.cards(func(l [][]byte) [][]byte { return l[1:] }))
	var first wire.KeyBody
	testmust.Do(m.T, wire.DecodeBody(m.message(1).Body, &first))
	m.wrong("key", "the card key of another seat", 2, table.CheckKey, body(func(v any) { v.(*wire.KeyBody).Key = first.Key }, new(wire.KeyBody)))
	m.wrong("rules", "a move that the game does not know", kind(table.Move), table.CheckRules, body(func(v any) {
		v.(*wire.MoveBody).Move = json.RawMessage(`{"win":true}`)
	}, new(wire.MoveBody)))
	m.wrong("proofs", "a proof more than statements", kind(table.Show), table.CheckProofs, func(w *wire.Message) { w.Proofs = append(w.Proofs, []byte{1}) })
	m.wrong("no-proof", "a proof less than statements", kind(table.Show), table.CheckProofs, func(w *wire.Message) { w.Proofs = w.Proofs[1:] })
	m.wrong("ownership", "a proof altered", 1, table.CheckOwnership, lastScalar)
	m.wrong("shuffle", "a proof altered", kind(table.Shuffle), table.CheckShuffle, lastScalar)
	m.list[len(m.list)-1] = reported(m.list[len(m.list)-1].(variant))
	m.wrong("order", "two cards of a shuffle exchanged", kind(table.Shuffle), table.CheckShuffle, m.cards(func(l [][]byte) [][]byte { l[0], l[1] = l[1], l[0]; return l }))
	m.wrong("reveal", "a proof altered", kind(table.Show), table.CheckReveal, lastScalar)
	m.wrong("token", "two tokens exchanged", kind(table.Show), table.CheckReveal, body(func(v any) {
		c := v.(*wire.TokensBody).Tokens
		c[0], c[1] = c[1], c[0]
	}, new(wire.TokensBody)))
	m.wrong("permute", "a proof altered", kind(table.Permute), table.CheckShuffle, lastScalar)
	m.wrong("transfer", "a proof altered", kind(table.Give), table.CheckTransfer, lastScalar)
	tokens := func(w *wire.Message) bool {
		return w.Kind == table.Move && !bytes.Contains(w.Body, []byte(`"tokens":[]`))
	}
	m.wrong("condition", "a proof altered", m.first(func(w *wire.Message) bool {
		return w.Kind == table.Move && len(w.Proofs) > 0 && !tokens(w)
	}), table.CheckCondition, lastScalar)
	m.wrong("move-reveal", "the proof for a card turned up altered", m.first(tokens), table.CheckReveal, lastScalar)
	m.wrong("face", "a card turned up is said to be another", m.first(tokens), table.CheckFace, m.otherFace)
}

// bodies adds bodies of the form of 10.3 but not of their kind: E1, or E4 for a move that its game
// does not read. Bodies of another form belong to no table.
func (m *maker) bodies() {
	first := func(k table.Kind, part string) int {
		return m.first(func(w *wire.Message) bool { return w.Kind == k && bytes.Contains(w.Body, []byte(part)) })
	}
	body := func(name, comment string, at int, check table.Check, text string) {
		m.wrong("body-"+name, comment, at, check, func(w *wire.Message) { w.Body = json.RawMessage(text) })
	}
	move := func(name, comment string, at int, text string) {
		m.wrong("body-move-"+name, comment, at, table.CheckRules, func(w *wire.Message) {
			var b wire.MoveBody
			testmust.Do(m.T, wire.DecodeBody(w.Body, &b))
			b.Move = json.RawMessage(text)
			w.Body = testmust.Have(wire.EncodeBody(b))(m.T)
		})
	}
	altered := func(at int, pattern, by string) string {
		var b wire.MoveBody
		testmust.Do(m.T, wire.DecodeBody(m.message(at).Body, &b))
		return regexp.MustCompile(pattern).ReplaceAllString(string(b.Move), by)
	}
	if m.base == "table/tarokk.jsonl" {
		at := first(table.Move, `{"play":`)
		move("order", "the fields of a card played in another order", at, altered(at, `("card":"[^"]*"),("face":"[^"]*")`, `$2,$1`))
		move("side", "a field that may be left out, and is empty", at, altered(at, `}}$`, `,"side":""}}`))
		move("two", "two moves in one", at, altered(at, `^{`, `{"call":"pass",`))
		return
	}
	var key wire.KeyBody
	testmust.Do(m.T, wire.DecodeBody(m.message(1).Body, &key))
	value := base64.StdEncoding.EncodeToString(key.Key)
	body("empty", "no field", 1, table.CheckBody, `{}`)
	body("twice", "a field twice", 1, table.CheckBody, `{"key":"`+value+`","key":"`+value+`"}`)
	body("case", "a field in another case", 1, table.CheckBody, `{"Key":"`+value+`"}`)
	body("true", "true for a key", 1, table.CheckBody, `{"key":true}`)
	body("number", "a number for a key", 1, table.CheckBody, `{"key":1}`)
	body("object", "an object for a key", 1, table.CheckBody, `{"key":{}}`)
	body("list", "a list for a key", 1, table.CheckBody, `{"key":["`+value+`"]}`)
	body("unpadded", "base64 without its padding", 1, table.CheckBody, `{"key":"`+strings.TrimRight(value, "=")+`"}`)
	body("stray-bits", "base64 with stray bits", 1, table.CheckBody, `{"key":"AR=="}`)
	body("value-empty", "an empty key", 1, table.CheckBody, `{"key":""}`)
	body("value-short", "a key of one byte: base64, and no key", 1, table.CheckValues, `{"key":"AQ=="}`)

	show := first(table.Show, "")
	body("cards", "a body of another kind", show, table.CheckBody, `{"cards":["`+value+`"]}`)
	body("tokens-object", "an object for a list", show, table.CheckBody, `{"tokens":{}}`)
	body("tokens-empty", "a list with an empty token", show, table.CheckBody, `{"tokens":["`+value+`",""]}`)
	body("tokens-256", "256 tokens: as many as a list may have, and more than are due", show, table.CheckValues, `{"tokens":["`+value+strings.Repeat(`","`+value, 255)+`"]}`)
	body("tokens-257", "257 tokens", show, table.CheckBody, `{"tokens":["`+value+strings.Repeat(`","`+value, 256)+`"]}`)

	lay, draw := first(table.Move, `"lay":[]`), first(table.Move, `"draw"`)
	body("move-list", "a list for a move", lay, table.CheckBody, `{"move":[],"tokens":[]}`)
	body("move-string", "a string for a move", lay, table.CheckBody, `{"move":"lay","tokens":[]}`)
	body("move-last", "the move behind its tokens", lay, table.CheckBody, `{"tokens":[],"move":{"lay":[]}}`)
	body("move-tokens-true", "true for the tokens", lay, table.CheckBody, `{"move":{"lay":[]},"tokens":true}`)
	body("move-1025", "a move of 1,025 bytes", lay, table.CheckBody, `{"move":{"a":"`+strings.Repeat("a", 1_017)+`"},"tokens":[]}`)
	move("1024", "a move of 1,024 bytes, which no rule knows", lay, `{"a":"`+strings.Repeat("a", 1_016)+`"}`)
	move("empty", "no field", lay, `{}`)
	move("unknown", "an unknown field besides", lay, `{"lay":[],"more":1}`)
	move("twice", "a field twice", lay, `{"lay":[],"lay":[]}`)
	move("true", "true for a list", lay, `{"lay":true}`)
	move("object", "an object for a list", lay, `{"lay":{}}`)
	body("move-tokens", "a move that no rule knows, with a token that is none", lay, table.CheckRules, `{"move":{"more":1},"tokens":["AQ=="]}`)
	move("order", "the fields of a draw in another order", draw, altered(draw, `("from":\d+),("position":\d+)`, `$2,$1`))
	move("missing", "a field less", draw, altered(draw, `,"position":\d+`, ``))
	move("number-string", "a number as a string", draw, altered(draw, `"from":(\d+)`, `"from":"$1"`))
	move("number-negative", "a negative position", draw, altered(draw, `"position":\d+`, `"position":-1`))
	move("number-large", "the largest number there is as a position", draw, altered(draw, `"position":\d+`, `"position":9007199254740991`))
	unread := regexp.MustCompile(`"position":\d+`).ReplaceAllString(string(m.Entries[draw]), `"position":1.5`)
	m.unparsed("body-move-fraction", "a fraction in a move: the entry is of no table, and the seat still owes the move", draw, m.signedAgain(draw, unread))
}

// signedAgain is an entry with altered text, signed by its seat.
func (m *maker) signedAgain(at int, altered string) string {
	text, _, _ := strings.Cut(altered, "\n")
	return string(testmust.Have(note.Sign(&note.Note{Text: text + "\n"}, m.Hands[m.message(at).Seat].Signer))(m.T))
}

func reported(v variant) variant {
	v.Report = "report/" + strings.TrimPrefix(strings.TrimSuffix(v.Base, ".jsonl"), "table/") + "-foul.json"
	return v
}

// otherFace names another face of a pair, or of a played card, so that the rules accept it.
func (m *maker) otherFace(w *wire.Message) {
	at := m.first(func(o *wire.Message) bool { return bytes.Equal(o.Body, w.Body) })
	var body wire.MoveBody
	testmust.Do(m.T, wire.DecodeBody(w.Body, &body))
	for _, move := range m.others(string(body.Move)) {
		changed := body
		changed.Move = json.RawMessage(move)
		raw := testmust.Have(wire.EncodeBody(changed))(m.T)
		attempt := *w
		attempt.Body = raw
		entry := testmust.Have(wire.Sign(&attempt, m.Hands[w.Seat].Signer))(m.T)
		_, err := tabletest.Apply(m.States[at-1], entry)
		if f, ok := errors.AsType[*table.Fault](err); ok && f.Check == table.CheckFace {
			w.Body = raw
			return
		}
	}
	m.Fatal("every other face is against the rules")
}

// others are the move with one face exchanged for another, and with two exchanged.
func (m *maker) others(move string) []string {
	var faces, list []string
	for _, part := range strings.Split(move, `"face":"`)[1:] {
		face, _, _ := strings.Cut(part, `"`)
		faces = append(faces, face)
	}
	deck, _ := m.State.Deck()
	for f := range deck {
		for g := range deck {
			a := strings.Replace(move, `"face":"`+faces[0]+`"`, fmt.Sprintf(`"face":%q`, m.State.FaceName(card.Face(f))), 1)
			if len(faces) > 1 {
				a = strings.Replace(a, `"face":"`+faces[1]+`"`, fmt.Sprintf(`"face":%q`, m.State.FaceName(card.Face(g))), 1)
			}
			if a != move && !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list
}

func logOf(t *testing.T, entries [][]byte) shown {
	t.Helper()
	var tree tlog.Tree
	for _, e := range entries {
		tree.Append(tlog.LeafHash(e))
	}
	return shown{entries, testmust.Have(tlog.SignCheckpoint(tree.Size(), tree.Root(), key(t, "log.example", tlog.Ed25519)))(t)}
}

// judgeVariant verifies a variant from files alone.
func judgeVariant(t *testing.T, line []byte) string {
	v := read[variant](t, line)
	base := entriesOf(t, readFile(t, v.Base))
	entries := slices.Clone(base)
	switch v.Change {
	case cut:
		entries = entries[:v.At]
	case replace, altered:
		entries[v.At] = []byte(v.Entry)
	case insert:
		entries = slices.Insert(entries, v.At, []byte(v.Entry))
	}
	log := logOf(t, entries)
	if v.Change == altered {
		log.checkpoint = logOf(t, base).checkpoint
	}
	r, err := verifier.Verify(context.Background(), log, verifier.Options{
		Table: wire.HashEntry(base[0]), Log: []note.Verifier{key(t, "log.example", tlog.Ed25519)}, Catalogue: catalogue()})
	if err != nil || v.Verdict == "" {
		testmust.Holdf(t, err != nil && v.Verdict == "", "%v, want %q", err, v.Verdict)
		return ""
	}
	testmust.Holdf(t, r.Verdict == v.Verdict && r.Applied == v.Applied && r.Voided == v.Void && slices.Equal(r.Result, v.Result),
		"%s, %d applied, %d void, %v; want %s, %d, %d, %v", r.Verdict, r.Applied, r.Voided, r.Result, v.Verdict, v.Applied, v.Void, v.Result)
	v.compare(t, r, entries)
	if v.Report != "" {
		text := testmust.Have(json.MarshalIndent(r, "", "  "))(t)
		same(t, v.Report, append(text, '\n'))
	}
	return ""
}

// compare looks for the check and for the blamed seat in the report or, for a void entry, in the
// replay.
func (v variant) compare(t *testing.T, r *verifier.Report, entries [][]byte) {
	t.Helper()
	if len(r.Findings) == 1 {
		f := r.Findings[0]
		testmust.Holdf(t, f.Check == v.Check && (f.Seat == nil) == (v.Seat == nil) && (v.Seat == nil || *f.Seat == *v.Seat && *f.Index == uint64(v.At)),
			"%s, seat %v, entry %v: %v; want %s, seat %v", f.Check, f.Seat, f.Index, f.Err, v.Check, v.Seat)
		return
	}
	if v.Seat != nil || v.Check != "" && voidAt(t, entries, v.At) != v.Check {
		t.Errorf("%s, want %s", voidAt(t, entries, v.At), v.Check)
	}
}

// voidAt returns the check that fails for the entry at a place whose earlier entries are all good.
func voidAt(t *testing.T, entries [][]byte, at int) table.Check {
	t.Helper()
	s := testmust.Have(table.Open(testmust.Have(wire.ParseEntry(entries[0]))(t), catalogue()))(t)
	for _, entry := range entries[1:at] {
		e := testmust.Have(wire.ParseEntry(entry))(t)
		next, err := s.Apply(e, table.Facts{})
		if f, ok := errors.AsType[*table.Fault](err); ok && f.Class == table.Tried {
			next, err = s.WithFault(f, e.Hash), nil
		}
		s = testmust.Have(next, err)(t)
	}
	e, err := wire.ParseEntry(entries[at])
	if err != nil {
		return table.CheckForm
	}
	_, err = s.Apply(e, table.Facts{})
	if f, ok := errors.AsType[*table.Fault](err); ok {
		return f.Check
	}
	return ""
}
