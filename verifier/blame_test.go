package verifier_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// mutant is one alteration of a message that its own seat signs again.
type mutant struct {
	name   string
	foul   bool // it breaks the message's content; otherwise it is void
	change func(*wire.Message)
}

// envelope alters what says where a message belongs: void, whoever signs it.
func envelope(m *wire.Message) []mutant {
	return []mutant{
		{"other parent", false, func(m *wire.Message) { m.Parent[0] ^= 1 }},
		{"other table", false, func(m *wire.Message) { m.Table[31] ^= 1 }},
		{"next seat", false, func(m *wire.Message) { m.Seat++ }},
		{"absent seat", false, func(m *wire.Message) { m.Seat = wire.MaxSeats - 1 }},
		{"unknown kind", false, func(m *wire.Message) { m.Kind = "win" }},
		{"kind not due", false, func(m *wire.Message) { m.Kind = otherKind(m.Kind) }},
	}
}

func otherKind(k wire.Kind) wire.Kind {
	if k == wire.KindShuffle {
		return wire.KindMove
	}
	return wire.KindShuffle
}

// content alters what a message says: foul, since its seat signed it in place.
func content(m *wire.Message) []mutant {
	list := []mutant{
		{"empty body", true, func(m *wire.Message) { m.Body = json.RawMessage(`{}`) }},
		{"body of another kind", true, func(m *wire.Message) { m.Body = json.RawMessage(`{"no":1}`) }},
		{"one proof too many", true, func(m *wire.Message) { m.Proofs = append(slices.Clone(m.Proofs), []byte{1}) }},
	}
	for i, p := range m.Proofs {
		list = append(list,
			mutant{"a proof dropped", true, func(m *wire.Message) { m.Proofs = slices.Delete(slices.Clone(m.Proofs), i, i+1) }},
			mutant{"a proof cut short", true, func(m *wire.Message) { m.Proofs = replaced(m.Proofs, i, p[:len(p)-1]) }},
			mutant{"a proof made longer", true, func(m *wire.Message) { m.Proofs = replaced(m.Proofs, i, append(bytes.Clone(p), 0)) }})
		for at := 0; at < len(p); at += max(32, len(p)/8/32*32) {
			list = append(list, mutant{fmt.Sprintf("proof %d altered at byte %d", i, at), true,
				func(m *wire.Message) { m.Proofs = replaced(m.Proofs, i, flipped(p, at)) }})
		}
	}
	return append(list, values(m)...)
}

// values alters the keys, cards and tokens of a body.
func values(m *wire.Message) []mutant {
	var body struct {
		Key    []byte          `json:"key,omitempty"`
		Cards  [][]byte        `json:"cards,omitempty"`
		Move   json.RawMessage `json:"move,omitempty"`
		Tokens [][]byte        `json:"tokens,omitempty"`
	}
	if err := json.Unmarshal(m.Body, &body); err != nil {
		panic(err)
	}
	if body.Key != nil {
		return []mutant{
			{"key altered", true, setBody(wire.KeyBody{Key: flipped(body.Key, 0)})},
			{"key cut short", true, setBody(wire.KeyBody{Key: body.Key[:len(body.Key)-1]})},
			{"key zero", true, setBody(wire.KeyBody{Key: make([]byte, len(body.Key))})},
		}
	}
	if body.Cards != nil {
		return lists("card", body.Cards, func(l [][]byte) any { return wire.CardsBody{Cards: l} })
	}
	wrap := func(l [][]byte) any { return wire.TokensBody{Tokens: l} }
	list := []mutant{}
	if body.Move != nil {
		wrap = func(l [][]byte) any { return wire.MoveBody{Move: body.Move, Tokens: l} }
		list = append(list,
			mutant{"move of no game", true, setBody(wire.MoveBody{Move: json.RawMessage(`{"fold":1}`), Tokens: [][]byte{}})},
			mutant{"token for nothing", true, setBody(wrap(append(slices.Clone(body.Tokens), bytes.Repeat([]byte{1}, 32))))})
	}
	return append(list, lists("token", body.Tokens, wrap)...)
}

func lists(what string, values [][]byte, body func([][]byte) any) []mutant {
	var list []mutant
	for i := 0; i < len(values); i += max(1, len(values)/3) {
		v := values[i]
		list = append(list,
			mutant{what + " altered", true, setBody(body(replaced(values, i, flipped(v, 0))))},
			mutant{what + " cut short", true, setBody(body(replaced(values, i, v[:len(v)-1])))},
			mutant{what + " zero", true, setBody(body(replaced(values, i, make([]byte, len(v)))))},
			mutant{what + " dropped", true, setBody(body(slices.Delete(slices.Clone(values), i, i+1)))},
			mutant{what + " repeated", true, setBody(body(slices.Insert(slices.Clone(values), i, v)))})
		if len(values) > 1 {
			j := (i + 1) % len(values)
			list = append(list,
				mutant{what + " in two places", true, setBody(body(replaced(values, i, values[j])))},
				mutant{what + "s exchanged", true, setBody(body(replaced(replaced(values, i, values[j]), j, v)))})
		}
	}
	return list
}

func setBody(body any) func(*wire.Message) {
	raw, err := wire.EncodeBody(body)
	if err != nil {
		panic(err)
	}
	return func(m *wire.Message) { m.Body = raw }
}

func replaced(list [][]byte, i int, b []byte) [][]byte {
	list = slices.Clone(list)
	list[i] = b
	return list
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1
	return b
}

// chosen picks the entries to alter: the first of every kind and every rest, or
// all of them.
func chosen(t *testing.T, sc *scene, all bool) []int {
	t.Helper()
	var list []int
	seen := map[string]int{}
	for i, entry := range sc.Entries[1:] {
		m := parse(t, entry).Message
		shape := fmt.Sprint(m.Kind, len(m.Proofs), len(m.Body) > 100)
		if seen[shape]++; all || seen[shape] == 1 {
			list = append(list, i+1)
		}
	}
	return list
}

func parse(t *testing.T, entry []byte) *wire.Entry {
	t.Helper()
	return testmust.Have(wire.Parse(entry))(t)
}

// One thing altered in one entry, signed again by its seat, the rest of the
// game after it as it was: the verdict must name that seat and that entry, or
// nobody, and never an honest seat.
func TestBlame(t *testing.T) {
	for name, c := range map[string]struct {
		suite proof.Suite
		seats int
		all   bool
		most  int // without thorough tests
	}{"ristretto": {realSuite(t), 3, false, 40}, "clear": {clear.Suite{}, 2, true, 120}} {
		t.Run(name, func(t *testing.T) {
			sc := newScene(t, c.suite, c.seats, nil, 7)
			var places []int
			var mutants []mutant
			for _, at := range chosen(t, sc, c.all && thorough.Tests()) {
				m := parse(t, sc.Entries[at]).Message
				for _, mu := range append(envelope(m), content(m)...) {
					places, mutants = append(places, at), append(mutants, mu)
				}
			}
			if len(mutants) < 100 {
				t.Errorf("only %d mutants: the test tests nothing", len(mutants))
			}
			judged := 0
			for i := range thorough.Chosen(t, len(mutants), c.most) {
				if forged, err := sc.Forge(sc.Entries[places[i]], mutants[i].change); err == nil { // else not even a note: see the outsider's test
					judged++
					sc.checkBlame(t, places[i], forged, mutants[i])
				}
			}
			if judged < 20 {
				t.Errorf("only %d mutants were judged: the test tests nothing", judged)
			}
		})
	}
}

func (sc *scene) checkBlame(t *testing.T, at int, forged []byte, mu mutant) {
	t.Helper()
	entries := slices.Clone(sc.Entries)
	entries[at] = forged
	entries = entries[:min(len(entries), at+20)]
	r := sc.verify(t, sc.log(t, entries))
	m := parse(t, sc.Entries[at]).Message
	if !mu.foul {
		if r.Verdict != verifier.Unfinished || r.Applied != at-1 {
			t.Errorf("entry %d (%s), %s: %s with %d applied, want unfinished with %d", at, m.Kind, mu.name, r.Verdict, r.Applied, at-1)
		}
		return
	}
	if r.Verdict != verifier.Foul {
		t.Errorf("entry %d (%s), %s: %s, want foul", at, m.Kind, mu.name, r.Verdict)
		return
	}
	f := r.Findings[0]
	if *f.Seat != table.Seat(m.Seat) || *f.Index != uint64(at) {
		t.Errorf("entry %d of seat %d (%s), %s: seat %d blamed at entry %d: %v", at, m.Seat, m.Kind, mu.name, *f.Seat, *f.Index, f.Err)
	}
}

// An alteration by somebody without the seat's key, anywhere in an entry, must
// blame nobody.
func TestOutsiderBlamesNobody(t *testing.T) {
	sc := newScene(t, realSuite(t), 3, nil, 8)
	for _, at := range chosen(t, sc, false) {
		entry := sc.Entries[at]
		for i := range thorough.Chosen(t, 40, 6) {
			pos := i * len(entry) / 40
			entries := slices.Clone(sc.Entries[:min(len(sc.Entries), at+3)])
			entries[at] = flipped(entry, pos)
			r := sc.verify(t, sc.log(t, entries))
			if r.Verdict != verifier.Unfinished || r.Applied != at-1 {
				t.Errorf("entry %d, byte %d: %s, %d applied; want unfinished, %d", at, pos, r.Verdict, r.Applied, at-1)
			}
		}
	}
}

// A log that drops, repeats, exchanges or brings back honest entries, and signs
// the result as its only history, can stop a game and nothing else.
func TestLogCannotFrameASeat(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 3, nil, 9)
	other := newScene(t, clear.Suite{}, 3, nil, 10)
	for i := range thorough.Chosen(t, len(sc.Entries)-1, 5) {
		at, entry := i+1, sc.Entries[i+1]
		next := min(at+1, len(sc.Entries)-1)
		for name, entries := range map[string][][]byte{
			"dropped":              slices.Delete(slices.Clone(sc.Entries), at, at+1),
			"repeated":             slices.Insert(slices.Clone(sc.Entries), at, entry),
			"brought back at end":  append(slices.Clone(sc.Entries), entry),
			"exchanged":            replaced(replaced(sc.Entries, at, sc.Entries[next]), next, entry),
			"other table's":        replaced(sc.Entries, at, other.Entries[min(at, len(other.Entries)-1)]),
			"moved before genesis": slices.Insert(slices.Delete(slices.Clone(sc.Entries), at, at+1), 0, entry),
			"emptied":              replaced(sc.Entries, at, []byte{}),
		} {
			r := sc.verify(t, sc.log(t, entries))
			if r.Verdict != verifier.Sound && r.Verdict != verifier.Unfinished {
				t.Errorf("entry %d %s: %s", at, name, r.Verdict)
			}
			if kept := name == "repeated" || name == "brought back at end"; kept != (r.Verdict == verifier.Sound) && at+1 < len(sc.Entries) {
				t.Errorf("entry %d %s: %s", at, name, r.Verdict)
			}
		}
	}
}

// A log that shows other entries than it signed, another history than it
// signed before, or a root of nothing, is broken, and no seat is to blame.
func TestLogBroken(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 3, nil, 11)
	honest := sc.log(t, sc.Entries)
	half := sc.log(t, sc.Entries[:len(sc.Entries)/2]).checkpoint
	for at := range thorough.Chosen(t, len(sc.Entries), 15) {
		for name, entries := range map[string][][]byte{
			"altered":   replaced(sc.Entries, at, flipped(sc.Entries[at], len(sc.Entries[at])/2)),
			"exchanged": replaced(replaced(sc.Entries, at, sc.Entries[0]), 0, sc.Entries[at]),
			"emptied":   replaced(sc.Entries, at, []byte{}),
		} {
			if name == "exchanged" && at == 0 {
				continue
			}
			if r := sc.verify(t, shown{entries, honest.checkpoint}); r.Verdict != verifier.LogBroken {
				t.Errorf("entry %d %s under the old checkpoint: %s", at, name, r.Verdict)
			}
		}
	}
	// A second history: signed, and sound for itself, but not the one it signed
	// when it had half as many entries; and an older one.
	second := append([][]byte{[]byte("something else")}, sc.Entries...)
	if r := sc.verify(t, sc.log(t, second), half); r.Verdict != verifier.LogBroken {
		t.Errorf("second history: %s", r.Verdict)
	}
	if r := sc.verify(t, honest, half, honest.checkpoint); r.Verdict != verifier.Sound {
		t.Errorf("checkpoints of this very history: %s", r.Verdict)
	}
	wrongRoot := testmust.Have(tlog.SignCheckpoint(uint64(len(sc.Entries)), tlog.Hash{1}, sc.signer))(t)
	if r := sc.verify(t, shown{sc.Entries, wrongRoot}); r.Verdict != verifier.LogBroken {
		t.Errorf("wrong root: %s", r.Verdict)
	}
}

type noRandomness struct{}

func (noRandomness) Read([]byte) (int, error) { return 0, errors.New("no randomness") }

// A batch that cannot be checked must not pass for one that holds.
func TestBatchThatCannotBeChecked(t *testing.T) {
	sc := newScene(t, realSuite(t), 3, nil, 7)
	forged := testmust.Have(sc.Forge(sc.Entries[1], func(m *wire.Message) { m.Proofs[0] = flipped(m.Proofs[0], 33) }))(t)
	reader := rand.Reader
	defer func() { rand.Reader = reader }()
	for name, entry := range map[string][]byte{"honest": sc.Entries[1], "forged": forged} {
		rand.Reader = reader
		log := sc.log(t, [][]byte{sc.Entries[0], entry})
		rand.Reader = noRandomness{}
		if _, err := sc.States[0].Apply(parse(t, entry), table.Facts{}); err == nil || errors.As(err, new(*table.Fault)) {
			t.Errorf("%s, applied: %v", name, err)
		}
		r, err := verifier.Verify(context.Background(), log, verifier.Options{Table: sc.State.ID(), Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()})
		if err == nil {
			t.Errorf("%s, verified: %s", name, r.Verdict)
		}
	}
}
