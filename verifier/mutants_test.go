package verifier_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// variants returns what the signer of an act could have signed instead: each value of the body
// changed, each list without one element, and with one element twice.
func variants(t *testing.T, act *wire.Act, signer note.Signer, others ...any) (list [][]byte) {
	t.Helper()
	var body any
	testmust.Do(t, json.Unmarshal(act.Body, &body))
	for _, changed := range changes(body, others) {
		again := *act
		again.Body = testmust.Have(json.Marshal(changed))(t)
		if raw, err := recoded(act.Kind, again.Body); err == nil { // with the fields in their order
			again.Body = raw
		}
		if entry, err := wire.Sign(&again, signer); err == nil {
			list = append(list, entry)
		}
	}
	return list
}

// recoded encodes a body again in canonical form.
func recoded(kind wire.Kind, body []byte) ([]byte, error) {
	shapes := map[wire.Kind]func() any{
		wire.KindTimeout: func() any { return new(wire.TimeoutBody) }, wire.KindResign: func() any { return new(wire.ResignBody) },
		wire.KindAgree: func() any { return new(wire.AgreeBody) }, wire.KindClose: func() any { return new(wire.CloseBody) },
		wire.KindExpose: func() any { return new(wire.ExposeBody) }, wire.KindReseat: func() any { return new(wire.ReseatBody) },
	}
	shape := shapes[kind]
	if shape == nil {
		return nil, fmt.Errorf("%s has no body", kind)
	}
	v := shape()
	if err := json.Unmarshal(body, v); err != nil {
		return nil, err
	}
	return wire.EncodeBody(v)
}

// changes returns copies of a value, each with one thing changed.
func changes(v any, others []any) (list []any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			for _, c := range changes(inner, others) {
				m := map[string]any{name: c}
				for k, same := range v {
					if k != name {
						m[k] = same
					}
				}
				list = append(list, m)
			}
		}
	case []any:
		for i, inner := range v {
			list = append(list, slices.Delete(slices.Clone(v), i, i+1), slices.Insert(slices.Clone(v), i, inner))
			for _, c := range changes(inner, others) {
				with := slices.Clone(v)
				with[i] = c
				list = append(list, with)
			}
		}
	default:
		list = append(list, others...)
	}
	return list
}

// A claimant could sign anything instead of a claim, with any entry and any mark of the log wherever
// the claim names one. A seat that is not late must never be late by it, and a late seat must lose
// nothing by a claim against another.
func TestClaimsSignedOtherwise(t *testing.T) {
	for _, seconds := range []int{59, 62} {
		w, late, other, _ := waiting(t, 75, true)
		w.PassTime(seconds)
		body := w.Clock(late).Claim
		body.Silence = w.Silence(late, 0, 1)
		claim := parse(t, w.Act(other, wire.KindTimeout, body)).Act
		others := []any{0, 1, 2, 3, -1, ""}
		for _, e := range all(t, w.Log) {
			others = append(others, wire.HashEntry(e).String())
		}
		tried, applied := 0, 0
		for _, entry := range append(variants(t, claim, w.Hands[other].Signer, others...), w.Act(other, wire.KindTimeout, body)) {
			fault := w.FaultOf(entry)
			if tried++; fault == nil {
				applied++
				var said wire.TimeoutBody
				testmust.Do(t, json.Unmarshal(parse(t, entry).Act.Body, &said))
				testmust.Holdf(t, seconds >= 60 && said.Seat == int(late), "after %d s seat %d is late: %s", seconds, said.Seat, entry)
			} else if fault.Class != table.Void {
				t.Errorf("a claim is %v", fault)
			}
		}
		testmust.Holdf(t, tried >= 200 && (seconds <= 60 || applied != 0), "after %d s: %d claims, %d applied: the test tests nothing", seconds, tried, applied)
		t.Logf("after %d s: %d claims, %d applied", seconds, tried, applied)
	}
}

// Any bit of a keeper's silence is changed, in a claim that is signed for the result.
func TestMutantsOfSilence(t *testing.T) {
	w, late, other, _ := waiting(t, 76, true)
	w.PassTime(62)
	body := w.Clock(late).Claim
	lines := w.Silence(late, 0, 1)
	for i := range testmust.ChosenIndexes(t, 8*len(lines[1]), 80) {
		altered := bytes.Clone(lines[1])
		altered[i/8] ^= 1 << (i % 8)
		body.Silence = [][]byte{lines[0], altered}
		fault := w.FaultOf(w.Act(other, wire.KindTimeout, body))
		testmust.Requiref(t, fault != nil && fault.Class == table.Void && fault.Check == table.CheckSilence, "byte %d, bit %d: %v", i/8, i%8, fault)
	}
}

// A seat or a ruler could sign something else instead of an act. It counts as the signer's or is
// void, and it costs a seat that has not signed it nothing.
func TestActsSignedOtherwise(t *testing.T) {
	sc, places := acted(t)
	began := ended(t, wire.WarnFouls) // with the same keys
	tried, applied := 0, 0
	for _, at := range places {
		act, before := parse(t, sc.Entries[at]).Act, sc.States[at-1]
		signer := sc.Organiser
		for seat, h := range began.Hands {
			if before.HolderKey(table.Seat(seat)) == act.By {
				signer = h.Signer
			}
		}
		for _, entry := range variants(t, act, signer, 0, 1, 2, 3, -1, 65535, "", "end", "undo", "pause", "resume", "deal", "table", sc.State.HolderKey(0), sc.State.HolderKey(2), base64.StdEncoding.EncodeToString(make([]byte, 64))) {
			p, ok := replay.NewLeaf(uint64(at), wire.HashEntry(entry), entry).Parse()
			if tried++; !ok {
				continue
			}
			s := replay.Judge(before, p, sc.Catalogue(), nil, nil, nil)
			testmust.Holdf(t, s.Err == nil && (s.Fault == nil || s.Fault.Class == table.Void), "%s: %v, %v", entry, s.Fault, s.Err)
			if s.IsApplied() {
				applied++
				harmed(t, s, act.By)
			}
		}
	}
	testmust.Holdf(t, tried >= 100 && applied >= 10, "%d acts, %d applied: the test tests nothing", tried, applied)
}

// harmed requires that an act costs points of no seat but its signer's and makes no other seat leave,
// and that only the organiser ends the table.
func harmed(t *testing.T, s replay.Step, by string) {
	t.Helper()
	for _, e := range s.After.EndingActs()[len(s.Before.EndingActs()):] {
		for seat, n := range e.Points {
			if n < 0 && s.Before.HolderKey(table.Seat(seat)) != by {
				t.Errorf("%s costs seat %s %d", s.Entry.Bytes(), table.Seat(seat).Letter(), n)
			}
		}
		if e.Kind == wire.KindResign && s.Before.HolderKey(*e.Seat) != by || e.Kind == wire.KindTimeout {
			t.Errorf("%s: seat %s has left", s.Entry.Bytes(), e.Seat.Letter())
		}
	}
	if _, over := s.After.Result(); over && by != s.Before.Genesis().Organiser {
		t.Errorf("%s ends the table", s.Entry.Bytes())
	}
}

// Any byte of a mark's checkpoint is changed and somebody signs it anew. It says nothing that the
// keepers have not said, and convicts nobody.
func TestMarksSignedOtherwise(t *testing.T) {
	w, _ := stopped(t)
	c := w.Checkpoint()
	index, same := c.Size, 0
	times := func(altered []byte) (list []int64) {
		c.Note = altered
		entry, err := trySign(t, c.Note)
		if err != nil {
			return nil
		}
		read, err := marks.ReadMark(index, entry, []note.Verifier{w.Key})
		if err != nil {
			return nil
		}
		testmust.Holdf(t, read.Root == c.Root && read.Size == c.Size, "another tree of the log's: %s", altered)
		for _, k := range w.Keepers {
			list = append(list, marks.TimeOf(read, k.String()))
		}
		return list
	}
	whole := bytes.Clone(c.Note)
	honest := times(whole)
	for i := range testmust.ChosenIndexes(t, len(whole), 300) {
		for k, at := range times(flipped(whole, i)) {
			testmust.Holdf(t, at == 0 || at == honest[k], "byte %d: keeper %d says %d, said %d", i, k, at, honest[k])
			same++
		}
	}
	testmust.Holdf(t, len(honest) == 3 && !slices.Contains(honest, 0) && same != 0,
		"honest %v, %d times that still count: the test tests nothing", honest, same)
}

func trySign(t *testing.T, checkpoint []byte) ([]byte, error) {
	t.Helper()
	s, vkey := markstest.LineSigner(t, "anybody")
	return wire.SignMark(checkpoint, vkey, s)
}

// Any byte of a file of a held message is changed. No keeper's statement fits the result, except
// after a change of the name before the statement, which is only a label.
func TestMutantsOfHeldFiles(t *testing.T) {
	w, late, other, withheld := waiting(t, 77, false)
	w.PassTime(40)
	file := exchange.Marshal(w.Hold(withheld, 1))
	w.PassTime(22)
	testmust.Do(t, w.Post(w.Act(other, wire.KindTimeout, w.Clock(late).Claim)))
	p := speakingPolicy(t, w, 3, 3)
	reopened := func(file []byte) *verifier.ReopenedClaim {
		m, err := exchange.Parse(file)
		if err != nil || verifier.CheckHeld(m, p) != nil {
			return nil
		}
		return verify(t, w, p, m).Endings[0].Reopened
	}
	honest, name := reopened(file), []byte(w.Lines[1].Name())
	testmust.Require(t, honest != nil, "the file as it is reopens nothing")
	label := bytes.Index(file, name)
	for i := range testmust.ChosenIndexes(t, len(file), 150) {
		got := reopened(flipped(file, i))
		testmust.Holdf(t, got == nil || *got == *honest && i >= label && i < label+len(name), "byte %d: %+v", i, got)
	}
}
